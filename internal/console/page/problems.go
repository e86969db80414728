package page

import (
	"log/slog"
	"math"
	"net/http"
	"strconv"

	"stele/internal/fault"
	"stele/internal/scope"
)

func NoPage() *fault.Error { return fault.New(fault.NotFound, "There is no such page.") }

// Note hands the cause to the request's log line.
func Note(r *http.Request, e *fault.Error) {
	facts := []slog.Attr{slog.String("code", string(e.Code))}
	if e.Err != nil {
		facts = append(facts, slog.Any("error", e.Err))
	}
	scope.From(r.Context()).Note(facts...)
}

func RetryAfter(w http.ResponseWriter, e *fault.Error) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
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
		RetryAfter(w, e)
		return http.StatusTooManyRequests, e.Message + " Try again " + Later(e.RetryAfter) + ".", true
	case fault.Unavailable:
		Note(r, e)
		RetryAfter(w, e)
		return http.StatusServiceUnavailable, e.Message, true
	}
	return 0, "", false
}
