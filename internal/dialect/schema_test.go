package dialect

import (
	"strings"
	"testing"

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
