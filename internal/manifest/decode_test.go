package manifest_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stele/internal/manifest"
)

func TestDecodesEverySortOfValue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		src  string
		want kitchen
	}{
		"nothing":                    {"", kitchen{}},
		"only a comment":             {"# nothing\n", kitchen{}},
		"only a header":              {"---\n", kitchen{}},
		"byte order mark":            {"\ufeffname: a\n", kitchen{Name: "a"}},
		"windows lines":              {"name: a\r\ncount: 2\r\n", kitchen{Name: "a", Count: 2}},
		"document end":               {"---\nname: a\n...\n", kitchen{Name: "a"}},
		"plain text":                 {"name: some words", kitchen{Name: "some words"}},
		"quoted text":                {`name: "a\tb"`, kitchen{Name: "a\tb"}},
		"block text":                 {"name: |\n  one\n  two\ncount: 1", kitchen{Name: "one\ntwo\n", Count: 1}},
		"ratio stays text":           {"name: 16:9", kitchen{Name: "16:9"}},
		"on and off stay text":       {"tags: [on, off, yes, no, y]", kitchen{Tags: []string{"on", "off", "yes", "no", "y"}}},
		"underscore stays text":      {"name: 1_000", kitchen{Name: "1_000"}},
		"binary stays text":          {"name: 0b11", kitchen{Name: "0b11"}},
		"quoted number is text":      {"name: '12'", kitchen{Name: "12"}},
		"bool":                       {"on: True", kitchen{On: true}},
		"whole number":               {"count: -3", kitchen{Count: -3}},
		"leading nought is decimal":  {"count: 010", kitchen{Count: 10}},
		"octal":                      {"count: 0o17", kitchen{Count: 15}},
		"hex":                        {"port: 0x1F", kitchen{Port: 31}},
		"float":                      {"price: 3.75", kitchen{Price: 3.75}},
		"float from a whole number":  {"price: 3", kitchen{Price: 3}},
		"float with exponent":        {"price: 1e3", kitchen{Price: 1000}},
		"pointer":                    {"maybe: 0", kitchen{Maybe: new(0.0)}},
		"pointer to nothing":         {"maybe:", kitchen{}},
		"duration":                   {"wait: 720h", kitchen{Wait: 720 * time.Hour}},
		"duration nought":            {"wait: 0", kitchen{}},
		"size":                       {"limit: 32MB", kitchen{Limit: 32 << 20}},
		"size in bytes":              {"limit: 65536", kitchen{Limit: 65536}},
		"text unmarshaler":           {"net: 10.0.0.0/8", kitchen{Net: netip.MustParsePrefix("10.0.0.0/8")}},
		"block list":                 {"tags:\n- a\n- b\n", kitchen{Tags: []string{"a", "b"}}},
		"empty list":                 {"tags: []", kitchen{Tags: []string{}}},
		"map":                        {"flags: {a: true, b: false, c: }", kitchen{Flags: map[string]bool{"a": true, "b": false}}},
		"embedded struct":            {"inner: {heat: 3}", kitchen{Inner: struct{ oven }{oven{3}}}},
		"pointer to a struct":        {"deep: {retries: 1}", kitchen{Deep: &dish{Retries: 1}}},
		"numbers as keys":            {"flags: {1: true, 2.5: true, true: true}", kitchen{Flags: map[string]bool{"1": true, "2.5": true, "true": true}}},
		"variable":                   {"name: say ${WORD}!", kitchen{Name: "say hello!"}},
		"variable in quotes":         {"tags: ['${WORD}', \"${NUMBER}\"]", kitchen{Tags: []string{"hello", "42"}}},
		"variable as a number":       {"count: ${NUMBER}\nprice: ${NUMBER}", kitchen{Count: 42, Price: 42}},
		"variable as a number, text": {"name: ${NUMBER}", kitchen{Name: "42"}},
		"variable as a bool":         {"on: ${TRUE}", kitchen{On: true}},
		"empty variable":             {"name: ${EMPTY}", kitchen{}},
		"escaped variable":           {"name: $${WORD} ${WORD}", kitchen{Name: "${WORD} hello"}},
		"no variable without braces": {"name: $WORD $ {WORD}", kitchen{Name: "$WORD $ {WORD}"}},
		"no expansion of expansions": {"name: ${NESTED}", kitchen{Name: "${WORD}"}},
		"no expansion in keys":       {"flags: {'${WORD}': true}", kitchen{Flags: map[string]bool{"${WORD}": true}}},
		"two forms": {
			"targets:\n- a/b/c\n- {provider: d, model: e}\n",
			kitchen{Targets: []target{{"a", "b/c"}, {"d", "e"}}},
		},
		"order kept": {
			"dishes:\n  z: {retries: 1}\n  a.b/c: {retries: 2}\n  m:\n",
			kitchen{Dishes: ordered[dish]{{"z", dish{Retries: 1}}, {"a.b/c", dish{Retries: 2}}, {"m", dish{}}}},
		},
		"raw": {
			"raw: {a: [1, 2.5, x, true, ~], b: {c: 9223372036854775808}}",
			kitchen{Raw: map[string]any{
				"a": []any{int64(1), 2.5, "x", true, nil},
				"b": map[string]any{"c": 9223372036854775808.0},
			}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got kitchen
			if err := decode(tt.src, &got).Err(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(kitchen{}.Inner), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAbsentAndNullLeaveDefaults(t *testing.T) {
	t.Parallel()
	got := kitchen{Name: "kept", Count: 5, Tags: []string{"a", "b"}, Inner: struct{ oven }{oven{7}}}
	if err := decode("name: ~\ntags: [c]\ninner: {}\n", &got).Err(); err != nil {
		t.Fatal(err)
	}
	if got.Name != "kept" || got.Count != 5 || got.Inner.Heat != 7 {
		t.Errorf("defaults lost: %+v", got)
	}
	if diff := cmp.Diff([]string{"c"}, got.Tags); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutEnvVariablesStayAsWritten(t *testing.T) {
	t.Parallel()
	var got kitchen
	doc := manifest.Decode("f.yaml", []byte("name: ${NOPE} $${x"), &got, manifest.Options{})
	if err := doc.Err(); err != nil {
		t.Fatal(err)
	}
	if want := "${NOPE} $${x"; got.Name != want {
		t.Errorf("got %q, want %q", got.Name, want)
	}
}

func TestNodeFieldKeepsTheValue(t *testing.T) {
	t.Parallel()
	var got kitchen
	doc := decode("kept: {b: 1, a: 2}", &got)
	var keys []string
	for key, value := range got.Kept.Entries() {
		keys = append(keys, key+value.Text())
	}
	if diff := cmp.Diff([]string{"b1", "a2"}, keys); diff != "" {
		t.Error(diff)
	}
	got.Kept.Report("not like this")
	if got, want := doc.Err().Error(), "f.yaml:1:1: kept: not like this"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMapFindsByKey(t *testing.T) {
	t.Parallel()
	var got kitchen
	if err := decode("any: {a: 1, b: x}", &got).Err(); err != nil {
		t.Fatal(err)
	}
	if v, ok := got.Any.ByKey("b"); !ok || v != "x" {
		t.Errorf("b: %v, %v", v, ok)
	}
	if v, ok := got.Any.ByKey("c"); ok || v != nil {
		t.Errorf("c: %v, %v", v, ok)
	}
}
