package dialect_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/provider/sandbox"
	"stele/internal/race"
	"stele/internal/relay"
)

// repeated is a request with one thing in it n times. Every field that can be
// repeated is in the list of its dialect.
type repeated struct {
	name string
	body func(n int) string
}

// many is n pieces with # for their numbers and #n for the next ones, between commas.
func many(n int, piece string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		for j := 0; j < len(piece); j++ {
			switch {
			case piece[j] != '#' || strings.HasPrefix(piece[j:], "#/"): // a reference within a schema
				b.WriteByte(piece[j])
			case strings.HasPrefix(piece[j:], "#n"):
				b.WriteString(strconv.Itoa(i + 1))
				j++
			default:
				b.WriteString(strconv.Itoa(i))
			}
		}
	}
	return b.String()
}

// within puts n pieces into a body at its %s.
func within(body, piece string) func(n int) string {
	return func(n int) string { return fmt.Sprintf(body, many(n, piece)) }
}

// schemas are schemas with n of something, to be put into each place that takes one.
var schemas = []repeated{
	{"properties", within(`{"type":"object","properties":{%s}}`, `"p#":{"type":"string"}`)},
	{"required", func(n int) string {
		return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s]}`, many(n, `"p#":{"type":"string"}`), many(n, `"p#"`))
	}},
	{"ordering", func(n int) string {
		return fmt.Sprintf(`{"type":"object","properties":{%s},"propertyOrdering":[%s]}`, many(n, `"p#":{"type":"string"}`), many(n, `"p#n"`))
	}},
	{"orderings", within(`{"type":"object","properties":{%s}}`, `"p#":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"propertyOrdering":["b","a"]}`)},
	{"types", within(`{"type":"object","properties":{%s}}`, `"p#":{"type":["string","null","integer"],"minLength":1}`)},
	{"type", within(`{"type":[%s],"properties":{"a":{"type":"string"}}}`, `"string"`)},
	{"enum", within(`{"type":"object","properties":{"a":{"type":"string","enum":[%s]}}}`, `"e#"`)},
	{"enum of types", within(`{"type":"object","properties":{"a":{"type":["string","null"],"enum":[%s]}}}`, `"e#"`)},
	{"anyOf", within(`{"anyOf":[%s]}`, `{"type":"object","properties":{"a#":{"type":"string"}}}`)},
	{"oneOf", within(`{"type":"object","oneOf":[%s]}`, `{"required":["a#"]}`)},
	{"allOf", within(`{"allOf":[%s]}`, `{"type":"object","properties":{"a#":{"type":"string"}},"required":["a#"]}`)},
	{"definitions", within(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{%s}}`, `"d#":{"type":"string"}`)},
	{"references", func(n int) string {
		return fmt.Sprintf(`{"type":"object","properties":{%s},"$defs":{%s}}`, many(n, `"p#":{"$ref":"#/$defs/d#"}`), many(n, `"d#":{"type":"string"}`))
	}},
	{"one reference", within(`{"type":"object","properties":{%s},"definitions":{"d":{"type":"object","properties":{"x":{"type":"string"}}}}}`, `"p#":{"$ref":"#/definitions/d"}`)},
	{"references by name", within(`{"type":"object","properties":{%s},"$defs":{"d":{"$anchor":"a0"}}}`, `"p#":{"$ref":"\u0023a#"}`)},
	{"references to no name", within(`{"type":"object","properties":{%s}}`, `"p#":{"$ref":"\u0023a#"}`)},
	{"references elsewhere", within(`{"type":"object","properties":{%s}}`, `"p#":{"$ref":"https://example.com/#.json"}`)},
	{"versions", within(`{"type":"object","properties":{%s}}`, `"p#":{"$schema":"http://json-schema.org/draft-0#/schema"}`)},
	{"formats", within(`{"type":"object","properties":{%s}}`, `"p#":{"type":"string","format":"f#","contentEncoding":"c#"}`)},
	{"nothing", within(`{"type":"object","properties":{"a":{%s}}}`, `"n#":null`)},
	{"one of all", func(n int) string {
		return fmt.Sprintf(`{"type":"object","properties":{"a":{%s,"allOf":[{%s}]}}}`, many(n, `"a#":1`), many(n, `"b#":1`))
	}},
	{"a root elsewhere", func(n int) string {
		return fmt.Sprintf(`{"$ref":"#/$defs/d",%s,"$defs":{"d":{"type":"object",%s}}}`, many(n, `"a#":1`), many(n, `"b#":1`))
	}},
	{"chain", func(n int) string {
		n /= 50
		return fmt.Sprintf(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d1"}},"$defs":{%s,"d%d":{"type":"string"}}}`, many(n, `"d#":{"type":"object","properties":{"x":{"$ref":"#/$defs/d#n"}}}`), n)
	}},
	{"circles", within(`{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"object","anyOf":[%s]}}}`, `{"$ref":"#/$defs/a"}`)},
	{"circles of all", within(`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"object","allOf":[%s]}}}`, `{"$ref":"#/$defs/a"}`)},
	{"circles of properties", within(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"object","properties":{%s}}}}`, `"p#":{"$ref":"#/$defs/a"}`)},
	{"doubled choices", func(n int) string { return doubled(n, `{"anyOf":[{"$ref":"#/$defs/d#n"},{"$ref":"#/$defs/d#n"}]}`) }},
	{"doubled joins", func(n int) string { return doubled(n, `{"allOf":[{"$ref":"#/$defs/d#n"},{"$ref":"#/$defs/d#n"}]}`) }},
	{"doubled properties", func(n int) string {
		return doubled(n, `{"type":"object","properties":{"a":{"$ref":"#/$defs/d#n"},"b":{"$ref":"#/$defs/d#n"}},"required":["a"]}`)
	}},
	{"long pointers", func(n int) string {
		deep := n / 4
		return fmt.Sprintf(`{"anyOf":[%s],"properties":{"a":%s{"type":"string","enum":[%s]}%s}}`,
			many(20, `{"$ref":"#/properties/a`+strings.Repeat("/items", deep)+`/x#"}`),
			strings.Repeat(`{"items":`, deep), many(n, `"e#"`), strings.Repeat("}", deep))
	}},
	{"unknown keywords", within(`{"type":"object","properties":{"a":{"type":"string"}},%s}`, `"x-#":1`)},
	{"allOf of enums", func(n int) string {
		return fmt.Sprintf(`{"type":"object","properties":{"a":{"allOf":[{"enum":[%s]},{"enum":[%s]}]}},"required":["a"]}`, many(n, `"e#"`), many(n, `"e#"`))
	}},
	{"prefixItems", within(`{"type":"array","prefixItems":[%s]}`, `{"type":"string"}`)},
	{"depth", func(n int) string {
		return strings.Repeat(`{"type":"object","properties":{"a":`, min(n/40, 900)) + `{"type":"string"}` + strings.Repeat("}}", min(n/40, 900))
	}},
	{"patterns", within(`{"type":"object","patternProperties":{%s}}`, `"^p#":{"type":"string"}`)},
	{"dependent", func(n int) string {
		return fmt.Sprintf(`{"type":"object","required":["p0"],"dependentRequired":{%s}}`, many(n, `"p#":["p#n"]`))
	}},
	{"many descriptions", within(`{"type":"object","properties":{%s}}`, `"p#":{"type":"string","description":"d#","minLength":#,"pattern":"^a","default":"x"}`)},
}

// doubled is a chain of definitions each of which refers to the next one twice.
func doubled(n int, one string) string {
	n /= 5
	return fmt.Sprintf(`{"anyOf":[{"$ref":"#/$defs/d0"}],"properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{%s,"d%d":{"type":"object"}}}`, many(n, `"d#":`+one), n)
}

const (
	openaiTalk    = `{"model":"m","messages":[{"role":"user","content":"call t1"}],%s}`
	anthropicTalk = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"call t1"}],%s}`
	geminiTalk    = `{"contents":[{"role":"user","parts":[{"text":"call t1"}]}],%s}`
)

// fields are all that can be repeated in a request, by dialect.
func growing() map[string][]repeated {
	list := map[string][]repeated{
		"openai": {
			{"messages", within(`{"model":"m","messages":[%s]}`, `{"role":"user","content":"hi #"}`)},
			{"turns", within(`{"model":"m","messages":[%s]}`, `{"role":"user","content":"hi #"},{"role":"assistant","content":"ho #"}`)},
			{"system messages", within(`{"model":"m","messages":[%s,{"role":"user","content":"x"}]}`, `{"role":"system","content":"hi #"}`)},
			{"late system messages", within(`{"model":"m","messages":[{"role":"user","content":"x"},%s]}`, `{"role":"system","content":"hi #"}`)},
			{"texts", within(`{"model":"m","messages":[{"role":"user","content":[%s]}]}`, `{"type":"text","text":"hi #"}`)},
			{"pictures", within(`{"model":"m","messages":[{"role":"user","content":[%s]}]}`, `{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}`)},
			{"addresses", within(`{"model":"m","messages":[{"role":"user","content":[%s]}]}`, `{"type":"image_url","image_url":{"url":"https://example.com/#"}}`)},
			{"files", within(`{"model":"m","messages":[{"role":"user","content":[%s]}]}`, `{"type":"file","file":{"filename":"f#","file_data":"data:application/pdf;base64,JVBERi0xLjQK"}}`)},
			{"odd members of a part", within(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x",%s}]}]}`, `"m#":1`)},
			{"odd members of a message", within(`{"model":"m","messages":[{"role":"user","content":"x",%s}]}`, `"m#":1`)},
			{"cached texts", within(`{"model":"m","messages":[{"role":"user","content":[%s]}]}`, `{"type":"text","text":"hi #","cache_control":{"type":"ephemeral"}}`)},
			{"calls", func(n int) string {
				return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[%s]},%s]}`,
					many(n, `{"id":"c#","type":"function","function":{"name":"t","arguments":"{}"}}`), many(n, `{"role":"tool","tool_call_id":"c#","content":"ok"}`))
			}},
			{"calls in turns", within(`{"model":"m","messages":[{"role":"user","content":"x"},%s]}`,
				`{"role":"assistant","tool_calls":[{"id":"c#","type":"function","function":{"name":"t#","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c#","content":"ok"}`)},
			{"unanswered calls", within(`{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[%s]},{"role":"user","content":"y"}]}`,
				`{"id":"c#","type":"function","function":{"name":"t","arguments":"{}"}}`)},
			{"sealed calls", within(`{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[%s]},{"role":"user","content":"y"}]}`,
				`{"id":"c#","type":"function","function":{"name":"t","arguments":"{}"},"extra_content":{"google":{"thought_signature":"stele.x#"}}}`)},
			{"items", within(`{"model":"m","input":[%s]}`, `{"role":"user","content":[{"type":"input_text","text":"hi #"}]},{"role":"assistant","content":[{"type":"output_text","text":"ho #"}]}`)},
			{"items of calls", func(n int) string {
				return fmt.Sprintf(`{"model":"m","input":[{"role":"user","content":"x"},%s,%s]}`,
					many(n, `{"type":"function_call","call_id":"c#","name":"t","arguments":"{}"}`), many(n, `{"type":"function_call_output","call_id":"c#","output":"ok"}`))
			}},
			{"items of calls in turns", within(`{"model":"m","input":[{"role":"user","content":"x"},%s]}`,
				`{"type":"custom_tool_call","call_id":"c#","name":"t#","input":"x"},{"type":"custom_tool_call_output","call_id":"c#","output":"ok"}`)},
			{"items that are not carried", within(`{"model":"m","input":[{"role":"user","content":"x"},%s]}`, `{"type":"web_search_call","id":"w#"}`)},
			{"flat tools", within(fmt.Sprintf(openaiTalk, `"tools":[%s]`), `{"type":"custom","name":"t#","format":{"type":"grammar","syntax":"lark","definition":"x"}}`)},
			{"stray results", within(`{"model":"m","messages":[{"role":"user","content":"x"},%s]}`, `{"role":"tool","tool_call_id":"c#","content":"ok"}`)},
			{"reasoning details", within(`{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y","reasoning_details":[%s]}]}`,
				`{"type":"reasoning.text","text":"t#","signature":"s#"}`)},
			{"annotations", within(`{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y","annotations":[%s]}]}`,
				`{"type":"url_citation","url_citation":{"url":"https://x/#","start_index":0,"end_index":1}}`)},
			{"images of an answer", within(`{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y","images":[%s]}]}`,
				`{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}`)},
			{"tools", within(fmt.Sprintf(openaiTalk, `"tools":[%s]`), `{"type":"function","function":{"name":"t#","parameters":{"type":"object","properties":{}}}}`)},
			{"tools by one name", within(fmt.Sprintf(openaiTalk, `"tools":[%s]`), `{"type":"function","function":{"name":"same","parameters":{"type":"object","properties":{}}}}`)},
			{"tools with odd names", within(fmt.Sprintf(openaiTalk, `"tools":[%s]`), `{"type":"function","function":{"name":"ö tool #"}}`)},
			{"tools and a long text", func(n int) string {
				return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}],"tools":[%s]}`, strings.Repeat("ab ba ", n), many(n, `{"type":"function","function":{"name":"some_tool_#"}}`))
			}},
			{"custom tools", within(fmt.Sprintf(openaiTalk, `"tools":[%s]`), `{"type":"custom","custom":{"name":"t#"}}`)},
			{"functions", within(fmt.Sprintf(openaiTalk, `"functions":[%s]`), `{"name":"t#","parameters":{"type":"object","properties":{}}}`)},
			{"allowed tools", func(n int) string {
				return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[%s],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[%s]}}}`,
					many(n, `{"type":"function","function":{"name":"t#"}}`), many(n, `{"type":"function","function":{"name":"t#"}}`))
			}},
			{"called tools", func(n int) string {
				return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[%s]},%s],"tool_choice":"required","tools":[%s]}`,
					many(n, `{"id":"c#","type":"function","function":{"name":"t#","arguments":"{}"}}`), many(n, `{"role":"tool","tool_call_id":"c#","content":"ok"}`),
					many(n, `{"type":"function","function":{"name":"t#"}}`))
			}},
			{"stops", within(fmt.Sprintf(openaiTalk, `"stop":[%s]`), `"s#"`)},
			{"stops and a long text", func(n int) string {
				return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"[[sandbox: words=%d]] x"}],"stop":[%s]}`, min(n, 10_000), many(n, `"never #"`))
			}},
			{"logit bias", within(fmt.Sprintf(openaiTalk, `"logit_bias":{%s}`), `"#":1`)},
			{"metadata", within(fmt.Sprintf(openaiTalk, `"metadata":{%s}`), `"m#":"v"`)},
			{"modalities", within(fmt.Sprintf(openaiTalk, `"modalities":[%s]`), `"text"`)},
			{"unknown fields", within(fmt.Sprintf(openaiTalk, `%s`), `"x_#":1`)},
			{"extra body", within(fmt.Sprintf(openaiTalk, `"extra_body":{%s}`), `"x_#":1`)},
			{"options", within(fmt.Sprintf(openaiTalk, `"options":{%s}`), `"x_#":1`)},
			{"a long word", func(n int) string {
				return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, strings.Repeat("x", 20*n))
			}},
			{"a long text", func(n int) string {
				return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, strings.Repeat("xy é ", 4*n))
			}},
			{"many marks", func(n int) string {
				return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, "e"+strings.Repeat("\u0301", 5*n))
			}},
			{"brackets", func(n int) string {
				return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, strings.Repeat("[[ sandbox ", n))
			}},
			{"escapes", func(n int) string {
				return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"%s"}]}`, strings.Repeat(`\\\"\u00e9`, n))
			}},
			{"digits", func(n int) string { return fmt.Sprintf(openaiTalk, `"temperature":1.`+strings.Repeat("1", 20*n)) }},
		},
		"anthropic": {
			{"messages", within(`{"model":"m","max_tokens":9,"messages":[%s]}`, `{"role":"user","content":"hi #"}`)},
			{"turns", within(`{"model":"m","max_tokens":9,"messages":[%s]}`, `{"role":"user","content":"hi #"},{"role":"assistant","content":"ho #"}`)},
			{"texts", within(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[%s]}]}`, `{"type":"text","text":"hi #"}`)},
			{"pictures", within(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[%s]}]}`, `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}`)},
			{"documents", within(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[%s]}]}`, `{"type":"document","title":"t#","source":{"type":"text","media_type":"text/plain","data":"words"}}`)},
			{"system", within(fmt.Sprintf(anthropicTalk, `"system":[%s]`), `{"type":"text","text":"s#"}`)},
			{"thoughts", within(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[%s]}]}`, `{"type":"thinking","thinking":"t#","signature":"s#"}`)},
			{"citations", within(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"text","text":"y","citations":[%s]}]}]}`,
				`{"type":"char_location","cited_text":"c#","document_index":0,"start_char_index":0,"end_char_index":1}`)},
			{"calls", func(n int) string {
				return fmt.Sprintf(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[%s]},{"role":"user","content":[%s]}]}`,
					many(n, `{"type":"tool_use","id":"c#","name":"t","input":{}}`), many(n, `{"type":"tool_result","tool_use_id":"c#","content":"ok"}`))
			}},
			{"calls in turns", within(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},%s]}`,
				`{"role":"assistant","content":[{"type":"tool_use","id":"c#","name":"t#","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c#","content":"ok"}]}`)},
			{"unanswered calls", within(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[%s]},{"role":"user","content":"y"}]}`,
				`{"type":"tool_use","id":"c#","name":"t","input":{}}`)},
			{"parts of a result", within(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"t","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[%s]}]}]}`,
				`{"type":"text","text":"r#"}`)},
			{"unknown blocks", within(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[%s]}]}`,
				`{"type":"server_tool_use","id":"s#","name":"web_search","input":{"query":"q"}}`)},
			{"tools", within(fmt.Sprintf(anthropicTalk, `"tools":[%s]`), `{"name":"t#","input_schema":{"type":"object"}}`)},
			{"server tools", within(fmt.Sprintf(anthropicTalk, `"tools":[%s]`), `{"type":"web_search_20250305","name":"web_search"}`)},
			{"stops", within(fmt.Sprintf(anthropicTalk, `"stop_sequences":[%s]`), `"s#"`)},
			{"metadata", within(fmt.Sprintf(anthropicTalk, `"metadata":{%s}`), `"m#":"v"`)},
			{"unknown fields", within(fmt.Sprintf(anthropicTalk, `%s`), `"x_#":1`)},
			{"extra body", within(fmt.Sprintf(anthropicTalk, `"extra_body":{%s}`), `"x_#":1`)},
			{"servers", within(fmt.Sprintf(anthropicTalk, `"mcp_servers":[%s]`), `{"type":"url","url":"https://x/#","name":"n#"}`)},
		},
		"gemini": {
			{"contents", within(`{"contents":[%s]}`, `{"role":"user","parts":[{"text":"hi #"}]}`)},
			{"turns", within(`{"contents":[%s]}`, `{"role":"user","parts":[{"text":"hi #"}]},{"role":"model","parts":[{"text":"ho #"}]}`)},
			{"texts", within(`{"contents":[{"role":"user","parts":[%s]}]}`, `{"text":"hi #"}`)},
			{"pictures", within(`{"contents":[{"role":"user","parts":[%s]}]}`, `{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}`)},
			{"system", within(fmt.Sprintf(geminiTalk, `"systemInstruction":{"parts":[%s]}`), `{"text":"s#"}`)},
			{"calls", func(n int) string {
				return fmt.Sprintf(`{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[%s]},{"role":"user","parts":[%s]}]}`,
					many(n, `{"functionCall":{"name":"t#","args":{}}}`), many(n, `{"functionResponse":{"name":"t#","response":{"a":1}}}`))
			}},
			{"calls by one name", func(n int) string {
				return fmt.Sprintf(`{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[%s]},{"role":"user","parts":[%s]}]}`,
					many(n, `{"functionCall":{"name":"t","args":{}}}`), many(n, `{"functionResponse":{"name":"t","response":{"a":1}}}`))
			}},
			{"calls with ids", func(n int) string {
				return fmt.Sprintf(`{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[%s]},{"role":"user","parts":[%s]}]}`,
					many(n, `{"functionCall":{"id":"c#","name":"t","args":{}}}`), many(n, `{"functionResponse":{"id":"c#","name":"t","response":{"a":1}}}`))
			}},
			{"calls in turns", within(`{"contents":[{"role":"user","parts":[{"text":"x"}]},%s]}`,
				`{"role":"model","parts":[{"functionCall":{"name":"t#","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"t#","response":{"a":1}}}]}`)},
			{"signed calls", within(`{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[%s]},{"role":"user","parts":[{"text":"y"}]}]}`,
				`{"functionCall":{"name":"t#","args":{}},"thoughtSignature":"c2ln"}`)},
			{"tools", within(fmt.Sprintf(geminiTalk, `"tools":[{"functionDeclarations":[%s]}]`), `{"name":"t#","parametersJsonSchema":{"type":"object"}}`)},
			{"lists of tools", within(fmt.Sprintf(geminiTalk, `"tools":[%s]`), `{"functionDeclarations":[{"name":"t#"}]}`)},
			{"allowed tools", func(n int) string {
				return fmt.Sprintf(`{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":[%s]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":[%s]}}}`,
					many(n, `{"name":"t#"}`), many(n, `"t#"`))
			}},
			{"stops", within(fmt.Sprintf(geminiTalk, `"generationConfig":{"stopSequences":[%s]}`), `"s#"`)},
			{"config", within(fmt.Sprintf(geminiTalk, `"generationConfig":{%s}`), `"x#":1`)},
			{"safety", within(fmt.Sprintf(geminiTalk, `"safetySettings":[%s]`), `{"category":"c#","threshold":"OFF"}`)},
			{"labels", within(fmt.Sprintf(geminiTalk, `"labels":{%s}`), `"l#":"v"`)},
			{"unknown fields", within(fmt.Sprintf(geminiTalk, `%s`), `"x#":1`)},
			{"extra body", within(fmt.Sprintf(geminiTalk, `"extraBody":{%s}`), `"x#":1`)},
			{"modalities", within(fmt.Sprintf(geminiTalk, `"generationConfig":{"responseModalities":[%s]}`), `"TEXT"`)},
		},
	}
	for dialect, places := range map[string]map[string]string{
		"openai": {
			"format": fmt.Sprintf(openaiTalk, `"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":%s}}`),
			"tool":   fmt.Sprintf(openaiTalk, `"tools":[{"type":"function","function":{"name":"t1","strict":true,"parameters":%s}}]`),
		},
		"anthropic": {
			"format": fmt.Sprintf(anthropicTalk, `"output_config":{"format":{"type":"json_schema","schema":%s}}`),
			"tool":   fmt.Sprintf(anthropicTalk, `"tools":[{"name":"t1","strict":true,"input_schema":%s}]`),
		},
		"gemini": {
			"format": fmt.Sprintf(geminiTalk, `"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":%s}`),
			"own":    fmt.Sprintf(geminiTalk, `"generationConfig":{"responseMimeType":"application/json","responseSchema":%s}`),
			"tool":   fmt.Sprintf(geminiTalk, `"tools":[{"functionDeclarations":[{"name":"t1","parametersJsonSchema":%s}]}]`),
		},
	} {
		for place, body := range places {
			for _, s := range schemas {
				list[dialect] = append(list[dialect], repeated{
					"schema " + s.name + " of " + place, func(n int) string { return fmt.Sprintf(body, s.body(n)) },
				})
			}
		}
	}
	return list
}

// spent is how much of the processor do takes, whoever else works on the machine.
func spent(do func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after syscall.Rusage
	const thisThread = 1
	_ = syscall.Getrusage(thisThread, &before)
	do()
	_ = syscall.Getrusage(thisThread, &after)
	return time.Duration(after.Utime.Nano() - before.Utime.Nano())
}

// works are all that is done with a request, by name.
func works(codecs map[string]dialect.Dialect) map[string]func(client string, body []byte) error {
	decode := func(client string, body []byte) (*chat.Request, error) {
		return codecs[client].DecodeRequest(dialect.Incoming{Model: "m", Header: http.Header{"Anthropic-Version": {"2023-06-01"}}, Body: body})
	}
	list := map[string]func(string, []byte) error{
		"addresses": func(_ string, body []byte) error {
			return dialect.EachAddress(body, func(string, string) error { return nil })
		},
	}
	for name, codec := range codecs {
		t := dialect.Upstream{Model: map[string]string{"openai": "gpt-4.1", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-3-pro"}[name]}
		list["pass to "+name] = func(client string, body []byte) error {
			if client != name {
				return nil
			}
			req, err := decode(client, body)
			if err == nil {
				_, err = codec.PassRequest(req, t)
			}
			return err
		}
		list["translate to "+name] = func(client string, body []byte) error {
			req, err := decode(client, body)
			if err != nil {
				return err
			}
			talk, err := req.Conversation()
			if err == nil {
				talk, _, err = dialect.WithModernSchemas(talk)
			}
			if err == nil {
				_, err = codec.EncodeRequest(talk, t)
			}
			return err
		}
	}
	upstream := sandbox.New(sandbox.Options{Now: time.Now, Secret: []byte("secret")})
	list["sandbox"] = func(client string, body []byte) error {
		req, err := decode(client, body)
		if err == nil {
			_, err = upstream.Do(context.Background(), req, relay.Target{Model: "m"})
		}
		return err
	}
	return list
}

// allocated is the bytes that do allocates. Nothing else may run meanwhile.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func everyCodec() map[string]dialect.Dialect {
	return map[string]dialect.Dialect{"openai": openai.Codec{}, "anthropic": anthropic.Codec{}, "gemini": gemini.Codec{}}
}

// TestMemoryGrowsWithTheRequest does everything with requests of some and of four
// times as many of each thing that can be repeated: four times as much may take a
// little more than four times the memory, but not sixteen times. It is not parallel:
// it counts all bytes that are allocated.
func TestMemoryGrowsWithTheRequest(t *testing.T) { //nolint:paralleltest // see above
	race.Skip(t, "nothing in it runs at the same time")
	const few, times, most, little = 200, 4, 8, 128 << 10
	for client, list := range growing() {
		for _, r := range list {
			small, large := []byte(r.body(few)), []byte(r.body(few*times))
			for name, work := range works(everyCodec()) {
				a := allocated(func() { _ = work(client, small) })
				b := allocated(func() { _ = work(client, large) })
				if b > most*max(a, little) {
					t.Errorf("%s, %s, %s: %d bytes for %d, %d for %d", client, r.name, name, a, few, b, few*times)
				}
			}
		}
	}
}

// BenchmarkWorkGrowsWithTheRequest is the same for the processor's time, which is no
// matter of a test: run it by itself, on a machine that does nothing else.
func BenchmarkWorkGrowsWithTheRequest(b *testing.B) {
	const few, times, most = 1500, 4, 9
	for client, list := range growing() {
		for _, r := range list {
			small, large := []byte(r.body(few)), []byte(r.body(few*times))
			for name, work := range works(everyCodec()) {
				least, longest, ratio := time.Hour, time.Hour, 0.0
				for range 4 { // a collection of garbage may come between
					least = min(least, spent(func() { _ = work(client, small) }))
					longest = min(longest, spent(func() { _ = work(client, large) }))
					if ratio = float64(longest) / float64(max(least, 4*time.Millisecond)); ratio < most {
						break
					}
				}
				if ratio >= most {
					b.Errorf("%s, %s, %s: %v for %d, %v for %d", client, r.name, name, least, few, longest, few*times)
				}
			}
		}
	}
}

// Work on schemas that are made modern before they are translated grows with them: what is no matter of a factor of two
// is told on any machine.
func TestOldSchemasAreQuickWork(t *testing.T) {
	t.Parallel()
	race.Skip(t, "nothing in it runs at the same time")
	const size, most = 1 << 20, 5 * time.Second
	for _, r := range schemas {
		n := size / (len(r.body(1000))/1000 + 1)
		schema := []byte(r.body(n))
		if took := spent(func() { dialect.ModernizeSchema(schema, chat.Loss{}) }); took > most {
			t.Errorf("%s: %s for %d in %d KB", r.name, took, n, len(schema)>>10)
		}
	}
}
