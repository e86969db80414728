package api

import (
	"net/http/httptest"
	"testing"
)

// A value that cannot stand in a line is net/http's, which knows what to do with it.
func TestALineHoldsPrintableASCIIAlone(t *testing.T) {
	t.Parallel()
	for value, line := range map[string]bool{"local/gpt-4.1": true, "": true, "a b~": true, "a\r\nSet-Cookie: b": false, "ä": false, "a\x7f": false, "a\tb": false} {
		w := &takesLines{ResponseWriter: httptest.NewRecorder()}
		headOf(&startedWriter{ResponseWriter: w}).set("X-Name", value)
		if got := string(w.lines); line != (got == "X-Name: "+value+"\r\n") || line == (w.Header()["X-Name"] != nil) {
			t.Errorf("%q: lines %q, header %v", value, got, w.Header())
		}
	}
}
