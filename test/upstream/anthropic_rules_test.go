package upstream

import (
	"strings"
	"testing"
)

const toolF = `{"name":"f","input_schema":{"type":"object","properties":{}}}`

func TestAnthropicTakesWhatIsRight(t *testing.T) {
	t.Parallel()
	s := NewAnthropic(t)
	rows(t, s, []row{
		{name: "a word", body: chatClaude("", userClaude, ``)},
		{name: "same role twice", body: chatClaude("", userClaude+`,`+userClaude, ``)},
		{name: "empty assistant", body: chatClaude("", userClaude+`,{"role":"assistant","content":[]},`+userClaude, ``)},
		{name: "blank beside text", body: chatClaude("", `{"role":"user","content":[{"type":"text","text":" "},{"type":"text","text":"a"}]}`, ``)},
		{name: "empty system", body: chatClaude("", userClaude, `"system":""`)},
		{name: "prefill of an older model", body: chatClaude("", userClaude+`,{"role":"assistant","content":"{"}`, ``)},
		{name: "answers with nothing in them", body: chatClaude("", loopClaude(`{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":""}]},{"type":"text","text":"and?"}`), `"tools":[`+toolF+`]`)},
		{name: "media", body: chatClaude("", `{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+tinyPNG+`"}},{"type":"document","title":"x","source":{"type":"base64","media_type":"application/pdf","data":"`+tinyPDF+`"}},{"type":"text","text":"?"}]}`, ``)},
		{name: "budget", body: chatClaude("", userClaude, `"thinking":{"type":"enabled","budget_tokens":1024}`)},
		{name: "adaptive", body: chatClaude("claude-opus-4-7", userClaude, `"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"xhigh"}`)},
		{name: "system among the messages", body: chatClaude("claude-opus-4-8", userClaude+`,{"role":"system","content":"be brief"}`, ``)},
		{name: "newer version", header: map[string]string{"Anthropic-Version": versionNew}, body: chatClaude("", userClaude, ``)},
		{name: "beta", header: map[string]string{"Anthropic-Beta": "context-management-2026-06-27"}, body: chatClaude("", userClaude, `"context_management":{}`)},
		{name: "beta in the query", path: "/v1/messages?beta=true", body: chatClaude("", userClaude, ``)},
		{name: "format", body: chatClaude("", userClaude, `"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a"],"additionalProperties":false}}}`)},
	})
}

func TestAnthropicRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := NewAnthropic(t)
	block := func(b string) string { return chatClaude("", `{"role":"user","content":[`+b+`]}`, ``) }
	tool := func(tool, more string) string { return chatClaude("", userClaude, `"tools":[`+tool+`]`+more) }
	format := func(schema string) string {
		return chatClaude("", userClaude, `"output_config":{"format":{"type":"json_schema","schema":`+schema+`}}`)
	}
	marked := `{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}`
	rows(t, s, []row{
		{name: "no key", body: chatClaude("", userClaude, ``), header: map[string]string{"X-Api-Key": ""}, status: 401, want: "x-api-key header is required"},
		{name: "wrong key", body: chatClaude("", userClaude, ``), header: map[string]string{"X-Api-Key": "x"}, status: 401, want: "invalid x-api-key"},
		{name: "no version", body: chatClaude("", userClaude, ``), header: map[string]string{"Anthropic-Version": ""}, want: "anthropic-version: header is required"},
		{name: "unknown beta", body: chatClaude("", userClaude, ``), header: map[string]string{"Anthropic-Beta": "nonsense"}, want: "Unexpected value(s) `nonsense`"},
		{name: "wrong path", path: "/v1/messages/count_tokens", body: `{}`, status: 404, want: "not_found_error"},
		{name: "not json", body: `[`, want: "not valid JSON"},
		{name: "unknown field", body: chatClaude("", userClaude, `"n":2`), want: "n: Extra inputs are not permitted"},
		{name: "unknown field inside", body: block(`{"type":"text","text":"a","foo":1}`), want: "messages.0.content.0.text.foo: Extra inputs are not permitted"},
		{name: "a beta's field", body: chatClaude("", userClaude, `"mcp_servers":[]`), want: "mcp_servers: Extra inputs are not permitted"},
		{name: "no max_tokens", body: `{"model":"claude-sonnet-4-5","messages":[` + userClaude + `]}`, want: "max_tokens: Field required"},
		{name: "unknown block", body: block(`{"type":"input_audio"}`), want: "Input tag 'input_audio' found using 'type'"},
		{name: "first turn", body: chatClaude("", `{"role":"assistant","content":"a"},`+userClaude, ``), want: `first message must use the "user" role`},
		{name: "empty text", body: block(`{"type":"text","text":""},{"type":"text","text":"a"}`), want: "text content blocks must be non-empty"},
		{name: "only blanks", body: block(`{"type":"text","text":" "}`), want: "must contain non-whitespace text"},
		{name: "empty user", body: chatClaude("", `{"role":"user","content":""}`, ``), want: "user messages must have non-empty content"},
		{name: "blank system", body: chatClaude("", userClaude, `"system":" "`), want: "system: text content blocks must contain non-whitespace text"},
		{name: "prefill", body: chatClaude("claude-opus-4-6", userClaude+`,{"role":"assistant","content":"{"}`, ``), want: "does not support assistant message prefill"},
		{name: "system among the messages", body: chatClaude("", userClaude+`,{"role":"system","content":"a"}`, ``), want: "role 'system' is not supported"},
		{name: "system after an assistant", body: chatClaude("claude-opus-4-8", userClaude+`,{"role":"assistant","content":"a"},{"role":"system","content":"a"}`, ``), want: "must follow a user message"},
		{name: "unanswered", body: chatClaude("", loopClaude(`{"type":"tool_result","tool_use_id":"a","content":"x"}`), `"tools":[`+toolF+`]`), want: "ids were found without `tool_result` blocks immediately after: b"},
		{name: "answers after text", body: chatClaude("", loopClaude(`{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b"}`), `"tools":[`+toolF+`]`), want: "without `tool_result` blocks immediately after"},
		{name: "orphan", body: chatClaude("", loopClaude(`{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b"},{"type":"tool_result","tool_use_id":"c"}`), `"tools":[`+toolF+`]`), want: "unexpected `tool_use_id` found in `tool_result` blocks: c"},
		{name: "twice answered", body: chatClaude("", loopClaude(`{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"a"}`), `"tools":[`+toolF+`]`), want: "each tool_use must have a single result"},
		{name: "twice the same id", body: chatClaude("", strings.ReplaceAll(loopClaude(`{"type":"tool_result","tool_use_id":"a"}`), `"b"`, `"a"`), `"tools":[`+toolF+`]`), want: "ids must be unique"},
		{name: "id", body: chatClaude("", strings.ReplaceAll(loopClaude(`{"type":"tool_result","tool_use_id":"a"}`), `"b"`, `"f:0"`), `"tools":[`+toolF+`]`), want: "String should match pattern '^[a-zA-Z0-9_-]+$'"},
		{name: "no tools", body: chatClaude("", loopClaude(`{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b"}`), ``), want: "must define tools"},
		{name: "tool's schema", body: tool(`{"name":"f","input_schema":{}}`, ``), want: "tools.0.custom.input_schema.type: Field required"},
		{name: "tool's name", body: tool(`{"name":"a.b","input_schema":{"type":"object"}}`, ``), want: "tools.0.custom.name"},
		{name: "two of a name", body: tool(toolF+`,`+toolF, ``), want: "Tool names must be unique"},
		{name: "choice without tools", body: chatClaude("", userClaude, `"tool_choice":{"type":"auto"}`), want: "may only be specified while providing tools"},
		{name: "choice of nothing", body: tool(toolF, `,"tool_choice":{"type":"tool","name":"g"}`), want: "Tool 'g' not found"},
		{name: "none and parallel", body: tool(toolF, `,"tool_choice":{"type":"none","disable_parallel_tool_use":true}`), want: "disable_parallel_tool_use: Extra inputs are not permitted"},
		{name: "strict tool with bounds", body: tool(`{"name":"f","strict":true,"input_schema":{"type":"object","additionalProperties":false,"properties":{"a":{"type":"integer","minimum":1}}}}`, ``), want: "For 'integer' type, properties minimum are not supported"},
		{name: "format", body: format(`{"type":"object","properties":{}}`), want: "'additionalProperties' must be explicitly set to false"},
		{name: "format that recurs", body: format(`{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"#"}}}`), want: "recursive schemas are not supported"},
		{name: "five markers", body: block(strings.TrimSuffix(strings.Repeat(marked+`,`, 5), `,`)), want: "A maximum of 4 blocks with cache_control may be provided. Found 5."},
		{name: "long after short", body: block(marked + `,{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}}`), want: "must not come after a ttl='5m'"},
		{name: "marked thought", body: chatClaude("", userClaude+`,{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"b","cache_control":{"type":"ephemeral"}}]},`+userClaude, ``), want: "thinking.cache_control: Extra inputs are not permitted"},
		{name: "small budget", body: chatClaude("", userClaude, `"thinking":{"type":"enabled","budget_tokens":512}`), want: "greater than or equal to 1024"},
		{name: "budget above the limit", body: chatClaude("", userClaude, `"thinking":{"type":"enabled","budget_tokens":9000}`), want: "`max_tokens` must be greater than"},
		{name: "budget of a newer model", body: chatClaude("claude-opus-4-7", userClaude, `"thinking":{"type":"enabled","budget_tokens":1024}`), want: "budget_tokens is not supported"},
		{name: "adaptive of an older model", body: chatClaude("", userClaude, `"thinking":{"type":"adaptive"}`), want: "adaptive thinking is not supported"},
		{name: "disabled where it cannot be", body: chatClaude("claude-opus-5-5", userClaude, `"thinking":{"type":"disabled"}`), want: "cannot be disabled"},
		{name: "effort", body: chatClaude("claude-sonnet-4-6", userClaude, `"output_config":{"effort":"xhigh"}`), want: "effort level 'xhigh' is not supported"},
		{name: "forced while thinking", body: tool(toolF, `,"tool_choice":{"type":"any"},"thinking":{"type":"enabled","budget_tokens":1024}`), want: "Thinking may not be enabled when tool_choice forces tool use."},
		{name: "forced on the latest", body: chatClaude("claude-sonnet-5-5", userClaude, `"tools":[`+toolF+`],"tool_choice":{"type":"any"}`), want: "`any` and `tool` are not supported"},
		{name: "sampling of the newer version", header: map[string]string{"Anthropic-Version": versionNew}, body: chatClaude("", userClaude, `"temperature":1`), want: "temperature: Extra inputs are not permitted"},
		{name: "both samplers", body: chatClaude("", userClaude, `"temperature":0.5,"top_p":0.5`), want: "cannot both be specified"},
		{name: "temperature of a newer model", body: chatClaude("claude-opus-4-7", userClaude, `"temperature":0.2`), want: "may only be set to 1"},
		{name: "top_k of a newer model", body: chatClaude("claude-opus-4-7", userClaude, `"top_k":3`), want: "`top_k` is not supported"},
		{name: "temperature while thinking", body: chatClaude("", userClaude, `"temperature":0.2,"thinking":{"type":"enabled","budget_tokens":1024}`), want: "may only be set to 1 when thinking is enabled"},
		{name: "too hot", body: chatClaude("", userClaude, `"temperature":1.5`), want: "less than or equal to 1"},
		{name: "blank stop", body: chatClaude("", userClaude, `"stop_sequences":["\n\n"]`), want: "must contain non-whitespace"},
		{name: "image of another type", body: block(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + tinyJPEG + `"}}`), want: "appears to be a image/jpeg image"},
		{name: "unknown image type", body: block(`{"type":"image","source":{"type":"base64","media_type":"image/heic","data":"` + tinyJPEG + `"}}`), want: "media_type: Input should be 'image/jpeg'"},
		{name: "not base64", body: block(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"a-_"}}`), want: "Invalid base64 data"},
		{name: "citations of a user", header: map[string]string{"Anthropic-Version": versionNew}, body: block(`{"type":"text","text":"a","citations":[{"type":"char_location"}]}`), want: "citations are not permitted"},
		{name: "document of an assistant", header: map[string]string{"Anthropic-Version": versionNew}, body: chatClaude("", userClaude+`,{"role":"assistant","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"}}]},`+userClaude, ``), want: "`document` blocks are not permitted"},
		{name: "unsigned thought", body: chatClaude("", userClaude+`,{"role":"assistant","content":[{"type":"thinking","thinking":"a"}]},`+userClaude, ``), want: "thinking.signature: Field required"},
		{name: "forged signature", body: chatClaude("", userClaude+`,{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"EqQB"}]},`+userClaude, ``), want: "Invalid `signature` in `thinking` block"},
		{name: "loop without thoughts", body: chatClaude("", loopClaude(`{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b"}`), `"tools":[`+toolF+`],"thinking":{"type":"enabled","budget_tokens":1024}`), want: "Expected `thinking` or `redacted_thinking`, but found `tool_use`"},
	})
}

const userClaude = `{"role":"user","content":"hi"}`

func chatClaude(model, messages, fields string) string {
	if model == "" {
		model = "claude-sonnet-4-5"
	}
	if fields != "" {
		fields = "," + fields
	}
	return `{"model":"` + model + `","max_tokens":2000,"messages":[` + messages + `]` + fields + `}`
}

// loopClaude is two calls, a and b, and a turn that answers them.
func loopClaude(answer string) string {
	return userClaude + `,{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},{"role":"user","content":[` + answer + `]}`
}
