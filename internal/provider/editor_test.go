package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"stele/internal/dialect"
)

func edited(body string, edits ...Edit) string {
	return string(newEditor([]byte(body), edits, func(Edit) bool { return true }).apply())
}

func TestChangesWhatItIsToldAndNoOtherByte(t *testing.T) {
	t.Parallel()
	drop := func(paths ...string) (list []Edit) {
		for _, p := range paths {
			list = append(list, Edit{Path: p})
		}
		return list
	}
	tests := []struct {
		name, body, want string
		edits            []Edit
	}{
		{"the first", `{ "a" : 1, "b":2 }`, `{ "b":2 }`, drop("a")},
		{"the last", `{ "a" : 1 , "b":2 }`, `{ "a" : 1 }`, drop("b")},
		{"one in the middle", `{"a":1, "b":[2], "c":3}`, `{"a":1, "c":3}`, drop("b")},
		{"the only one", `{ "a" : 1 }`, `{  }`, drop("a")},
		{"all", `{"a":1,"b":2,"c":3}`, `{}`, drop("a", "b", "c")},
		{"the last two", `{"a":1,"b":2 , "c":3}`, `{"a":1}`, drop("b", "c")},
		{"the first and the last", `{"a":1,"b":2,"c":3}`, `{"b":2}`, drop("a", "c")},
		{"none", `{"a":1}`, `{"a":1}`, drop("b", "a.b", "a.#.c")},
		{"an empty object", `{}`, `{}`, drop("a")},
		{"no object", `[{"a":1}]`, `[{"a":1}]`, drop("a")},
		{"no JSON", `{"a":1,"b":[`, `{"a":1,"b":[`, drop("a")},
		{"nothing", ``, ``, drop("a")},
		{"in a list", `{"m":[{"x":1,"n":"a"},{"n":"b"},3,{"y":[]}]}`, `{"m":[{"x":1},{},3,{"y":[]}]}`, drop("m.#.n")},
		{"deep", `{"m":[{"t":[{"id":1,"k":2}]}, {"t":null}]}`, `{"m":[{"t":[{"k":2}]}, {"t":null}]}`, drop("m.#.t.#.id")},
		{"not inside what is gone", `{"m":[{"n":1}]}`, `{}`, drop("m", "m.#.n")},
		{"an escaped name", `{"\u0061":1,"b":2}`, `{"b":2}`, drop("a")},
		{"strings that look like it", `{"b":"\"a\":1,\\","a":"}]\\\""}`, `{"b":"\"a\":1,\\"}`, drop("a")},
		{"a new name", `{"a":1,"b":2}`, `{"c":1,"b":2}`, []Edit{{Path: "a", Name: "c"}}},
		{"a new name that is taken", `{"a":1,"b":2}`, `{"b":2}`, []Edit{{Path: "a", Name: "b"}}},
		{"a new value", `{"a":"x","b":2}`, `{"a":{"y":1},"b":2}`, []Edit{{Path: "a", Is: `"x`, Value: `{"y":1}`}}},
		{"another value", `{"a":"z","b":2}`, `{"a":"z","b":2}`, []Edit{{Path: "a", Is: `"x`, Value: `1`}}},
		{"name and value", `{"a":"x"}`, `{"b":{}}`, []Edit{{Path: "a", Is: `"x"`, Name: "b", Value: `{}`}}},
		{"more", `{"a":1}`, `{"a":1,"v":"2"}`, []Edit{{Path: "v", Value: `"2"`, Add: true}}},
		{"more than nothing", `{ }`, `{ "v":"2","w":3}`, []Edit{{Path: "v", Value: `"2"`, Add: true}, {Path: "w", Value: "3", Add: true}}},
		{"more where all went", `{"a":1}`, `{"v":2}`, []Edit{{Path: "a"}, {Path: "v", Value: "2", Add: true}}},
		{"what was there already", `{"v":1,"a":1}`, `{"v":2,"a":1}`, []Edit{{Path: "v", Value: "2", Add: true}}},
		{"null asks for nothing", `{"a":null,"b":null}`, `{"b":null}`, []Edit{{Path: "a"}, {Path: "b", Value: "1"}, {Path: "b", Digits: 9}}},
		{"ids", `{"m":[{"id":"call_1"},{"id":"abcDEF123"},{"id":7}]}`, `{"m":[{"id":"` + dialect.ShortID("call_1", 9) + `"},{"id":"abcDEF123"},{"id":7}]}`, []Edit{{Path: "m.#.id", Digits: 9}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, edited(test.body, test.edits...)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestShortIDsAreTheSameForTheSameID(t *testing.T) {
	t.Parallel()
	a, b := dialect.ShortID("call_abc", 9), dialect.ShortID("call_abd", 9)
	if a == b || len(a) != 9 || len(b) != 9 || strings.ContainsAny(a+b, "-_.~") || a != dialect.ShortID("call_abc", 9) {
		t.Error(a, b)
	}
}

// FuzzEditor compares the editor with taking the body apart and putting it
// together again.
func FuzzEditor(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","stream":true}`, `{"a":[{"b":{"c":1}}],"model":1.5e3}`, ` {"x":"\\\"","model":[],"a":[[{"b":1}]]} `, `{"a":{"b":"}"},"a2":null}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var before map[string]any
		if err := json.Unmarshal([]byte(body), &before); err != nil || before == nil || repeats(body) {
			t.Skip()
		}
		out := edited(body, Edit{Path: "model"}, Edit{Path: "a.#.b"}, Edit{Path: "v", Value: `"1"`, Add: true})
		var after map[string]any
		if err := json.Unmarshal([]byte(out), &after); err != nil {
			t.Fatalf("%s: %s: %v", body, out, err)
		}
		delete(before, "model")
		if list, ok := before["a"].([]any); ok {
			for _, item := range list {
				if object, ok := item.(map[string]any); ok {
					delete(object, "b")
				}
			}
		}
		before["v"] = "1"
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s: %s: %s", body, out, diff)
		}
	})
}

// repeats reports whether a name is twice in an object: such bodies are refused
// before they get here.
func repeats(body string) bool { return !jsontext.Value(body).IsValid() }
