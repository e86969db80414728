package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
)

// TestAFieldInOtherLettersIsRefused tries every field that a dialect looks at, in the
// spellings that readers without regard to case take for it.
func TestAFieldInOtherLettersIsRefused(t *testing.T) {
	t.Parallel()
	for _, d := range []struct {
		codec dialect.Dialect
		known *dialect.Known
		body  string
	}{
		{openai.Codec{}, openai.Fields(), `{"model":"small","messages":[]%s}`},
		{anthropic.Codec{}, anthropic.Fields(), `{"model":"small","messages":[]%s}`},
		{gemini.Codec{}, gemini.Fields(), `{"contents":[]%s}`},
	} {
		try := func(more string) error {
			_, err := d.codec.DecodeRequest(dialect.Incoming{Model: "small", Body: fmt.Appendf(nil, d.body, more)})
			return err
		}
		if err := try(`,"some_Other":1,"Модель":2,"maximum":3,"model_":4`); err != nil {
			t.Errorf("%s refuses what it does not know: %v", d.codec.Name(), err)
		}
		for _, name := range d.known.Names() {
			for _, spelled := range []string{
				strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:], name[:len(name)-1] + strings.ToUpper(name[len(name)-1:]),
				strings.Replace(name, "s", "ſ", 1), strings.Replace(name, "k", "\u212a", 1), strings.Replace(strings.ToUpper(name), "S", `\u017f`, 1),
			} {
				if spelled == name {
					continue
				}
				for _, more := range []string{`,"%s":"big"`, `,"extra_body":{"%s":"big"}`, `,"options":{"%s":null}`} {
					e := fault.From(try(fmt.Sprintf(more, spelled)))
					if e == nil || e.Code != fault.InvalidParameter || e.Details["field"] == nil {
						t.Errorf("%s takes %s: %v", d.codec.Name(), fmt.Sprintf(more, spelled), e)
					}
				}
			}
		}
	}
}
