package blueprint

import (
	"encoding/json"
	"testing"
)

func TestPathsLeadToValues(t *testing.T) {
	t.Parallel()
	const doc = `{"a":{"b":[{"c":1},{"c":2},{"d":3}]},"s":"text","n":null,"nodes":{"10":{"f":"ten"},"9":{"f":"nine"}},"m":[[1,"x"],[2,"y"]],"t":true,"big":12345678}`
	var v any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"s": `["text"]`, "a.b[0].c": `[1]`, "a.b[*].c": `[1,2]`, "a.b[9].c": `null`, "n": `null`, "nope.x": `null`, "s.x": `null`, "s[0]": `null`,
		"nodes[*].f": `["nine","ten"]`, "nodes.10.f": `["ten"]`, "m[*][1]": `["x","y"]`, "m[1][0]": `[2]`, "t": `[true]`, "a[*]": `[[{"c":1},{"c":2},{"d":3}]]`,
	} {
		p, err := parsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got, err := json.Marshal(p.all(v))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if p, _ := parsePath("big"); p.text(v) != "12345678" {
		t.Errorf("a number as text: %s", p.text(v))
	}
}

func TestPathsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", ".", "a.", ".a", "a..b", "a[", "a]", "a[x]", "a[-1]", "a[1]b", "a[0].", "a[0].[1]", "a[99999]"} {
		if p, err := parsePath(text); err == nil {
			t.Errorf("%q is %v", text, p)
		}
	}
}

func FuzzPaths(f *testing.F) {
	for _, text := range []string{"a.b[0][*].c[]", "[*]", "{id}.x", "a[63]"} {
		f.Add(text, `{"a":{"b":[[1]]}}`)
	}
	f.Fuzz(func(t *testing.T, text, doc string) {
		p, err := parsePath(text)
		if err != nil {
			return
		}
		var v any
		if json.Unmarshal([]byte(doc), &v) != nil {
			return
		}
		p.all(v)
		if p.writes() {
			if out, err := p.put(v, "new"); err == nil && p.reads() {
				if got, ok := p.one(out); !ok || got != "new" {
					t.Errorf("%q written into %s is %v", text, doc, got)
				}
			}
		}
	})
}

// Numbers that no answer can mean are none: what is kept of an order must be told again.
func TestAbsurdNumbersAreNone(t *testing.T) {
	t.Parallel()
	n, err := parsePath("n")
	if err != nil {
		t.Fatal(err)
	}
	for _, told := range []any{"NaN", "nan", "Inf", "-Infinity", "+Inf", "1e400", -1.0, "-5", 1e300, "1e300", "0x1p300", nil, true, []any{}} {
		rule := Output{Width: route{n}, Height: route{n}, Duration: route{n}}
		o := rule.output(&ticket{}, map[string]any{"n": told}, nil, "image/png")
		if o.Width != 0 || o.Height != 0 || o.Duration != 0 {
			t.Errorf("%v is %d × %d, %g seconds", told, o.Width, o.Height, o.Duration)
		}
	}
}
