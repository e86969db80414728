package gemini

import (
	"strconv"
	"testing"

	"stele/internal/jsonscan"
)

// TestPiecesOfACallAreWholeOrSeenNotToBe puts values at paths of every sort. Arguments of
// which a value had no place are no JSON: nobody takes them for what the model meant.
func TestPiecesOfACallAreWholeOrSeenNotToBe(t *testing.T) {
	t.Parallel()
	many := make([]string, mostValues+1)
	for i := range many {
		many[i] = "$.a" + strconv.Itoa(i)
	}
	for _, c := range []struct {
		paths []string
		whole bool
	}{
		{[]string{"$.a", "$.b.c", "$.b['d e'][0]", "$.b['d e'][1].f", `$["b\"c"]`, "$.b.c"}, true},
		{[]string{"$.a", "$.a.b"}, false}, {[]string{"$.a[0]", "$.a.b"}, false}, {[]string{"$.a[0]", "$.a[9]"}, false}, {[]string{"$.a.b.c", "$.a"}, false},
		{[]string{"$[0]"}, false}, {[]string{"$."}, false}, {[]string{"$.."}, false}, {[]string{"$["}, false}, {[]string{"$[]"}, false}, {[]string{"$['"}, false},
		{[]string{"$['a"}, false}, {[]string{"$['a'"}, false}, {[]string{"a"}, false}, {[]string{""}, false},
		{[]string{"$.a[-1]"}, false}, {[]string{"$.a[x]"}, false}, {[]string{"$.a[99999999999999999999]"}, false},
		{many[:mostValues], true}, {many, false},
	} {
		var g gathering
		for _, path := range c.paths {
			for _, value := range []string{`"stringValue":"x"`, `"numberValue":1`, `"nullValue":"NULL_VALUE"`} {
				var w wirePart
				w.read(jsonscan.At([]byte(`{"functionCall":{"name":"","partialArgs":[{"jsonPath":`+string(jsonscan.AppendText(nil, path))+`,`+value+`}],"willContinue":true}}`), 0))
				g.take(&w)
			}
		}
		if p := g.end(true); jsonscan.Valid([]byte(p.Text), jsonscan.Strict) != c.whole {
			t.Errorf("%.60q: %.200s", c.paths, p.Text)
		}
	}
}
