package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Long heads are refused beyond what they may take together, and short ones never.
func TestLongHeadsAreCounted(t *testing.T) {
	t.Parallel()
	made := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
	ask := func(h heads, length int) (*exchange, *httptest.ResponseRecorder, bool) {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader("x"))
		r.Header.Set("X-A", strings.Repeat("h", length))
		x := newExchange(w, r, standard)
		return x, w, h.admit(x, r)
	}
	h := newHeads()
	var open []*exchange
	for {
		x, w, ok := ask(h, 60<<10)
		if !ok {
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !x.hasty {
				t.Errorf("refused with %d, %v", w.Code, w.Header())
			}
			break
		}
		if open = append(open, x); len(open) > 1000 {
			t.Fatal("a thousand long heads are taken")
		}
	}
	if _, _, ok := ask(h, 100); !ok || len(open) < 100 {
		t.Errorf("beside %d long heads a short one is taken: %t", len(open), ok)
	}
	h.leave(open[0], made)
	if x, _, ok := ask(h, 60<<10); !ok {
		t.Error("there is no room although one has left")
	} else {
		open = append(open, x)
	}
	for _, x := range open {
		h.leave(x, made)
		h.leave(x, made) // twice is once
	}
	if made.Header != nil {
		t.Error("the request net/http keeps has its long head still")
	}
	if h.bytes.Taken() != 0 {
		t.Errorf("%d bytes are held by none", h.bytes.Taken())
	}
}
