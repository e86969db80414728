package gemini

import (
	"testing"

	"stele/internal/jsonscan"
)

// TestPiecesOfACallAreAlwaysJSON puts values at paths of every sort.
func TestPiecesOfACallAreAlwaysJSON(t *testing.T) {
	t.Parallel()
	for _, paths := range [][]string{
		{"$.a", "$.a.b", "$.a[0]"}, {"$.a[0]", "$.a.b", "$.a[1]", "$.a[9]"}, {"$", "$.", "$..", "$[", "$[]", "$['", "$['a", "$['a'", "$['a']", `$["b\"c"]`, "a", ""},
		{"$[0]", "$.a"}, {"$.a[-1]", "$.a[x]", "$.a[99999999999999999999]"}, {"$.a.b.c", "$.a"},
	} {
		var g gathering
		for _, path := range paths {
			for _, value := range []string{`"stringValue":"x"`, `"numberValue":1`, `"nullValue":"NULL_VALUE"`} {
				var w wirePart
				w.read(jsonscan.At([]byte(`{"functionCall":{"name":"","partialArgs":[{"jsonPath":`+string(jsonscan.AppendText(nil, path))+`,`+value+`}],"willContinue":true}}`), 0))
				g.take(&w)
			}
		}
		if p := g.end(true); !jsonscan.Valid([]byte(p.Text), jsonscan.Strict) {
			t.Errorf("%q: %s", paths, p.Text)
		}
	}
}
