package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

func TestHard131And137StrictSchemas(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ schema, want, note string }{
		"nothing to do": {`{ "type":"object", "properties":{"a":{"type":"string","format":"uuid"}}, "required":["a"], "additionalProperties":false }`, "", ""},
		"137 limits go into words": {`{"type":"object","properties":{"n":{"type":"integer","minimum":1,"description":"How many."},"s":{"type":"string","maxLength":5}},"additionalProperties":false}`,
			`{"type":"object","properties":{"n":{"type":"integer","description":"How many.\n{minimum: 1}"},"s":{"type":"string","description":"{maxLength: 5}"}},"additionalProperties":false}`, "minimum, maxLength"},
		"131 several types": {`{"type":"object","properties":{"a":{"type":["string","null"]}},"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false}`, "types"},
		"131 with an enum": {`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]}},"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"enum":["x",null]}},"additionalProperties":false}`, "types"},
		"oneOf": {`{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"number"}]}},"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]}},"additionalProperties":false}`, "oneOf as anyOf"},
		"definitions": {`{"$schema":"x","type":"object","properties":{"a":{"$ref":"#/definitions/A"}},"additionalProperties":false,"definitions":{"A":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}},"additionalProperties":false}`, ""},
		"open objects": {`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}}},"minItems":2}}}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false},"description":"{minItems: 2}"}},"additionalProperties":false}`, "additionalProperties, minItems"},
	} {
		got, note, ok := toStrictSchema(json.RawMessage(row.schema))
		if row.want == "" {
			row.want = row.schema
		}
		if !ok || string(got) != row.want || note != row.note {
			t.Errorf("%s: %v %q\ngot  %s\nwant %s", name, ok, note, got, row.want)
		}
	}
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"type":"object"}}}`, `{"type":"object","additionalProperties":{"type":"string"}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"array","items":{"$ref":"#/$defs/A"}}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":true}}`, `true`,
	} {
		if got, _, ok := toStrictSchema(json.RawMessage(schema)); ok {
			t.Errorf("%s became %s", schema, got)
		}
	}
}

func TestHard145LargeSchemas(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `"p%d":{"type":"string","minLength":1},`, i)
	}
	schema := `{"type":"string"}`
	for range 12 {
		schema = `{"type":"object","properties":{` + b.String() + `"deeper":` + schema + `}}`
	}
	got, _, ok := toStrictSchema(json.RawMessage(schema))
	if !ok || !gjson.ValidBytes(got) {
		t.Error(ok)
	}
	bomb := `{"type":"string"}`
	for range 100 {
		bomb = `{"type":["object","array"],"properties":{"a":` + bomb + `}}`
	}
	if _, _, ok := toStrictSchema(json.RawMessage(bomb)); ok {
		t.Error("a schema that doubles at every level was rewritten")
	}
}

func TestToolsAndFormats(t *testing.T) {
	t.Parallel()
	yes := true
	c := conversation(said("Go."))
	c.Tools = []chat.Tool{
		{Name: "a", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"additionalProperties":false}`), Strict: &yes},
		{Name: "b", Schema: json.RawMessage(`{"properties":{"n":{"minimum":1}}}`), At: 1},
	}
	root, call := send(t, c, plainModel)
	wantJSON(t, root.Get("tools.0.strict"), "true")
	wantJSON(t, root.Get("tools.1.input_schema"), `{"properties":{"n":{"minimum":1}},"type":"object"}`)
	for _, path := range []string{"tools[0]", "tools[1]"} {
		wantLost(t, call, path, chat.Approximated)
	}
	root, call = send(t, c, "claude-opus-4-1")
	if root.Get("tools.0.strict").Exists() || !lost(call.Losses, "tools[0]", chat.Dropped) {
		t.Error(root.Raw, call.Losses)
	}
}

func TestHard139To143Formats(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`)
	c := conversation(said("Go."))
	c.Tools, c.Format = nil, &chat.Format{Kind: chat.JSONObject}
	root, call := send(t, c, plainModel)
	wantJSON(t, root.Get("system.0.text"), `"`+onlyJSON+`"`)
	wantLost(t, call, "output_config.format", chat.Approximated)

	c.Format, c.Thinking = &chat.Format{Kind: chat.JSONSchema, Name: "x", Schema: schema}, &chat.Thinking{Effort: "high"}
	root, call = send(t, c, plainModel)
	wantJSON(t, root.Get("output_config"), `{"format":{"type":"json_schema","schema":`+string(schema)+`}}`)
	wantLost(t, call, "output_config.format", chat.Ignored)
	if root.Get("tool_choice").Exists() || root.Get("thinking.type").Str != "enabled" {
		t.Error(root.Raw)
	}
	root, call = send(t, c, "claude-opus-4-1")
	if root.Get("output_config").Exists() || !strings.Contains(root.Get("system.0.text").Str, string(schema)) {
		t.Error(root.Raw)
	}
	wantLost(t, call, "output_config.format", chat.Approximated)

	c.Format = &chat.Format{Kind: chat.EnumText, Schema: json.RawMessage(`{"type":"string","enum":["red","green"]}`)}
	root, _ = send(t, c, plainModel)
	if !strings.HasSuffix(root.Get("system.0.text").Str, "\nred\ngreen") {
		t.Error(root.Raw)
	}
}
