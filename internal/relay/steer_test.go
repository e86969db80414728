package relay

import (
	"net/http"
	"testing"

	"stele/internal/access"
	"stele/internal/chat"
	"stele/internal/fault"
)

func TestAKeyOfFewModelsDoesNotSteerItsProvider(t *testing.T) {
	t.Parallel()
	narrow := access.Principal{Scope: access.Scope{Models: []string{"a"}}}
	for body, refused := range map[string]bool{
		`{"model":"a","models":["b"]}`: true, `{"model":"a","Fallbacks":["b"]}`: true, `{"extra_body":{"fallback_models":["b"]},"model":"a"}`: true,
		`{"model":"a","options":{"extra_body":{"models":[]}}}`: true, `{"model":"a","model_list":[]}`: true,
		`{"model":"a","messages":[{"role":"user","content":"models"}],"metadata":{"models":"x"}}`: false,
		`{"model":"a","fallback_credit_token":"x","modalities":["text"],"moderation":{}}`:         false,
	} {
		req := chat.NewRequest("a", false, chat.Origin{Body: []byte(body)}, nil)
		err := checkSteering(narrow, req)
		if (err != nil) != refused || err != nil && fault.From(err).Code.Status() != http.StatusForbidden {
			t.Errorf("%s: %v", body, err)
		}
		if err := checkSteering(access.Principal{}, req); err != nil {
			t.Errorf("a key of all models, %s: %v", body, err)
		}
	}
}
