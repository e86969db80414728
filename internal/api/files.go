package api

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/media"
	"stele/internal/replay"
	"stele/internal/wire"
)

// arrival is an upload on its way through the door.
type arrival struct {
	door *Door
	call call
	form *form
	key  string       // its Idempotency-Key
	turn *replay.Lock // nil: it has no key, or did not get as far
	kept *file.File   // what an earlier turn has left
}

// errKept ends an upload that was answered before.
var errKept = errors.New("this was uploaded before")

// uploadFile takes a file in while it arrives.
func (d *Door) uploadFile(w http.ResponseWriter, c call) error {
	key, err := idempotencyKey(c.Header)
	if err != nil {
		return err
	}
	form, err := openForm(c.Request)
	if err != nil {
		return err
	}
	part, err := form.next()
	if err != nil {
		return err
	}
	if part == nil {
		return fault.New(fault.MissingFile, "The form has no part called file.").Field("file")
	}
	a := &arrival{door: d, call: c, form: form, key: key}
	defer a.leave()
	f, err := d.Files.Save(c.Context(), file.Upload{
		Workspace: c.who.Workspace, Name: part.FileName(), Body: &formBody{part}, Documents: true, Announced: max(0, c.ContentLength), Judge: a.judge,
	})
	if errors.Is(err, errKept) {
		f, err = a.kept, nil
	}
	return d.conclude(w, c, a.turn, func() (int, []byte, error) {
		if err != nil {
			return 0, nil, err
		}
		return d.describeFile(c, form, f)
	})
}

// judge is asked at the end of the file's bytes. The closing boundary is what
// ends the upload: fields may follow the file.
func (a *arrival) judge(f *file.File) error {
	second, err := a.form.next()
	if err != nil {
		return err
	}
	if second != nil {
		return fault.New(fault.InvalidRequestBody, "The form has more than one part called file.").Field("file")
	}
	if a.key != "" {
		if a.turn, a.kept, err = a.door.beginUpload(a.call, a.key, a.form, f); err != nil {
			return err
		}
		if a.kept != nil || a.turn.Answer != nil {
			return errKept
		}
	}
	return a.door.judgeFile(a.call, a.form, f)
}

func (a *arrival) leave() {
	if a.turn != nil {
		a.turn.Leave()
	}
}

// describeFile gives the answer for a file that has arrived, in the client's own words.
func (d *Door) describeFile(c call, form *form, f *file.File) (status int, body []byte, err error) {
	switch {
	case speaksAnthropic(c.Request):
		body, err = json.Marshal(toAnthropicFile(f))
		return http.StatusOK, body, err
	case form.has("purpose"):
		body, err = json.Marshal(toOpenAIFile(f, form.fields["purpose"]))
		return http.StatusOK, body, err
	}
	body, err = json.Marshal(struct {
		Data wireFile `json:"data"`
	}{toWireFile(f, d.Files.Address(f))})
	return http.StatusCreated, body, err
}

// judgeFile holds a file that has arrived against what the form says of it.
func (d *Door) judgeFile(c call, form *form, f *file.File) error {
	kind := form.fields["file_type"]
	if kind != "" && !slices.Contains(media.Types(), kind) {
		return fault.New(fault.InvalidParameter, "file_type is one of %s.", strings.Join(media.Types(), ", ")).
			Field("file_type").With("got", kind).With("allowed", media.Types())
	}
	operations, err := d.operations(c, form)
	if err != nil || f.Kind == "" { // what is of no kind is refused by the room, which knows why
		return err
	}
	if f.Kind == file.Document && !form.has("purpose") && !speaksAnthropic(c.Request) {
		return f.RefuseDocument()
	}
	if kind != "" && kind != f.Kind {
		return fault.New(fault.UnsupportedFileType, "The file is of the kind %s (%s), not %s.", f.Kind, f.Type, kind).
			With("content_type", f.Type)
	}
	for _, o := range operations {
		if err = fits(&o, f); err == nil {
			return nil
		}
	}
	return err
}

// operations are those that the form wants the file to fit one of; none: any file will do.
func (d *Door) operations(c call, form *form) ([]media.Operation, error) {
	model, mode := form.fields["model"], form.fields["mode"]
	if model == "" {
		if mode != "" {
			return nil, fault.New(fault.MissingParameter, "A mode needs its model: send model as well.").Field("model")
		}
		return nil, nil
	}
	m, err := d.Catalog.OpenMediaModel(model, c.who.Scope)
	if err != nil || mode == "" {
		if m == nil {
			return nil, err
		}
		return m.Operations, err
	}
	if o := m.Operation(mode); o != nil {
		return []media.Operation{*o}, nil
	}
	return nil, fault.New(fault.ModeNotSupported, "%s has no mode %.64q.", m.ID, mode).With("modes", m.Modes())
}

// fits reports whether an operation takes a file.
func fits(o *media.Operation, f *file.File) error {
	limit, ok := o.Accepts(f.Kind)
	if !ok {
		return fault.New(fault.UnsupportedFileFormat, "The mode %s takes no %s files.", o.Mode, f.Kind).With("content_type", f.Type)
	}
	if len(limit.Formats) > 0 && !slices.Contains(limit.Formats, f.Type) {
		return fault.New(fault.UnsupportedFileFormat, "The mode %s does not take %s.", o.Mode, f.Type).
			With("content_type", f.Type).With("allowed", limit.Formats)
	}
	if most := int64(limit.MB * (1 << 20)); most > 0 && f.Size > most {
		return fault.New(fault.FileTooLarge, "The mode %s takes files of at most %g MB.", o.Mode, limit.MB).
			With("limit", most).With("size", f.Size)
	}
	return nil
}

func toWireFile(f *file.File, address string) wireFile {
	return wireFile{
		ID: f.ID, Object: "file", Provider: "local", URL: address, Key: f.Blob, FileType: f.Kind, ContentType: f.Type, Size: f.Size,
		Filename: f.Name, SHA256: f.SHA256, Width: f.Width, Height: f.Height, Duration: f.Duration,
		CreatedAt: wire.Time(f.Created), ExpiresAt: wire.Time(f.Expires),
	}
}

func toOpenAIFile(f *file.File, purpose string) wireOpenAIFile {
	return wireOpenAIFile{
		ID: f.ID, Object: "file", Bytes: f.Size, CreatedAt: f.Created.Unix(), ExpiresAt: f.Expires.Unix(),
		Filename: f.Name, Purpose: purpose, Status: "processed",
	}
}

func toAnthropicFile(f *file.File) wireAnthropicFile {
	return wireAnthropicFile{
		ID: f.ID, Type: "file", Filename: f.Name, MIMEType: f.Type, SizeBytes: f.Size,
		CreatedAt: f.Created.UTC().Format(time.RFC3339),
	}
}
