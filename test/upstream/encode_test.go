package upstream

import (
	"encoding/json"
	"testing"
)

func TestEncodesAsTheStandardLibraryDoes(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		nil, true, 7, -1, 1.5, json.Number("1.50"), "", "plain <b> & more", "quotes \" and \\", "tab\t, line\n, \x00, \x7f", "Grüße \u2028 日本語", "bad \xff",
		[]any(nil), []any{}, []any{1, "a", nil, []any{false}}, object(nil), object{}, object{"b": 1, "a": object{"é": []any{}}, "c": nil},
		[]doc{{"z", 1}}, []string{"a", "\n"}, map[string]string{"b": "2", "a": "<"},
	} {
		if got, want := string(encode(v)), string(standard(v)); got != want {
			t.Errorf("%#v is %s, not %s", v, got, want)
		}
	}
	if got := string(encode(doc{"z", 1, "a", doc{}, "l", []any{doc{"é", "\n"}}})); got != `{"z":1,"a":{},"l":[{"é":"\n"}]}` {
		t.Error(got)
	}
}
