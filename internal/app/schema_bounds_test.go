package app

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"stele/internal/race"
)

// doubling is a schema whose definitions each name the one before twice.
func doubling(word string, levels int) map[string]any {
	definitions := map[string]any{"d0": map[string]any{"type": "integer"}}
	for i := 1; i <= levels; i++ {
		before := map[string]any{"$ref": fmt.Sprintf("#/$defs/d%d", i-1)}
		definitions[fmt.Sprintf("d%d", i)] = map[string]any{word: []any{before, before}}
	}
	return map[string]any{"$defs": definitions, "$ref": fmt.Sprintf("#/$defs/d%d", levels)}
}

// TestASchemaThatDoublesIsNotHeldAgainstAnAnswer would look a billion times.
func TestASchemaThatDoublesIsNotHeldAgainstAnAnswer(t *testing.T) { //nolint:paralleltest // memory is measured
	branches := map[string]any{"anyOf": []any{map[string]any{"$ref": "#"}, map[string]any{"$ref": "#"}}}
	deep := strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40)
	list := strings.Repeat(`[`, 40) + strings.Repeat(`]`, 40)
	for name, c := range map[string]struct {
		schema map[string]any
		said   string
	}{
		"anyOf": {doubling("anyOf", 30), `"x"`}, "oneOf": {doubling("oneOf", 30), `1`}, "allOf": {doubling("allOf", 30), `1`},
		"members":  {map[string]any{"properties": map[string]any{"a": branches}, "required": []any{"b"}}, deep},
		"items":    {map[string]any{"items": branches, "minItems": 1}, list},
		"patterns": {map[string]any{"patternProperties": map[string]any{"a": map[string]any{"$ref": "#"}, "a*": map[string]any{"$ref": "#"}}, "required": []any{"b"}}, deep},
		"contains": {map[string]any{"contains": map[string]any{"$ref": "#"}, "items": map[string]any{"$ref": "#"}}, list},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := checkAnswer(c.said, c.schema)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, errSchemaWork) {
			t.Errorf("%s: %v", name, err)
		}
		if made := after.TotalAlloc - before.TotalAlloc; made > 64<<20 {
			t.Errorf("%s: %d MB were made", name, made>>20)
		}
	}
	if err := checkAnswer(`{"a": {"a": {}}}`, map[string]any{"properties": map[string]any{"a": branches}}); err != nil {
		t.Errorf("a small one: %v", err)
	}
	many := `[` + strings.Repeat(`{"a":1,"b":[1,2,3]},`, 2000) + `{}]`
	item := map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "integer"}, "b": map[string]any{"items": map[string]any{"type": "integer"}}}}
	if err := checkAnswer(many, map[string]any{"type": "array", "items": item}); err != nil {
		t.Errorf("a large one: %v", err)
	}
}

// TestPatternsOfASchemaAreBounded in size, and in what they may take together.
func TestPatternsOfASchemaAreBounded(t *testing.T) {
	t.Parallel()
	race.Skip(t, "expressions take ten times as long")
	for _, pattern := range []string{strings.Repeat(".{900}", 50), strings.Repeat("a", 2000), "((a{30}){30}){30}"} {
		if _, err := compileSchema(map[string]any{"type": "string", "pattern": pattern}); err == nil {
			t.Errorf("accepted: %.40s", pattern)
		}
	}
	match, err := matchers()("x*y")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", 100_000) + "y"
	matched := 0
	for range 10_000 {
		if match.MatchString(text) {
			matched++
		}
	}
	if matched == 0 || matched > 100 {
		t.Errorf("it was matched %d times", matched)
	}
}
