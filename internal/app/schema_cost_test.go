package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// doubling is a schema of so many definitions that each name the one before twice.
func doubling(t *testing.T, word string, n int) map[string]any {
	t.Helper()
	defs := []string{`"d0":{"type":"string"}`}
	for i := 1; i <= n; i++ {
		defs = append(defs, fmt.Sprintf(`"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, word, i-1, i-1))
	}
	return schemaOf(t, fmt.Sprintf(`{"$ref":"#/$defs/d%d","$defs":{%s}}`, n, strings.Join(defs, ",")))
}

func schemaOf(t *testing.T, text string) (schema map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestAnAnswerIsCheckedWithBoundedWork(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		if _, err := answer(`5`, doubling(t, word, 40)); err == nil || !strings.Contains(err.Error(), "too much work") {
			t.Errorf("%s: %v", word, err)
		}
	}
	// It doubles with each level of the answer.
	loop := schemaOf(t, `{"$defs":{"a":{"anyOf":[{"properties":{"x":{"$ref":"#/$defs/a"}}},{"properties":{"x":{"$ref":"#/$defs/a"},"y":{"type":"string"}}}]}},"$ref":"#/$defs/a"}`)
	deep := strings.Repeat(`{"x":`, 60) + "1" + strings.Repeat("}", 60)
	if _, err := answer(deep, loop); err == nil || !strings.Contains(err.Error(), "too much work") {
		t.Errorf("a loop: %v", err)
	}
	// What people write is fine, also when it is large.
	tree := schemaOf(t, `{"$defs":{"n":{"type":"object","properties":{"l":{"$ref":"#/$defs/n"},"r":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`)
	if _, err := answer(strings.Repeat(`{"l":`, 400)+"{}"+strings.Repeat("}", 400), tree); err != nil {
		t.Errorf("a deep tree: %v", err)
	}
	list := schemaOf(t, `{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a"]}}`)
	if _, err := answer("["+strings.Repeat(`{"a":"x","b":null},`, 9999)+`{"a":"x"}]`, list); err != nil {
		t.Errorf("a long list: %v", err)
	}
	if _, err := answer(`"x"`, doubling(t, "anyOf", 10)); err != nil {
		t.Errorf("ten levels: %v", err)
	}
}
