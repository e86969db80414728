package dialect

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// ReadStray is the status of an error that stands in a stream in another form than its dialect's: what a
// proxy or a server's own framework says, {"detail": …}, {"message": …}, {"error": "…"}, a list of one, or words
// under the name of an error. It is false for what is part of an answer, and for {"error": {…}}, which codecs read themselves.
func ReadStray(frame wire.Frame) (status int, stray bool) {
	event := string(frame.Event)
	named := event == "error"
	if event != "" && event != "message" && !named { // such as of a server that tells how long its queue is
		return 0, false
	}
	if !jsonscan.Valid(frame.Data, jsonscan.Lenient) {
		return http.StatusBadGateway, named
	}
	root := jsonscan.At(frame.Data, 0)
	listed := root.Kind() == jsonscan.Array
	if listed {
		root = root.Index(0)
	}
	_, message := Complaint(root)
	switch {
	case isOfAnswer(root) && !failsAtBase(root), !listed && root.Get("error").Kind() == jsonscan.Object, message == "" && !named:
		return 0, false
	}
	return cmp.Or(StatusIn(root), http.StatusBadGateway), true
}

// failsAtBase reports whether an answer that holds nothing says why in base_resp: MiniMax's has all members of one.
func failsAtBase(root jsonscan.Value) bool {
	code, ok := root.Get("base_resp", "status_code").Int()
	return ok && code != 0 && root.Get("choices").Len() == 0
}

// isOfAnswer reports whether a frame has what only frames of answers have, in any dialect.
func isOfAnswer(root jsonscan.Value) bool {
	for key, v := range root.Members() {
		switch key.Name {
		case "choices", "candidates", "usage", "usageMetadata", "usage_metadata", "promptFeedback", "prompt_feedback", "delta", "content_block":
			if !v.Absent() {
				return true
			}
		case "message":
			if v.Kind() == jsonscan.Object && !v.Get("role").Absent() {
				return true
			}
		case "object":
			if strings.HasPrefix(v.View(), "chat.") {
				return true
			}
		}
	}
	return false
}

// ownNames are what errors call themselves, and the statuses that go with it.
var ownNames = []struct {
	status int
	signs  []string
}{
	{http.StatusTooManyRequests, []string{"rate_limit", "rate limit", "ratelimit", "too many requests", "quota", "resource_exhausted"}},
	{http.StatusServiceUnavailable, []string{"overloaded", "unavailable", "slow_down"}},
	{http.StatusGatewayTimeout, []string{"timeout", "deadline_exceeded"}},
	{http.StatusUnauthorized, []string{"api_key", "authentication", "unauthenticated", "permission"}},
	{http.StatusNotFound, []string{"model_not_found"}},
	{http.StatusBadRequest, []string{"invalid_request", "invalid_argument", "context_length", "badrequest"}},
}

// ofBaseResp are the statuses that go with the codes by which MiniMax says with 200 that it has no answer.
var ofBaseResp = map[string]int{
	"1001": http.StatusGatewayTimeout, "1002": http.StatusTooManyRequests, "1004": http.StatusUnauthorized, "1008": http.StatusPaymentRequired,
	"1026": http.StatusBadRequest, "1027": http.StatusBadRequest, "1039": http.StatusTooManyRequests, "1041": http.StatusTooManyRequests,
	"2013": http.StatusBadRequest, "2049": http.StatusUnauthorized,
}

// How errors of a server's, whatever their status, say that it has too much to do, or that their sender has asked too often.
var (
	BusySigns  = []string{"overloaded", "slow_down", "queue is full"}
	LimitSigns = []string{"rate_limit_error", "rate_limit_exceeded", "rate limit exceeded", "too many requests"}
)

// SaysBusy reports whether an error says that its server, and not the one who asked, has too much to do.
// Z.ai, Moonshot, and Novita say that with 429 too.
func SaysBusy(status int, said string) bool {
	return status >= http.StatusInternalServerError && Says(said, BusySigns...) ||
		status == http.StatusTooManyRequests && Says(said, "overloaded", "server_overload", "server overload")
}

// StatusInWords is the status that goes with what an error calls itself; 0: it does not say.
func StatusInWords(said string) int {
	for _, w := range ownNames {
		if Says(said, w.signs...) {
			return w.status
		}
	}
	return 0
}

// StatusIn is the status that an error names somewhere in itself, as a number or in words; 0: it does not say.
func StatusIn(root jsonscan.Value) int {
	inner, message := Complaint(root)
	for _, v := range []jsonscan.Value{inner, root} {
		for _, name := range []string{"code", "status", "status_code", "statusCode", "http_code"} {
			n, err := strconv.Atoi(cmp.Or(v.Get(name).View(), string(v.Get(name).Raw())))
			if err == nil && n >= http.StatusBadRequest && n <= 599 {
				return n
			}
		}
	}
	if status := ofBaseResp[string(root.Get("base_resp", "status_code").Raw())]; status != 0 {
		return status
	}
	said := []string{inner.Get("type").View(), inner.Get("code").View(), inner.Get("status").View()}
	if status := StatusInWords(strings.Join(said, " ")); status != 0 {
		return status
	}
	if status := StatusInWords(message); slices.Contains([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}, status) {
		return status
	}
	return 0
}
