package bridge_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/tidwall/gjson"
)

// TestNothingOfAToolIsLostInSilence has tools say more than a function of the chat route does.
func TestNothingOfAToolIsLostInSilence(t *testing.T) {
	t.Parallel()
	const f = `{"type":"function","name":"f"}`
	for name, c := range map[string]struct{ tools, path, want, told string }{
		"what a namespace is for": {
			`[{"type":"namespace","name":"mcp__files","description":"Files.","tools":[` + f + `]}]`, "messages.0",
			`{"role":"system","content":"Be short.\n\nTools whose names begin with mcp__files__: Files."}`, "",
		},
		"a namespace of those that have none": {
			`[{"type":"namespace","name":"functions","description":"All.","tools":[` + f + `]},` + f + `]`, "messages.0.content", `"Be short.\n\nAll."`, "",
		},
		"a namespace that says nothing": {`[{"type":"namespace","name":"n","tools":[` + f + `]}]`, "messages.0.content", `"Be short."`, ""},
		"skills of a shell": {
			`[{"type":"shell","environment":{"type":"local","skills":[{"name":"sums","description":"Adds.","path":"/s/sums"},{"name":"maps","description":"Draws.","path":"/s/maps"}]}}]`,
			"tools.0.function.description",
			`"Runs shell commands on the user's machine. There are skills, each a folder whose SKILL.md says how it is done. Read that before you use one:\n- sums (/s/sums): Adds.\n- maps (/s/maps): Draws."`, "",
		},
		"a shell without skills":     {`[{"type":"shell","environment":{"type":"local"}}]`, "tools.0.function.description", `"Runs shell commands on the user's machine."`, ""},
		"for programs alone":         {`[` + f + `,{"type":"function","name":"g","allowed_callers":["programmatic"]}]`, "tools.#.function.name", `["f"]`, "tools[1]; dropped; only programs may call it, and the bridge runs none"},
		"for programs too":           {`[{"type":"function","name":"g","allowed_callers":["direct","programmatic"],"output_schema":{},"defer_loading":true}]`, "tools.#.function.name", `["g"]`, ""},
		"two of one name":            {`[` + f + `,{"type":"custom","name":"f"}]`, "tools.#.function.name", `["f"]`, "tools[1]; dropped; another tool has the name f"},
		"one that is offered twice":  {`[` + f + `,` + f + `]`, "tools.#.function.name", `["f"]`, ""},
		"two of one name, in spaces": {`[{"type":"function","name":"a__b"},{"type":"namespace","name":"a","tools":[{"type":"function","name":"b"}]}]`, "tools.#", "1", "tools[1].tools[0]; dropped; another tool has the name a__b"},
		"a member that nobody knows": {`[{"type":"function","name":"f","cache_control":{"type":"ephemeral"},"strict":null}]`, "tools.0.function", `{"name":"f"}`, "tools[0].cache_control; dropped; it is not known to the bridge"},
		"arguments to be encrypted": {
			`[{"type":"function","name":"f","parameters":{"type":"object","properties":{"message":{"type":"string","encrypted":true},"type":{"type":["string"], "encrypted" : true },"encrypted":{"type":"boolean"}}}}]`,
			"tools.0.function.parameters.properties", `{"message":{"type":"string"},"type":{"type":["string"] },"encrypted":{"type":"boolean"}}`, "",
		},
		"arguments of no type":         {`[{"type":"function","name":"f","parameters":{"type":null,"properties":{"a":{"type":"string"}}}}]`, "tools.0.function.parameters", `{"type":"object","properties":{"a":{"type":"string"}}}`, ""},
		"arguments that nobody names":  {`[{"type":"function","name":"f","parameters":{}}]`, "tools.0.function.parameters", `{"type":"object","properties":{}}`, ""},
		"no arguments":                 {`[{"type":"function","name":"f","parameters":null}]`, "tools.0.function", `{"name":"f"}`, ""},
		"arguments that are no object": {`[{"type":"function","name":"f","parameters":{"type":"string"}}]`, "tools.0.function.parameters", `{"type":"string"}`, ""},
		"a choice of arguments": {
			`[{"type":"function","name":"f","description":"Sets.","strict":true,"parameters":{"type":null,"oneOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}]}}]`,
			"tools.0.function.{parameters.type,parameters.required,strict}", `{"type":"object","required":["a"]}`, "tools[0].parameters; dropped; a choice at the root of its arguments is told in words alone",
		},
		"an argument of that name": {`[{"type":"function","name":"f","parameters":{"type":"object","properties":{"type":{"type":"string"},"encrypted":true}}}]`, "tools.0.function.parameters.properties", `{"type":{"type":"string"},"encrypted":true}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, spoken)
			status, header, body := post(t, newBridge(t, s).URL+"/v1/responses", `{"model":"m","instructions":"Be short.","input":"x","tools":`+c.tools+`}`)
			if status != http.StatusOK {
				t.Fatal(status, body)
			}
			if got := gjson.GetBytes(s.last(), c.path).Raw; got != c.want {
				t.Errorf("%s is %s", c.path, got)
			}
			if told, _ := url.QueryUnescape(header.Get("X-Stele-Dropped")); told != c.told {
				t.Errorf("told %q", told)
			}
		})
	}
}

// TestNamespacesOfItems says what a namespace is for that comes in an item, and once.
func TestNamespacesOfItems(t *testing.T) {
	t.Parallel()
	const space = `"tools":[{"type":"namespace","name":"n","description":"Nodes.","tools":[{"type":"function","name":"f"}]}]}`
	s := newServer(t, spoken)
	b := newBridge(t, s)
	for input, want := range map[string]string{
		`{"type":"additional_tools","role":"developer",` + space + `,{"role":"user","content":"x"}`: `[{"role":"system","content":"Tools whose names begin with n__: Nodes."},{"role":"user","content":"x"}]`,
		`{"role":"user","content":"x"},{"type":"tool_search_call","call_id":"c","execution":"client","arguments":{}},{"type":"tool_search_output","call_id":"c","execution":"client",` + space: `[{"role":"user","content":"x"},` +
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"tool_search","arguments":"{}"}}]},` +
			`{"role":"tool","content":"[{\"type\":\"namespace\",\"name\":\"n\",\"description\":\"Nodes.\",\"tools\":[{\"type\":\"function\",\"name\":\"f\"}]}]","tool_call_id":"c"}]`,
	} {
		status, _, body := post(t, b.URL+"/v1/responses", `{"model":"m","input":[`+input+`]}`)
		if got := messages(t, s.last()); status != http.StatusOK || got != want || gjson.GetBytes(s.last(), "tools.0.function.name").Str != "n__f" {
			t.Errorf("%d %s\n%s\n%s", status, body, got, s.last())
		}
	}
}

// TestCallsSayThatNothingIsEncrypted has Codex's tools for agents ask that OpenAI's service encrypts what is said to
// another agent. Of a call that says that nothing is, Codex passes it on as words.
func TestCallsSayThatNothingIsEncrypted(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newServer(t, chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"collaboration__spawn_agent","arguments":"{\"message\":\"Count.\"}"}`), callOf(`"index":1,"id":"b","function":{"name":"f","arguments":"{}"}`))))
	_, _, events := post(t, b.URL+"/v1/responses", `{"model":"m","stream":true,"input":"x","tools":[{"type":"function","name":"f"},{"type":"namespace","name":"collaboration","tools":[`+
		`{"type":"function","name":"spawn_agent","parameters":{"type":"object","properties":{"message":{"type":"string","encrypted":true}}}}]}]}`)
	last := lawful(t, events)
	if got := last.Get("output.0"); got.Get("encrypted_function_args").Raw != "[]" || got.Get("namespace").Str != "collaboration" || got.Get("arguments").Str != `{"message":"Count."}` {
		t.Error(got.Raw)
	}
	if got := last.Get("output.1"); got.Get("encrypted_function_args").Exists() {
		t.Error(got.Raw)
	}
}

// TestMembersInsideAreTold has a client send more than the bridge carries in what it carries.
func TestMembersInsideAreTold(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{
		`"reasoning":{"effort":"low","mode":"pro","summary":"auto"}`:         "reasoning.mode; dropped; chats have no other than the standard",
		`"reasoning":{"context":"current_turn"}`:                             "reasoning.context; dropped; all thoughts go back that the client sends, and their provider takes of them what it does",
		`"reasoning":{"context":"auto","mode":"standard","max_tokens":null}`: "",
		`"reasoning":{"max_tokens":9}`:                                       "reasoning.max_tokens; dropped; it is not known to the bridge",
		`"text":{"verbosity":"low","tone":"dry"}`:                            "text.tone; dropped; it is not known to the bridge",
		`"text":{"format":{"type":"text","of":"me"}}`:                        "text.format.of; dropped; it is not known to the bridge",
		`"tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"},{"type":"function","name":"g"}]}`: "tool_choice.tools[1]; dropped; it is not offered",
		`"top_logprobs":0`: "",
		`"stream_options":{"reasoning_summary_delivery":"sequential_cutoff"}`:   "",
		`"context_management":[{"type":"compaction","compact_threshold":1000}]`: "context_management; dropped; it is not known to the bridge",
	} {
		s := newServer(t, spoken)
		_, header, body := post(t, newBridge(t, s).URL+"/v1/responses", `{"model":"m","input":"x",`+more+`}`)
		if told, _ := url.QueryUnescape(header.Get("X-Stele-Dropped")); told != want {
			t.Errorf("%s: told %q: %s", more, told, body)
		}
		if gjson.GetBytes(s.last(), "logprobs").Exists() {
			t.Errorf("%s: %s", more, s.last())
		}
	}
}
