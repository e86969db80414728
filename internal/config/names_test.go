package config_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/config"
)

func TestNamesOfTheFileLeadToModels(t *testing.T) {
	t.Parallel()
	const top = "providers:\n  main: {kind: openai, models: [gpt-5]}\n  open: {kind: openai, models: ['*']}\nmodels:\n  fast: {targets: [main/gpt-5]}\n"
	cfg := load(t, top+"  claude-*haiku*: fast\n  \"*\": stele/sandbox\n  gpt-4o: main/gpt-5\n  gpt-*: open/gpt-9\n", nil)
	if len(cfg.Models) != 1 || len(cfg.Names) != 4 || cfg.Names[0] != (config.Name{Pattern: "claude-*haiku*", Model: "fast"}) || cfg.Lines["name claude-*haiku*"] != 6 {
		t.Errorf("%+v, %+v, %v", cfg.Models, cfg.Names, cfg.Lines)
	}
	many := new(strings.Builder)
	for i := range 201 {
		fmt.Fprintf(many, "  n%d: fast\n", i)
	}
	testWrong(t, map[string]wrong{
		"no model":      {text: top + "  a-*: fsat", want: `stele.yaml:6:8: models.a-*: no model is called "fsat"; did you mean "fast"?`},
		"to a pattern":  {text: top + "  a-*: b-*", want: "stele.yaml:6:8: models.a-*: a name leads to the id of a model, not to another name with *"},
		"to a name":     {text: top + "  a: fast\n  b: a", want: "stele.yaml:7:6: models.b: a name leads to the id of a model, and a is a name itself"},
		"to itself":     {text: top + "  a: a", want: "stele.yaml:6:6: models.a: a name leads to the id of a model, and a is a name itself"},
		"a mapping":     {text: top + "  a-*: {targets: [main/x]}", want: "stele.yaml:6:3: models.a-*: a name with * leads to the id of a model, such as claude-*haiku*: fast"},
		"offered":       {text: top + "  main/gpt-5: fast", want: "stele.yaml:6:15: models.main/gpt-5: there is a model of this id already, which counts instead"},
		"bad":           {text: top + "  a//*: fast", want: "stele.yaml:6:9: models.a//*: a name that clients ask for is a model's id in which up to eight * stand for any characters, at most 256 bytes"},
		"too many":      {text: top + many.String(), want: "stele.yaml:206:9: models.n200: there can be at most 200 names that lead to other models"},
		"with a blank":  {text: top + "  a: ''", want: "stele.yaml:6:6: models.a.targets: a model needs at least one target"},
		"not in quotes": {text: top + "  *: fast", want: "stele.yaml:6:3: not valid YAML: what begins with * must be in quotes"},
	})
}

func TestNamesOfTheDatabaseStandBesideTheFile(t *testing.T) {
	t.Parallel()
	cfg := load(t, "providers:\n  main: {kind: openai, models: [gpt-5]}\nmodels:\n  fast: {targets: [main/gpt-5]}\n  a-*: fast\n", nil)
	next, wrong := cfg.WithNames([]config.Record{
		{Name: "a-*", Fields: []byte(`{"model":"main/gpt-5"}`)}, {Name: "b-*", Fields: []byte(`{"model":"fast"}`)}, {Name: "c", Fields: []byte(`{"model":"gone"}`)},
		{Name: "d", Fields: []byte(`{"model":"fast"}`), Off: true}, {Name: "fast", Fields: []byte(`{"model":"main/gpt-5"}`)}, {Name: "e", Fields: []byte(`[]`)},
	})
	if len(cfg.Names) != 1 || len(next.Names) != 2 || next.Names[1] != (config.Name{Pattern: "b-*", Model: "fast", Console: true}) {
		t.Errorf("%+v", next.Names)
	}
	if len(wrong) != 4 || wrong["a-*"]["id"] == "" || wrong["c"][""] != `No model is called "gone".` || wrong["fast"][""] == "" || wrong["e"][""] == "" {
		t.Errorf("%v", wrong)
	}
}
