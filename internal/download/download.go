// Package download is the door for signed addresses: the holder of one reads the
// file behind it, with ranges, and nothing in a file can run on this origin. It
// looks at no API key and no session, and must not know where the bytes lie.
package download

import (
	"errors"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/scope"
	"stele/internal/wire"
)

// policy keeps a file from being more than what is seen of it: no scripts, no
// plugins, no forms, an origin of its own.
const policy = "sandbox; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

// playing is the policy of films and sound. A browser that opens one by itself
// plays it in a page of its own making, which reads the film from this very
// origin, and no other may. Scripts stay forbidden.
const playing = "sandbox allow-same-origin; default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

// Door serves everything under /files/.
type Door struct{ files *file.Service }

// New makes the door.
func New(files *file.Service) *Door { return &Door{files} }

// ServeHTTP checks the signature and gives the file.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	scope.From(r.Context()).SetRoute(file.Under + "{id}/{name}")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, r, http.StatusMethodNotAllowed, "This address can only be read.")
		return
	}
	id, _, named := strings.Cut(strings.TrimPrefix(r.URL.Path, file.Under), "/")
	query := r.URL.Query()
	err := d.files.Verify(id, query.Get("exp"), query.Get("sig"))
	switch {
	case errors.Is(err, file.ErrExpired):
		refuse(w, r, http.StatusForbidden, "This link has expired. Ask whoever gave it to you for a new one.")
		return
	case err != nil || !named:
		refuse(w, r, http.StatusForbidden, "This link is not valid: it was changed, or it is not complete.")
		return
	}
	f, err := d.files.File(r.Context(), "", id)
	if err == nil && !d.files.Now().Before(f.Expires) {
		err = fs.ErrNotExist // deleted or too old, and only kept for work that is made from it
	}
	if err == nil {
		err = d.serve(w, r, f, query.Get("exp"))
	}
	if err == nil {
		return
	}
	if errors.Is(err, fs.ErrNotExist) || fault.From(err).Code == fault.FileNotFound {
		refuse(w, r, http.StatusNotFound, "The file is not here any more.")
		return
	}
	scope.From(r.Context()).Note(slog.Any("error", err))
	if errors.Is(err, file.ErrDamaged) {
		refuse(w, r, http.StatusInternalServerError, "The file is damaged: what is here is not what was kept.")
		return
	}
	wire.SetRetryAfter(w.Header(), 5*time.Second)
	refuse(w, r, http.StatusServiceUnavailable, "The file cannot be read right now. Try again in a moment.")
}

// serve answers with the file, or a part of it. An error means that nothing was
// written yet.
func (d *Door) serve(w http.ResponseWriter, r *http.Request, f *file.File, exp string) error {
	if unit, _, _ := strings.Cut(r.Header.Get("Range"), "="); !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		r.Header.Del("Range") // of another unit, which is as if there were none (RFC 9110, 14.2)
	}
	bytes := &span{ctx: r.Context(), files: d.files, file: f}
	defer bytes.close()
	if r.Method == http.MethodGet && r.Header.Get("Range") == "" {
		if err := bytes.open(); err != nil { // while the answer can still say so
			return err
		}
	}
	h := w.Header()
	protect(h)
	if f.Kind == file.Video || f.Kind == file.Audio {
		h.Set("Content-Security-Policy", playing)
	}
	h.Set("Content-Type", contentType(f.Type))
	h.Set("Content-Disposition", disposition(f))
	h.Set("ETag", `"`+f.SHA256+`"`)
	h.Set("Cache-Control", "private, max-age="+strconv.FormatInt(d.seconds(exp), 10)+", immutable")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // pages elsewhere may show it: they hold the address
	http.ServeContent(w, r, "", f.Created, bytes)
	if bytes.err != nil {
		scope.From(r.Context()).Note(slog.Any("error", bytes.err))
		panic(http.ErrAbortHandler) // half a file must not look like one, nor a damaged one like a good one
	}
	return nil
}

// seconds is how long the address still holds.
func (d *Door) seconds(exp string) int64 {
	until, _ := strconv.ParseInt(exp, 10, 64) // the signature covers it
	return max(0, until-d.files.Now().Unix())
}

// protect says what every answer of this door says.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex")
}

func contentType(t string) string {
	if t == "text/plain" {
		return t + "; charset=utf-8"
	}
	return t
}

// disposition lets browsers show what can do no harm and save the rest.
func disposition(f *file.File) string {
	way := "attachment"
	if f.Kind != file.Document && f.Type != "image/svg+xml" {
		way = "inline"
	}
	if text := mime.FormatMediaType(way, map[string]string{"filename": f.Name}); text != "" {
		return text
	}
	return way
}

// refuse answers with a sentence for the person who followed the link.
func refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	h := w.Header()
	protect(h)
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(text + "\n"))
	}
}
