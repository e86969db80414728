package dialect

import (
	"strings"
	"testing"
	"time"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

func TestSchemasAreTranslatedUpToABound(t *testing.T) {
	t.Parallel()
	large := []byte(`{"type":"object","description":"` + strings.Repeat("x", mostSchemas/2) + `"}`)
	for name, talk := range map[string]*chat.Conversation{
		"tools":  {Tools: []chat.Tool{{Kind: chat.Function, Name: "a", Schema: large}, {Kind: chat.Function, Name: "b", Schema: large}}},
		"format": {Format: &chat.Format{Schema: append(large, make([]byte, mostSchemas/2)...)}},
	} {
		if _, _, err := WithModernSchemas(talk); err == nil || fault.From(err).Code != fault.InvalidParameter {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := WithModernSchemas(&chat.Conversation{Tools: []chat.Tool{{Kind: chat.Function, Name: "a", Schema: large}}}); err != nil {
		t.Error("one of them:", err)
	}
}

func TestPointersAreNotFollowedForEver(t *testing.T) {
	t.Parallel()
	p := PointersIn(jsonscan.Root([]byte(`{"a":{"b":[{"c/d":1}]}}`)))
	found := 0
	for range 10 * oftenEnough {
		if v, ok := p.Find("#/a/b/0/c~1d"); ok && string(v.Raw()) == "1" {
			found++
		}
	}
	if found < 50 || found > oftenEnough {
		t.Errorf("found %d times", found)
	}
	if _, ok := p.Find("#/a"); ok {
		t.Error("more was looked at than that is worth")
	}
}

// TestTypedSchemasDoNotGrow nests choices whose properties all of them share: each would stand there twice as often as the one around it.
func TestTypedSchemasDoNotGrow(t *testing.T) {
	t.Parallel()
	schema := `{"type":"string"}`
	for range 40 {
		schema = `{"type":"object","properties":{"a":` + schema + `},"anyOf":[{"required":["a"]},{"required":["a"]}]}`
	}
	schema = `{"type":"object","properties":{"x":` + schema + `}}`
	began := time.Now()
	out, changed := TypeSchema([]byte(schema))
	if changed || len(out) != len(schema) {
		t.Errorf("%d bytes of %d", len(out), len(schema))
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Error(took)
	}
}
