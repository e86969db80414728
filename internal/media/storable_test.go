package media

import (
	"strings"
	"testing"

	"stele/internal/fault"
)

// A text with a NUL is a text: the refusal says what is wrong with it.
func TestRefusalNamesNUL(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"model":"m","prompt":"a\u0000b"}`, `{"model":"m\u0000"}`, `{"model":"m","mode":"\u0000"}`,
		`{"model":"m","image_urls":["a","\u0000"]}`, `{"model":"m","webhook_url":"https://x/\u0000"}`,
	} {
		fields, err := Fields([]byte(body))
		if err == nil {
			_, err = Parse(fields)
		}
		if e := fault.From(err); e == nil || e.Code != fault.InvalidRequestBody || !strings.Contains(e.Message, "U+0000") {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, p := range []Parameter{{Name: "title", Type: "string"}, {Name: "shape", Type: "string", Values: []any{"1:1"}}} {
		_, err := p.checkSingle("a\x00b")
		if e := fault.From(err); e == nil || e.Code != fault.InvalidParameter || !strings.Contains(e.Message, "U+0000") {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}
