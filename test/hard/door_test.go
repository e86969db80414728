package hard

import (
	"net/http"
	"strings"
	"testing"
)

func TestHard258AModelWithSlashAndColon(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, path := range []string{"vendor/m:free:generateContent", "vendor%2Fm%3Afree:generateContent", "models/vendor/m:free:generateContent"} {
		if a := s.Post(t, geminiPath+path, s.Key, plainG); a.Status != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
}

func TestHard260ADummyGoogleKeyBesideAGoodOne(t *testing.T) {
	t.Parallel()
	s := open(t)
	a := s.send(t, geminiPath+"g:generateContent", plainG, map[string]string{"X-Goog-Api-Key": "dummy", "Authorization": "Bearer " + s.Key})
	if a.Status != http.StatusOK {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// TestHard262AKeyInTheAddressIsNotRead also has the house check, when it stops,
// that the key was never told.
func TestHard262AKeyInTheAddressIsNotRead(t *testing.T) {
	t.Parallel()
	s := open(t)
	a := s.send(t, geminiPath+"g:generateContent?key="+s.Key, plainG, nil)
	if a.Status != http.StatusUnauthorized || !strings.Contains(a.Body, "Authorization") || strings.Contains(a.Body, s.Key) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

func TestHard264TwoListsOfModels(t *testing.T) {
	t.Parallel()
	s := open(t)
	if a := s.Get(t, "/api/v1/models", s.Key); !strings.Contains(a.Body, `"object":"list"`) {
		t.Error(a.Body)
	}
	r := s.Request(t, "GET", "/api/v1/models")
	r.Header.Set("X-Api-Key", s.Key)
	r.Header.Set("Anthropic-Version", "2023-06-01")
	a, err := s.Send(r)
	if err != nil || !strings.Contains(a.Body, `"has_more"`) || !strings.Contains(a.Body, `"display_name"`) {
		t.Error(a.Body, err)
	}
}

func TestHard266CountTokensIsNotServed(t *testing.T) {
	t.Parallel()
	s := open(t)
	a := s.Post(t, messagesPath+"/count_tokens", s.Key, plainA("a", ""))
	if a.Status != http.StatusNotFound || !strings.Contains(a.Body, `"type":"error"`) || !strings.Contains(a.Body, "not_found_error") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
