package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/config"
)

func offer(name, fields string) config.Record {
	return config.Record{Name: name, Fields: []byte(fields)}
}

func TestOffersStandBesideTheFile(t *testing.T) {
	t.Parallel()
	cfg := load(t, "providers:\n  mine: {kind: ollama}\nmodels:\n  fast: {targets: [mine/qwen]}\n", nil)
	both := cfg.With(kinds(),
		[]config.Record{
			offer("theirs", `{"kind":"openai","api_key":"sk-1","models":["gpt-5"],"base_url":"https://proxy.example.com/v1/"}`),
			offer("mine", `{"kind":"openai"}`),
		},
		[]config.Record{
			offer("smart", `{"targets":["theirs/gpt-5",{"provider":"mine","model":"qwen","weight":3}],"strategy":"balance","price":{"input":1.25}}`),
			offer("fast", `{"targets":["theirs/gpt-5"]}`),
		})
	if len(both.Providers) > 0 || len(both.Models) > 0 {
		t.Fatalf("something is wrong: %v %v", both.Providers, both.Models)
	}
	if diff := cmp.Diff(map[string]bool{"mine": true, "model fast": true}, both.Covered); diff != "" {
		t.Errorf("covered by the file: %s", diff)
	}
	if len(both.Config.Providers) != 2 || both.Config.Providers[0].Kind != "ollama" {
		t.Fatalf("providers %v", both.Config.Providers)
	}
	theirs := both.Config.Providers[1]
	if theirs.Name != "theirs" || theirs.APIKey.Reveal() != "sk-1" || theirs.BaseURL != "https://proxy.example.com/v1" {
		t.Errorf("the offer is %+v with the key %q", theirs, theirs.APIKey.Reveal())
	}
	if len(both.Config.Models) != 2 || both.Config.Models[0].Targets[0].Provider != "mine" {
		t.Fatalf("models %v", both.Config.Models)
	}
	smart := both.Config.Models[1]
	if smart.Strategy != config.Balance || smart.Targets[1].Weight != 3 || smart.Price.Sheet.Text() != "1.25 - - -" || smart.Retries != 2 {
		t.Errorf("the offer is %+v", smart)
	}
	if len(cfg.Providers) != 1 || len(cfg.Models) != 1 {
		t.Error("the configuration itself was changed")
	}
}

func TestAWrongOfferNamesItsFieldAndHarmsNoOther(t *testing.T) {
	t.Parallel()
	cfg := load(t, "providers:\n  mine: {kind: ollama}\nmodels:\n  acme/taken: {targets: [mine/qwen]}\n", map[string]string{"SECRET": "x"})
	clouds := append(kinds(), config.Kind{Name: "bedrock", BaseURL: "https://{region}.example.com", Options: []config.Option{
		{Name: "region", Env: []string{"SECRET"}, Needed: true}, {Name: "secret_access_key", Keyless: true, Secret: true},
	}})
	for name, test := range map[string]struct{ fields, field, says string }{
		"no kind":        {`{}`, "kind", "Missing"},
		"unknown kind":   {`{"kind":"opnai"}`, "kind", "did you mean"},
		"address":        {`{"kind":"openai","base_url":"proxy.example.com"}`, "base_url", "whole http"},
		"empty key":      {`{"kind":"openai","api_key":""}`, "api_key", "Must not be empty"},
		"models":         {`{"kind":"openai","models":["a","b c"]}`, "models[1]", "letters, digits"},
		"taken":          {`{"kind":"openai","models":["taken"]}`, "models[0]", "already"},
		"unknown field":  {`{"kind":"openai","key":"x"}`, "key", "Unknown field"},
		"a file":         {`{"kind":"openai","api_key_file":"/etc/passwd"}`, "api_key_file", "Only the configuration file"},
		"option file":    {`{"kind":"bedrock","options":{"region":"x","secret_access_key_file":"/etc/passwd"}}`, "options.secret_access_key_file", "Only the"},
		"not a mapping":  {`[]`, "", "mapping"},
		"not even JSON":  {`{`, "", "cannot be read"},
		"wrong sort":     {`{"kind":["openai"]}`, "kind", "Expected text"},
		"missing option": {`{"kind":"bedrock","api_key":"x"}`, "options.region", "needs it."},
	} {
		both := cfg.With(clouds, []config.Record{offer("acme", test.fields), offer("other", `{"kind":"ollama"}`)}, nil)
		if got := both.Providers["acme"][test.field]; !strings.Contains(got, test.says) {
			t.Errorf("%s: %v, want %q at %q", name, both.Providers["acme"], test.says, test.field)
		}
		if len(both.Config.Providers) != 2 || both.Config.Providers[1].Name != "other" {
			t.Errorf("%s: providers %v", name, both.Config.Providers)
		}
	}
	for name, test := range map[string]struct{ fields, field, says string }{
		"no target":    {`{}`, "targets", "at least one"},
		"target":       {`{"targets":["nowhere/x"]}`, "targets[0]", `No provider is called "nowhere"`},
		"half":         {`{"targets":["mine"]}`, "targets[0]", "provider/model"},
		"weight":       {`{"targets":[{"provider":"mine","model":"q","weight":-1}]}`, "targets[0].weight", "negative"},
		"price":        {`{"targets":["mine/q"],"price":{"output":"cheap"}}`, "price.output", "Expected a number"},
		"timeout":      {`{"targets":["mine/q"],"timeouts":{"total":"soon"}}`, "timeouts.total", "Expected"},
		"capabilities": {`{"targets":["mine/q"],"capabilities":{"Tools":true}}`, "capabilities.Tools", "a-z"},
	} {
		both := cfg.With(kinds(), nil, []config.Record{offer("gpt-4.1", test.fields)})
		if got := both.Models["gpt-4.1"][test.field]; !strings.Contains(got, test.says) {
			t.Errorf("%s: %v, want %q at %q", name, both.Models["gpt-4.1"], test.says, test.field)
		}
	}
}

func TestOffersAskNoVariable(t *testing.T) {
	t.Parallel()
	cfg := load(t, "providers: {}", map[string]string{"REGION": "here", "OPENAI_API_KEY": "sk-secret"})
	both := cfg.With(kinds(), []config.Record{offer("a", `{"kind":"openai","api_key":"${OPENAI_API_KEY}"}`)}, nil)
	if got := both.Config.Providers[0].APIKey.Reveal(); got != "${OPENAI_API_KEY}" {
		t.Errorf("a variable came through: the key is %q", got)
	}
}

func TestWhatIsSwitchedOffIsKnownAndOffersNothing(t *testing.T) {
	t.Parallel()
	cfg := load(t, "providers:\n  mine: {kind: ollama}\n", nil)
	off := offer("away", `{"kind":"openai","models":["*"]}`)
	off.Off = true
	both := cfg.With(kinds(), []config.Record{off}, []config.Record{
		offer("fast", `{"targets":["away/a","mine/b"]}`), offer("lone", `{"targets":["away/a"]}`),
	})
	if len(both.Models) > 0 || len(both.Config.Providers) != 1 || len(both.Config.Models) != 2 {
		t.Fatalf("wrong %v, providers %v, models %v", both.Models, both.Config.Providers, both.Config.Models)
	}
	if got := both.Config.Models[0].Targets; len(got) != 1 || got[0].Provider != "mine" {
		t.Errorf("targets %v", got)
	}
	if got := both.Config.Models[1].Targets; len(got) != 0 {
		t.Errorf("targets %v", got)
	}
}

func TestTheFileTellsWhereItHasWhat(t *testing.T) {
	t.Parallel()
	cfg := load(t, "providers:\n  mine:\n    kind: ollama\n\nmodels:\n  fast:\n    targets: [mine/a]\n", nil)
	if diff := cmp.Diff(map[string]int{"provider mine": 2, "model fast": 6}, cfg.Lines); diff != "" {
		t.Error(diff)
	}
}
