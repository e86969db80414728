package console

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/scope"
	"stele/internal/wire"
)

// answer is the only place that answers an error: with a page for people, with
// the native body for programs. A person who is not signed in is shown the way.
func (c *Console) answer(w http.ResponseWriter, r *http.Request, err error) {
	e := fault.From(err)
	status := e.Status()
	page.Note(r, e)
	wire.SetRetryAfter(w.Header(), e.RetryAfter)
	if e.Code == fault.SessionRequired {
		fromPart := r.Header.Get("HX-Request") == "true"
		if current, err := url.Parse(r.Header.Get("HX-Current-URL")); fromPart && err == nil {
			// A part of a page was asked for: sign-in must take the place of the whole page.
			next := strings.TrimPrefix(current.RequestURI(), c.Base())
			w.Header().Set("HX-Redirect", c.Base()+"/console/signin?next="+url.QueryEscape(next))
		} else if page.WantsPage(r) && r.Method != http.MethodPost {
			_ = c.Redirect(w, r, "/console/signin?next="+url.QueryEscape(r.URL.RequestURI()))
			return
		}
		// Not Bearer: no key opens this. Browsers ignore a scheme they do not know.
		w.Header().Set("WWW-Authenticate", "Session")
	}
	if page.WantsPage(r) {
		if err = c.Render(w, r, status, "notice", page.View{Title: headline(e.Code), Data: e}); err == nil {
			return
		}
		c.log.LogAttrs(r.Context(), slog.LevelError, "notice page not rendered", slog.Any("error", err))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(e.Envelope(scope.From(r.Context()).ID)) // the client has gone: nothing is left to tell
}

func headline(code fault.Code) string {
	return cmp.Or(map[int]string{
		http.StatusUnauthorized:        "Your session has ended",
		http.StatusForbidden:           "Not allowed",
		http.StatusNotFound:            "Not found",
		http.StatusMethodNotAllowed:    "Nothing to see here",
		http.StatusInternalServerError: "Something went wrong",
	}[code.Status()], "That did not work")
}

func stack() string { return string(debug.Stack()) }
