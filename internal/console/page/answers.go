package page

import (
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"stele/internal/fault"
	"stele/internal/scope"
	"stele/internal/wire"
)

// NoPage is the answer of an address that leads nowhere.
func NoPage() *fault.Error { return fault.New(fault.NotFound, "There is no such page.") }

// Note hands the cause to the request's log line.
func Note(r *http.Request, e *fault.Error) {
	facts := []slog.Attr{slog.String("code", string(e.Code))}
	if e.Err != nil {
		facts = append(facts, slog.Any("error", e.Err))
	}
	scope.From(r.Context()).Note(facts...)
}

// DeedSentence is the sentence about what was just done. The query has the name of a deed, and of
// what it was done to; deeds and their sentences come in pairs.
func DeedSentence(r *http.Request, sentences ...string) string {
	q := r.URL.Query()
	for i := len(sentences) - 2; i >= 0; i -= 2 {
		if name := q.Get(sentences[i]); name != "" {
			return fmt.Sprintf(sentences[i+1], name)
		}
	}
	return ""
}

// FieldProblem takes apart an error that belongs beside a field of a form.
func FieldProblem(err error) (field, sentence string, ok bool) {
	e := fault.From(err)
	if e == nil || e.Code != fault.InvalidParameter {
		return "", "", false
	}
	field, ok = e.Details["field"].(string)
	return field, e.Message, ok
}

// TryAgain puts an error in words that a form shows: something was wrong, or the
// next try has to wait.
func TryAgain(w http.ResponseWriter, r *http.Request, err error) (status int, problem string, ok bool) {
	if err == nil {
		return 0, "", false
	}
	e := fault.From(err)
	switch e.Code {
	case fault.InvalidParameter, fault.PermissionDenied:
		Note(r, e)
		return http.StatusUnprocessableEntity, e.Message, true
	case fault.RateLimited:
		Note(r, e)
		wire.SetRetryAfter(w.Header(), e.RetryAfter)
		return http.StatusTooManyRequests, e.Message + " Try again " + Later(e.RetryAfter) + ".", true
	case fault.Unavailable:
		Note(r, e)
		wire.SetRetryAfter(w.Header(), e.RetryAfter)
		return http.StatusServiceUnavailable, e.Message, true
	}
	return 0, "", false
}

// WantsPage tells a browser from a program: programs get the native JSON body.
func WantsPage(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html") &&
		len(r.Header.Values("Authorization")) == 0 && len(r.Header.Values("X-Api-Key")) == 0
}

// WantsPart reports whether a script wants to put a part of the page in its place.
// Going back in the history wants all of it.
func WantsPart(r *http.Request) bool {
	return r.Header.Get("HX-Request") == "true" && r.Header.Get("HX-History-Restore-Request") != "true"
}

// WriteJSON answers a script.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone: nothing is left to tell
	return nil
}
