package playground

import (
	"bytes"
	"context"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/access"
	"stele/internal/chat"
	"stele/internal/console/page"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/scope"
)

// spelling is a request in one of the dialects of the public API.
type spelling struct {
	Name    string // the dialect's, for ids
	Label   string
	Path    string
	JSON    string
	Head    string // of the command, up to its body
	Losses  []shortfall
	Problem string // why the dialect cannot say it; the rest is then empty
}

// Marked is the body with its names, strings and values marked.
func (s spelling) Marked() template.HTML { return page.Highlight(s.JSON) }

// Command is the call as a line for a shell, marked alike.
func (s spelling) Command() template.HTML {
	return template.HTML(page.Escape(s.Head)) + page.Highlight(page.QuoteShell(s.JSON)) //nolint:gosec // both are escaped
}

var openaiName = openai.Codec{}.Name()

// spellings are the dialects, with what their codecs leave to those who know the address.
var spellings = []struct {
	codec dialect.Dialect
	label string
	under string
}{
	{openai.Codec{}, "OpenAI", "/api/v1"},
	{anthropic.Codec{}, "Anthropic", "/api"},
	{gemini.Codec{}, "Gemini", "/api"},
}

// spellPlayground shows a request as programs would send it to the public API.
func (c *Room) spellPlayground(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	req, err := readTalk(r)
	if err != nil {
		return err
	}
	const shown = 64 // bytes of marked text, in three dialects, for each byte of a request of small pieces
	if err := scope.From(r.Context()).Memory.Grow(r.Context(), shown*int64(len(req.Origin.Body))); err != nil {
		return err
	}
	talk, err := req.Conversation()
	if err != nil {
		return err
	}
	kept, err := c.findAttached(r.Context(), v.Principal().Workspace, talk)
	if err != nil {
		return err
	}
	var list []spelling
	for _, s := range spellings {
		said := spelling{Name: s.codec.Name(), Label: s.label}
		call, err := s.codec.EncodeRequest(c.withAddresses(talk, kept, said.Name), dialect.Upstream{Model: req.Model, Stream: true})
		if err != nil {
			said.Problem = fault.From(toPageError(err)).Message
			list = append(list, said)
			continue
		}
		said.Path, said.Losses = s.under+call.Path, shortfalls(append(slices.Clone(talk.Notes), call.Losses...))
		said.JSON = indent(ownIDs(call.Body, kept))
		said.Head = c.command(said.Path, call.Header)
		list = append(list, said)
	}
	return c.Fragment(w, r, http.StatusOK, "playground", "spellings", page.View{Visitor: &v, Data: list})
}

// command is a call as a line for a shell, up to its body.
func (c *Room) command(path string, header http.Header) string {
	words := []string{
		"curl -N " + page.QuoteShell(c.Root()+path), `-H "Authorization: Bearer $STELE_API_KEY"`, "-H " + page.QuoteShell("Content-Type: application/json"),
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		words = append(words, "-H "+page.QuoteShell(strings.ToLower(name)+": "+header.Get(name)))
	}
	return strings.Join(append(words, "-d "), " \\\n  ")
}

// deepestShown is how deep JSON is indented: each level adds to every line in it.
const deepestShown = 100

func indent(body []byte) string {
	if depthOf(body) > deepestShown {
		return string(body)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		return string(body)
	}
	return b.String()
}

// depthOf is how deep JSON is nested.
func depthOf(body []byte) (deepest int) {
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for _, err := d.ReadToken(); err == nil; _, err = d.ReadToken() {
		deepest = max(deepest, d.StackDepth())
	}
	return deepest
}

// findAttached finds the files that a conversation names, by their ids.
func (c *Room) findAttached(ctx context.Context, workspace string, talk *chat.Conversation) (map[string]*file.File, error) {
	kept := make(map[string]*file.File)
	for _, m := range talk.Messages {
		for _, p := range m.Parts {
			if p.Media == nil || p.Media.FileID == "" || c.Files == nil || kept[p.Media.FileID] != nil {
				continue
			}
			f, err := c.Files.File(ctx, workspace, p.Media.FileID)
			if err != nil {
				return nil, err
			}
			kept[f.ID] = f
		}
	}
	return kept, nil
}

var partKinds = map[string]chat.Kind{file.Image: chat.Image, file.Video: chat.Video, file.Audio: chat.Audio, file.Document: chat.Document}

// withAddresses gives the conversation with addresses in the place of file ids. The public
// API takes both, but codecs write ids only of the services they are for.
func (c *Room) withAddresses(talk *chat.Conversation, kept map[string]*file.File, name string) *chat.Conversation {
	if len(kept) == 0 {
		return talk
	}
	talk = talk.Clone()
	for i := range talk.Messages {
		for j := range talk.Messages[i].Parts {
			p := &talk.Messages[i].Parts[j]
			if p.Media == nil || kept[p.Media.FileID] == nil {
				continue
			}
			f := kept[p.Media.FileID]
			media := *p.Media
			media.Type, p.Media = f.Type, &media
			if name == openaiName && f.Kind != file.Image {
				p.Kind, media.FileID = chat.Document, foreignID(f.ID) // it takes no address of these
				continue
			}
			p.Kind, media.URL, media.FileID = partKinds[f.Kind], c.Files.Address(f), ""
		}
	}
	return talk
}

// foreignID is one of our file ids in the form that OpenAI's codec takes for one of
// OpenAI's; ownIDs turns it back.
func foreignID(id string) string { return "file-" + strings.TrimPrefix(id, "file_") }

func ownIDs(body []byte, kept map[string]*file.File) []byte {
	for id := range kept {
		body = bytes.ReplaceAll(body, []byte(`"`+foreignID(id)+`"`), []byte(`"`+id+`"`))
	}
	return body
}
