package config_test

import (
	"strings"
	"testing"
)

func TestRefusesWrongProviders(t *testing.T) {
	t.Parallel()
	const allKinds = "openai, anthropic, gemini, ollama, replicate, azure"
	testWrong(t, map[string]wrong{
		"unknown kind":       {text: "providers:\n  a: {kind: opnai}", want: `stele.yaml:2:13: providers.a.kind: unknown kind "opnai"; did you mean "openai"?`},
		"no kind at all":     {text: "providers:\n  a: {kind: frob}", want: `stele.yaml:2:13: providers.a.kind: unknown kind "frob"; the kinds are ` + allKinds},
		"kind missing":       {text: "providers:\n  a:", want: `stele.yaml:2:3: providers.a.kind: missing; the kinds are ` + allKinds},
		"unknown field":      {text: "providers:\n  a: {kind: openai, apikey: x}", want: `stele.yaml:2:21: unknown field "apikey" in providers.a; did you mean "api_key"?`},
		"headers":            {text: "providers:\n  a:\n    kind: openai\n    headers: {x: y}", want: `stele.yaml:4:5: unknown field "headers" in providers.a`},
		"a list":             {text: "providers: [a]", want: "stele.yaml:1:1: providers: expected a mapping, found a list"},
		"name with a slash":  {text: "providers:\n  a/b: {kind: openai}", want: "stele.yaml:2:3: providers.a/b: a provider's name is made of a-z, 0-9, _ and -, and begins with a letter or digit"},
		"name in capitals":   {text: "providers:\n  OpenAI: {kind: openai}", want: "stele.yaml:2:3: providers.OpenAI: a provider's name is made of a-z, 0-9, _ and -, and begins with a letter or digit"},
		"reserved name":      {text: "providers:\n  stele: {kind: openai}", want: "stele.yaml:2:3: providers.stele: the name is taken by what is built in"},
		"base URL":           {text: "providers:\n  a: {kind: openai, base_url: api.openai.com}", want: "stele.yaml:2:31: providers.a.base_url: must be a whole http:// or https:// URL, without user, query or fragment"},
		"base URL, password": {text: "providers:\n  a: {kind: openai, base_url: 'https://u:hunter2@h/v1'}", want: "stele.yaml:2:31: providers.a.base_url: must be a whole http:// or https:// URL, without user, query or fragment"},
		"base URL missing":   {text: "providers:\n  a: {kind: azure}", want: `stele.yaml:2:3: providers.a.base_url: missing; the kind "azure" has no address of its own`},
		"two keys":           {text: "providers:\n  a:\n    kind: openai\n    api_key: x\n    api_key_file: secret", want: "stele.yaml:5:19: providers.a.api_key_file: providers.a.api_key is set as well; only one of them can count"},
		"empty key":          {text: "providers:\n  a: {kind: openai, api_key: ''}", want: "stele.yaml:2:30: providers.a.api_key: must not be empty; leave it out if the upstream needs none"},
		"key as a number":    {text: "providers:\n  a: {kind: openai, api_key: 4815162342}", want: "stele.yaml:2:30: providers.a.api_key: expected text, found a whole number; put it in quotes"},
		"unset key":          {text: "providers:\n  a:\n    kind: openai\n    api_key: ${OPENAI_KEY}", want: "stele.yaml:4:14: providers.a.api_key: the environment variable OPENAI_KEY is not set"},
		"key file gone":      {text: "providers:\n  a: {kind: openai, api_key_file: gone}", want: "stele.yaml:2:35: providers.a.api_key_file: cannot read gone: no such file or directory"},
		"key file empty":     {text: "providers:\n  a: {kind: openai, api_key_file: empty}", want: "stele.yaml:2:35: providers.a.api_key_file: cannot read empty: it is empty"},
		"key file too long":  {text: "providers:\n  a: {kind: openai, api_key_file: two-lines}", want: "stele.yaml:2:35: providers.a.api_key_file: cannot read two-lines: it holds more than one line"},
		"offer":              {text: "providers:\n  a: {kind: openai, models: [gpt 5, x, x]}", want: "stele.yaml:2:30: providers.a.models[0]: a model's id is made of letters, digits and ._:/@+- without empty parts between slashes, at most 256 of them\nstele.yaml:2:40: providers.a.models[2]: \"x\" is listed twice"},
		"options":            {text: "providers:\n  a: {kind: openai, options: {project: 12}}", want: "stele.yaml:2:40: providers.a.options.project: expected text, found a whole number; put it in quotes"},
	})
}

func TestRefusesWrongModels(t *testing.T) {
	t.Parallel()
	const top = "providers:\n  main: {kind: openai, models: [gpt-5]}\nmodels:\n"
	testWrong(t, map[string]wrong{
		"unknown field":     {text: top + "  fast:\n    targets: [main/x]\n    stratgy: balance", want: `stele.yaml:6:5: unknown field "stratgy" in models.fast; did you mean "strategy"?`},
		"no targets":        {text: top + "  fast: {name: Fast}", want: "stele.yaml:4:3: models.fast.targets: a model needs at least one target"},
		"empty targets":     {text: top + "  fast: {targets: []}", want: "stele.yaml:4:10: models.fast.targets: a model needs at least one target"},
		"nothing":           {text: top + "  fast:", want: "stele.yaml:4:3: models.fast.targets: a model needs at least one target"},
		"no provider":       {text: top + "  fast: {targets: [mian/x]}", want: `stele.yaml:4:20: models.fast.targets[0]: no provider is called "mian"; did you mean "main"?`},
		"no such provider":  {text: top + "  fast:\n    targets:\n    - {provider: bedrock, model: x}", want: `stele.yaml:6:18: models.fast.targets[0].provider: no provider is called "bedrock"`},
		"kind, not name":    {text: top + "  fast: {targets: [openai/x]}", want: `stele.yaml:4:20: models.fast.targets[0]: no provider is called "openai"`},
		"kind, no key":      {text: "models:\n  fast: {targets: [openai/x]}", want: `stele.yaml:2:20: models.fast.targets[0]: no provider is called "openai"; set OPENAI_API_KEY or add it under providers`},
		"no slash":          {text: top + "  fast: {targets: [gpt-5, main/]}", want: "stele.yaml:4:20: models.fast.targets[0]: expected provider/model, such as openai/gpt-5\nstele.yaml:4:27: models.fast.targets[1]: expected provider/model, such as openai/gpt-5"},
		"parts missing":     {text: top + "  fast: {targets: [{weight: 2}]}", want: "stele.yaml:4:20: models.fast.targets[0].provider: missing\nstele.yaml:4:20: models.fast.targets[0].model: missing"},
		"target, number":    {text: top + "  fast: {targets: [5]}", want: "stele.yaml:4:20: models.fast.targets[0]: expected provider/model or a mapping, found a whole number"},
		"target, unknown":   {text: top + "  fast: {targets: [{provider: main, model: x, wieght: 2}]}", want: `stele.yaml:4:47: unknown field "wieght" in models.fast.targets[0]; did you mean "weight"?`},
		"weight":            {text: top + "  fast: {targets: [{provider: main, model: x, weight: -1}]}", want: "stele.yaml:4:55: models.fast.targets[0].weight: must not be negative"},
		"weights of nought": {text: top + "  fast: {strategy: balance, targets: [{provider: main, model: x, weight: 0}]}", want: "stele.yaml:4:29: models.fast.targets: no target has a weight above 0"},
		"strategy":          {text: top + "  fast: {targets: [main/x], strategy: fallbak}", want: `stele.yaml:4:39: models.fast.strategy: "fallbak" is none of fallback, balance; did you mean "fallback"?`},
		"retries":           {text: top + "  fast: {targets: [main/x], retries: -1}", want: "stele.yaml:4:38: models.fast.retries: must not be negative"},
		"retries, text":     {text: top + "  fast: {targets: [main/x], retries: two}", want: "stele.yaml:4:38: models.fast.retries: expected a whole number, found text"},
		"timeouts":          {text: top + "  fast: {targets: [main/x], timeouts: {first_byte: 0s, total: soon}}", want: "stele.yaml:4:52: models.fast.timeouts.first_byte: must be more than 0\nstele.yaml:4:63: models.fast.timeouts.total: expected a duration such as 30s or 720h"},
		"price":             {text: top + "  fast: {targets: [main/x], price: {input: -1, output: $3}}", want: "stele.yaml:4:44: models.fast.price.input: must not be negative\nstele.yaml:4:56: models.fast.price.output: expected a number, found text"},
		"capability":        {text: top + "  fast: {targets: [main/x], capabilities: {Tools: true, reasoning: 1}}", want: "stele.yaml:4:51: models.fast.capabilities.Tools: a capability's name is made of a-z, 0-9 and _\nstele.yaml:4:68: models.fast.capabilities.reasoning: expected true or false, found a whole number"},
		"tag":               {text: top + "  fast: {targets: [main/x], tags: ['']}", want: "stele.yaml:4:36: models.fast.tags[0]: must not be empty"},
		"id":                {text: top + "  my model: {targets: [main/x]}", want: `stele.yaml:4:3: models["my model"]: a model's id is made of letters, digits and ._:/@+- without empty parts between slashes, at most 256 of them`},
		"id, too long":      {text: top + "  " + strings.Repeat("a", 257) + ": {targets: [main/x]}", want: "stele.yaml:4:3: models." + strings.Repeat("a", 80) + "…: a model's id is made of letters, digits and ._:/@+- without empty parts between slashes, at most 256 of them"},
		"id, up":            {text: top + "  a/../b: {targets: [main/x]}", want: `stele.yaml:4:3: models["a/../b"]: a model's id is made of letters, digits and ._:/@+- without empty parts between slashes, at most 256 of them`},
		"target, up":        {text: top + "  m: {targets: [main/../../admin]}", want: `stele.yaml:4:17: models.m.targets[0].model: a provider's name of a model has 1 to 256 printable bytes, without parts between slashes that are empty, . or ..`},
		"id, two slashes":   {text: top + "  a//b: {targets: [main/x]}", want: `stele.yaml:4:3: models.a//b: a model's id is made of letters, digits and ._:/@+- without empty parts between slashes, at most 256 of them`},
		"id, reserved":      {text: top + "  stele/x: {targets: [main/x]}", want: `stele.yaml:4:3: models.stele/x: ids that begin with stele/ are taken by what is built in`},
		"id, taken":         {text: top + "  main/gpt-5: {targets: [main/x]}", want: `stele.yaml:4:3: models.main/gpt-5: the provider main offers a model of this id already`},
		"id, twice":         {text: top + "  a: {targets: [main/x]}\n  a: {targets: [main/y]}", want: `stele.yaml:5:3: models.a: set twice, first on line 4`},
		"all at once": {
			text: `listen: nowhere
providers:
  main: {kind: opnai}
models:
  fast:
    targets: [mian/gpt-5, gpt-5]
    stratgy: balance
    retries: -1
  gpt-4.1:
    targets: [{provider: main, model: ${MODEL}}]
`,
			want: `stele.yaml:10:40: not valid YAML: put quotes around ${…} inside [ ] and { }`,
		},
		"all at once, readable": {
			text: `listen: nowhere
providers:
  main: {kind: opnai}
models:
  fast:
    targets: [mian/gpt-5, gpt-5]
    stratgy: balance
    retries: -1
  gpt-4.1:
    targets: [{provider: main, model: "${MODEL}"}]
    retries: many
`,
			want: `stele.yaml:1:9: listen: expected host:port, such as 127.0.0.1:8080 or :8080
			stele.yaml:3:16: providers.main.kind: unknown kind "opnai"; did you mean "openai"?
			stele.yaml:6:15: models.fast.targets[0]: no provider is called "mian"; did you mean "main"?
			stele.yaml:6:27: models.fast.targets[1]: expected provider/model, such as openai/gpt-5
			stele.yaml:7:5: unknown field "stratgy" in models.fast; did you mean "strategy"?
			stele.yaml:8:14: models.fast.retries: must not be negative
			stele.yaml:10:39: models["gpt-4.1"].targets[0].model: the environment variable MODEL is not set
			stele.yaml:11:14: models["gpt-4.1"].retries: expected a whole number, found text`,
		},
	})
}
