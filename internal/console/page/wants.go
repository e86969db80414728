package page

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

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

func WriteJSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone: nobody is left to tell
	return nil
}
