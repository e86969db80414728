package manifest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/manifest"
)

func TestReportsEveryProblemWithItsPlace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ src, want string }{
		"unknown field":           {"nam: x", `f.yaml:1:1: unknown field "nam"; did you mean "name"?`},
		"unknown field below":     {"dishes:\n  fast:\n    stratgy: x", `f.yaml:3:5: unknown field "stratgy" in dishes.fast; did you mean "strategy"?`},
		"unknown, swapped":        {"cuont: 1", `f.yaml:1:1: unknown field "cuont"; did you mean "count"?`},
		"unknown, nothing near":   {"zzzzzz: 1", `f.yaml:1:1: unknown field "zzzzzz"`},
		"untagged is unknown":     {"Node: 1\nHidden: 1", "f.yaml:1:1: unknown field \"Node\"\nf.yaml:2:1: unknown field \"Hidden\""},
		"unknown in a list":       {"targets:\n- {provider: a, modl: b}", `f.yaml:2:17: unknown field "modl" in targets[0]; did you mean "model"?`},
		"text for a number":       {"count: two", "f.yaml:1:8: count: expected a whole number, found text"},
		"float for an int":        {"count: 1.5", "f.yaml:1:8: count: expected a whole number, found a number"},
		"quoted number":           {`count: "2"`, "f.yaml:1:8: count: expected a whole number, found text"},
		"list for a number":       {"count:\n- 1", "f.yaml:1:1: count: expected a whole number, found a list"},
		"number for text":         {"name: 12", "f.yaml:1:7: name: expected text, found a whole number; put it in quotes"},
		"bool for text":           {"name: true", "f.yaml:1:7: name: expected text, found true or false; put it in quotes"},
		"mapping for text":        {"name: {a: b}", "f.yaml:1:1: name: expected text, found a mapping"},
		"text for a bool":         {"on: on", "f.yaml:1:5: on: expected true or false, found text"},
		"text for a float":        {"price: free", "f.yaml:1:8: price: expected a number, found text"},
		"not a number":            {"price: .nan", "f.yaml:1:8: price: the number is too large or not finite"},
		"infinite":                {"price: 1e400", "f.yaml:1:8: price: the number is too large or not finite"},
		"infinite, raw":           {"raw: [-.inf]", "f.yaml:1:7: raw[0]: the number is too large or not finite"},
		"too large":               {"small: 128", "f.yaml:1:8: small: the number is too large"},
		"far too large":           {"count: 99999999999999999999", "f.yaml:1:8: count: the number is too large"},
		"negative":                {"port: -1", "f.yaml:1:7: port: must not be negative"},
		"port too large":          {"port: 65536", "f.yaml:1:7: port: the number is too large"},
		"duration without unit":   {"wait: 60", "f.yaml:1:7: wait: expected a duration such as 30s or 720h"},
		"duration in days":        {"wait: 30d", "f.yaml:1:7: wait: expected a duration such as 30s or 720h"},
		"duration as a list":      {"wait: [1s]", "f.yaml:1:1: wait: expected a duration such as 30s or 720h, found a list"},
		"size":                    {"limit: 32 miles", "f.yaml:1:8: limit: expected a size such as 32MB, 1GB or 65536"},
		"size as a mapping":       {"limit: {}", "f.yaml:1:1: limit: expected text, found a mapping"},
		"prefix":                  {"net: 10.0.0.0", `f.yaml:1:6: net: netip.ParsePrefix("10.0.0.0"): no '/'`},
		"text for a list":         {"tags: a", "f.yaml:1:7: tags: expected a list, found text"},
		"nothing in a list":       {"tags:\n- a\n-\n- ~", "f.yaml:3:2: tags[1]: expected a value, found nothing\nf.yaml:4:3: tags[2]: expected a value, found nothing"},
		"wrong in a list":         {"tags: [a, 2, c]", "f.yaml:1:11: tags[1]: expected text, found a whole number; put it in quotes"},
		"list for a map":          {"flags: [a]", "f.yaml:1:1: flags: expected a mapping, found a list"},
		"wrong in a map":          {"flags: {a.b: 1}", `f.yaml:1:14: flags["a.b"]: expected true or false, found a whole number`},
		"text for a struct":       {"deep: x", "f.yaml:1:7: deep: expected a mapping, found text"},
		"text for the whole file": {"just words", "f.yaml:1:1: expected a mapping, found text"},
		"list for the whole file": {"- a\n- b", "f.yaml:1:1: expected a mapping, found a list"},
		"hook refuses":            {"targets: [a/b, c]", "f.yaml:1:16: targets[1]: expected provider/model"},
		"hook, other form":        {"targets: [[a]]", "f.yaml:1:11: targets[0]: expected a mapping, found a list"},
		"key set twice":           {"name: a\ncount: 1\nname: b", "f.yaml:3:1: name: set twice, first on line 1"},
		"key set twice, flow":     {"flags: {a: true, a: false}", "f.yaml:1:18: flags.a: set twice, first on line 1"},
		"key set twice, quoted":   {"name: a\n\"name\": b", "f.yaml:2:1: name: set twice, first on line 1"},
		"slash in a path":         {"dishes:\n  acme/claude: {retries: x}", "f.yaml:2:26: dishes.acme/claude.retries: expected a whole number, found text"},
		"characters, not bytes":   {"flags: {ü: true, é: 1}", "f.yaml:1:21: flags.é: expected true or false, found a whole number"},
		"anchor and alias":        {"name: &a x\ntags: [*a]", "f.yaml:1:7: name: anchors (&name) and aliases (*name) are not supported; write the value out\nf.yaml:2:8: tags[0]: anchors (&name) and aliases (*name) are not supported; write the value out"},
		"merge key":               {"deep:\n  <<: {retries: 1}", "f.yaml:2:3: deep: merge keys (<<) are not supported; write the fields out"},
		"tag":                     {"name: !!binary aGk=", "f.yaml:1:7: name: tags such as !!binary are not supported"},
		"own tag":                 {"deep: !dish {retries: 1}", "f.yaml:1:7: deep: tags such as !dish are not supported"},
		"question mark key":       {"? name\n: x", "f.yaml:1:1: a key must be plain text"},
		"null key":                {"~: x", "f.yaml:1:1: a key must be plain text"},
		"second document":         {"name: a\n---\nname: b", "f.yaml:2:1: a second document begins here; one file holds one"},
		"after the end":           {"name: a\n...\nname: b", "f.yaml:3:1: a second document begins here; one file holds one"},
		"directive":               {"%YAML 1.1\n---\nname: a", "f.yaml:1:1: directives (%YAML, %TAG) are not supported"},
		"unset variables":         {"name: ${NOPE}${NIL}\ncount: ${NADA}", "f.yaml:1:7: name: the environment variable NOPE is not set\nf.yaml:1:7: name: the environment variable NIL is not set\nf.yaml:2:8: count: the environment variable NADA is not set"},
		"open variable":           {"name: ${WORD", "f.yaml:1:7: name: ${ must be followed by a variable's name and }; write $${ for the signs themselves"},
		"odd variable":            {"name: ${A-B}", "f.yaml:1:7: name: ${ must be followed by a variable's name and }; write $${ for the signs themselves"},
		"unquoted in flow":        {"tags: [a, ${WORD}]", "f.yaml:1:12: not valid YAML: put quotes around ${…} inside [ ] and { }"},
		"secret is not shown":     {"count: ${SECRET}\nnet: '${SECRET}'", "f.yaml:1:8: count: expected a whole number, found text\nf.yaml:2:6: net: the variable's value is not valid here"},
		"not closed":              {"tags: [a", "f.yaml:1:7: not valid YAML: sequence end token ']' not found"},
		"tab":                     {"deep:\n\tretries: 1", "f.yaml:2:1: not valid YAML: found character '\t' that cannot start any token"},
		"not text":                {"name: a\nflags: \xff", "f.yaml:2:8: not UTF-8 text"},
		"nul":                     {"name: a\x00", "f.yaml:1:8: control character U+0000"},
		"all at once": {
			"nam: x\ncount: two\nname: 3\nname: 4\ntags: [~]\n",
			`f.yaml:1:1: unknown field "nam"; did you mean "name"?` + "\n" +
				"f.yaml:2:8: count: expected a whole number, found text\n" +
				"f.yaml:3:7: name: expected text, found a whole number; put it in quotes\n" +
				"f.yaml:4:1: name: set twice, first on line 3\n" +
				"f.yaml:5:8: tags[0]: expected a value, found nothing",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := decode(tt.src, new(kitchen)).Err()
			if err == nil {
				t.Fatal("no problem found")
			}
			if diff := cmp.Diff(strings.Split(tt.want, "\n"), strings.Split(err.Error(), "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestProblemsAreAnError(t *testing.T) {
	t.Parallel()
	err := decode("count: x", new(kitchen)).Err()
	ps, ok := errors.AsType[manifest.Problems](err)
	if !ok || len(ps) != 1 {
		t.Fatalf("got %#v", err)
	}
	want := manifest.Problem{File: "f.yaml", Line: 1, Column: 8, Path: "count", Message: "count: expected a whole number, found text"}
	if diff := cmp.Diff(want, ps[0]); diff != "" {
		t.Error(diff)
	}
	if err := decode("", new(kitchen)).Err(); err != nil {
		t.Errorf("empty file: %v", err)
	}
}

func TestDocReportsAtAPath(t *testing.T) {
	t.Parallel()
	doc := decode("dishes:\n  gpt-4.1/x:\n    retries: -1\n    targets: [a/b, c/d]\n  bad: {retries: x}\nname:\n", new(kitchen))
	dish := manifest.At("dishes", "gpt-4.1/x")
	doc.Report(dish.Add("targets", 1), "no provider is called %q", "c")
	doc.Report(dish.Add("retries"), "must not be negative")
	doc.Report(dish.Add("strategy"), "is missing")
	doc.Report(dish, "is odd")
	doc.Report(manifest.At("dishes", "bad", "retries"), "must not be reported twice")
	doc.Report(manifest.At("dishes", "bad", "retries", "deeper"), "must not be reported either")
	doc.Report(manifest.At("name"), "is empty")
	doc.Report(manifest.At("nowhere", 3), "is nowhere")
	want := []string{
		`f.yaml:1:1: nowhere[3]: is nowhere`,
		`f.yaml:2:3: dishes["gpt-4.1/x"].strategy: is missing`,
		`f.yaml:2:3: dishes["gpt-4.1/x"]: is odd`,
		`f.yaml:3:14: dishes["gpt-4.1/x"].retries: must not be negative`,
		`f.yaml:4:20: dishes["gpt-4.1/x"].targets[1]: no provider is called "c"`,
		`f.yaml:5:18: dishes.bad.retries: expected a whole number, found text`,
		`f.yaml:6:1: name: is empty`,
	}
	if diff := cmp.Diff(want, strings.Split(doc.Err().Error(), "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestDocReportsWithoutAFile(t *testing.T) {
	t.Parallel()
	doc := decode("", new(kitchen))
	doc.Report(manifest.At("name"), "is missing")
	if got, want := doc.Err().Error(), "f.yaml: name: is missing"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHas(t *testing.T) {
	t.Parallel()
	doc := decode("name: a\ncount:\ntargets: [a/b]\ndishes: {a.b: {retries: 1}}\n", new(kitchen))
	tests := map[string]struct {
		path manifest.Path
		want bool
	}{
		"root":     {nil, true},
		"given":    {manifest.At("name"), true},
		"null":     {manifest.At("count"), false},
		"absent":   {manifest.At("price"), false},
		"item":     {manifest.At("targets", 0), true},
		"no item":  {manifest.At("targets", 1), false},
		"below":    {manifest.At("dishes", "a.b", "retries"), true},
		"too far":  {manifest.At("name", "x"), false},
		"negative": {manifest.At("targets", -1), false},
	}
	for name, tt := range tests {
		if got := doc.Has(tt.path); got != tt.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
