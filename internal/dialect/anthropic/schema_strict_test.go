package anthropic

import (
	"fmt"
	"strings"
	"testing"
)

// TestASchemaIsRewrittenWithBoundedWork counts what is looked at rather than time.
func TestASchemaIsRewrittenWithBoundedWork(t *testing.T) {
	t.Parallel()
	var keywords []string
	for i := range 20_000 {
		keywords = append(keywords, fmt.Sprintf(`"x-%d":1`, i))
	}
	nested := `{"type":"string"}`
	for range 12 { // each level would be written for each of its types
		nested = `{"type":["object","array","null","string"],"properties":{"a":` + nested + `}}`
	}
	for name, schema := range map[string]string{
		"types":    `{"type":[` + strings.TrimSuffix(strings.Repeat(`"string","null",`, 50_000), ",") + `],"description":"` + strings.Repeat("d", 300<<10) + `"}`,
		"keywords": `{"type":"object","properties":{},` + strings.Join(keywords, ",") + `}`,
		"nested":   nested,
	} {
		out, note, ok := toStrictSchema([]byte(schema))
		if len(out) > 4*len(schema)+1<<20 || len(note) > 4096 {
			t.Errorf("%s: %d bytes became %d, told in %d, %t", name, len(schema), len(out), len(note), ok)
		}
	}
	out, _, ok := toStrictSchema([]byte(`{"type":["string","null","string"],"minLength":1}`))
	if want := `{"anyOf":[{"type":"string","description":"{minLength: 1}"},{"type":"null"}]}`; !ok || string(out) != want {
		t.Errorf("%s, want %s", out, want)
	}
}
