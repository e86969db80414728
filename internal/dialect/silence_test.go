package dialect_test

import (
	"fmt"
	"strings"
	"testing"
)

// place marks where an object of a template may have another member.
const position = "§"

// withMember is a template with a member at one of its places.
func withMember(template, member string, at int) string {
	var b strings.Builder
	for i, piece := range strings.Split(template, position) {
		if b.WriteString(piece); i == at {
			b.WriteString(member)
		}
	}
	return b.String()
}

// near is what stands before a place, for reports.
func near(template string, at int) string {
	before := strings.Join(strings.Split(template, position)[:at+1], "")
	return before[max(0, len(before)-60):]
}

// requestsWithAll have all objects that a request of a dialect may have.
var requestsWithAll = map[string][]string{
	O: {
		`{"model":"m"§,"messages":[{"role":"system","content":[{"type":"text","text":"s"§}]§},{"role":"user","content":[{"type":"text","text":"go"§},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="§}§},{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERi0x","filename":"a.pdf"§}§}]§},` +
			`{"role":"assistant","content":[{"type":"text","text":"so"§}],"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"§}§}]§},{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"x"§}]§}],` +
			`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}§}§}],"tool_choice":{"type":"function","function":{"name":"f"§}§},"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{}}§}§},"reasoning":{"effort":"low"§}}`,
		`{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"x","audio":{"id":"audio_1"§}},{"role":"user","content":[{"type":"text","text":"on","cache_control":{"type":"ephemeral"§}}]}],"tools":[{"type":"custom","custom":{"name":"p","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"x"§}§}§}§}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"custom","custom":{"name":"p"§}§}]§}§},"stream":true,"stream_options":{"include_usage":true§},"thinking":{"type":"enabled"§}}`,
	},
	A: {
		`{"model":"m","max_tokens":9000§,"system":[{"type":"text","text":"s"§}],"messages":[{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"§}§},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="§}§},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"§},"citations":{"enabled":false§}§}]§},` +
			`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"§},{"type":"text","text":"so"§},{"type":"tool_use","id":"t","name":"f","input":{}§}]§},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"x"§}]§}]§}],` +
			`"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}§}],"tool_choice":{"type":"auto"§},"thinking":{"type":"adaptive"§},"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object","properties":{}}§}§},"metadata":{"user_id":"u"§}}`,
	},
	G: {
		`{"contents":[{"role":"user","parts":[{"text":"go"§},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="§}§}]§},{"role":"model","parts":[{"text":"so"§},{"functionCall":{"id":"c","name":"f","args":{}§}§}]§},{"role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":{"output":"x"},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="§}§}]§}§}]§}]§,` +
			`"systemInstruction":{"parts":[{"text":"s"§}]§},"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"type":"object","properties":{"a":{"type":"string"}}}§}]}],"toolConfig":{"functionCallingConfig":{"mode":"AUTO"§}§},"generationConfig":{"temperature":1§,"thinkingConfig":{"thinkingLevel":"LOW"§},"responseMimeType":"application/json","responseFormat":[{"text":{"mimeType":"application/json","schema":{"type":"object"}§}§}]},"safetySettings":[{"category":"C"}]}`,
	},
}

// TestNoMemberOfARequestIsLostInSilence puts a member that nobody knows into every object of
// requests: it must reach the upstream, be told of or be refused.
func TestNoMemberOfARequestIsLostInSilence(t *testing.T) {
	t.Parallel()
	for from, templates := range requestsWithAll {
		for _, template := range templates {
			for _, to := range others(from) {
				outcome := func(ask string) string {
					l := try(t, trip{from: from, to: to, ask: ask})
					if l.failure != nil {
						return l.failure.Error()
					}
					return l.got().Raw + l.told()
				}
				plain := outcome(withMember(template, "", -1))
				if !strings.HasPrefix(plain, "{") {
					t.Fatalf("%s to %s: %s", from, to, plain)
				}
				for at := range strings.Count(template, position) {
					if outcome(withMember(template, `,"zzz":{"a":1}`, at)) == plain {
						t.Errorf("%s to %s: lost behind %s", from, to, near(template, at))
					}
				}
			}
		}
	}
}

// fieldsOfAll are fields of requests, as their authors document them, with values that are not
// what happens anyway. Behind the place of the members of a request.
var fieldsOfAll = map[string]struct {
	ask     string
	members []string
}{
	O: {`{"model":"m","messages":[{"role":"user","content":"go"}],` + toolsO + `§}`, []string{
		`"frequency_penalty":0.5`, `"presence_penalty":0.5`, `"logit_bias":{"1":5}`, `"logprobs":true`, `"top_logprobs":3`, `"max_completion_tokens":77`, `"max_tokens":77`, `"metadata":{"a":"b"}`,
		`"modalities":["text","audio"]`, `"audio":{"voice":"ash","format":"wav"}`, `"moderation":{"model":"x"}`, `"n":2`, `"parallel_tool_calls":false`, `"prediction":{"type":"content","content":"x"}`,
		`"prompt_cache_key":"k"`, `"prompt_cache_options":{"mode":"explicit"}`, `"prompt_cache_retention":"24h"`, `"reasoning_effort":"high"`, `"safety_identifier":"u"`, `"user":"u"`, `"seed":7`, `"service_tier":"flex"`,
		`"stop":["x"]`, `"store":true`, `"temperature":0.3`, `"top_p":0.3`, `"top_k":3`, `"verbosity":"low"`, `"web_search_options":{}`, `"min_p":0.1`, `"repetition_penalty":1.1`, `"tool_choice":"required"`,
		`"response_format":{"type":"json_object"}`, `"reasoning":{"max_tokens":2000}`, `"thinking":{"type":"enabled","budget_tokens":2000}`, `"enable_thinking":true`, `"thinking_budget":2000`, `"include_reasoning":true`,
		`"chat_template_kwargs":{"enable_thinking":true}`, `"functions":[{"name":"g"}]`, `"extra_body":{"zzz":1}`, `"options":{"zzz":1}`, `"cache_control":{"type":"ephemeral"}`, `"stream_options":{"include_obfuscation":true}`,
	}},
	A: {`{"model":"m","max_tokens":9000,"messages":[{"role":"user","content":"go"}],` + toolsA + `§}`, []string{
		`"cache_control":{"type":"ephemeral"}`, `"container":"c"`, `"diagnostics":{"previous_message_id":"x"}`, `"inference_geo":"eu"`, `"metadata":{"user_id":"u"}`, `"output_config":{"effort":"low"}`,
		`"output_config":{"task_budget":{"type":"tokens","total":9}}`, `"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{}}}}`, `"service_tier":"standard_only"`, `"speed":"fast"`, `"stop_sequences":["x"]`, `"system":"s"`,
		`"thinking":{"type":"enabled","budget_tokens":2000}`, `"thinking":{"type":"enabled","budget_tokens":2000,"display":"omitted"}`, `"tool_choice":{"type":"any"}`, `"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`,
		`"temperature":0.3`, `"top_p":0.3`, `"top_k":3`, `"compaction":{"x":1}`, `"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]}`, `"fallbacks":[{"model":"x"}]`, `"mcp_servers":[{"name":"x"}]`,
		`"output_format":{"type":"json_schema","schema":{"type":"object","properties":{}}}`, `"thread":{"id":"x"}`, `"block_binding":{"x":1}`, `"fallback_credit_token":"x"`, `"reasoning_effort":"high"`,
		`"billing_policy":{"type":"billing_policy","bill_to":"user_profile"}`, `"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"error"}}`, `"thinking":{"type":"adaptive","display":"updates"}`,
	}},
	G: {`{"contents":[{"parts":[{"text":"go"}]}],` + toolsG + `§}`, []string{
		`"cachedContent":"cachedContents/x"`, `"labels":{"a":"b"}`, `"serviceTier":"flex"`, `"store":true`, `"safetySettings":[{"category":"C","threshold":"T"}]`, `"continuationToken":"t"`, `"systemInstruction":"s"`,
		`"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`, `"toolConfig":{"functionCallingConfig":{"streamFunctionCallArguments":true}}`, `"toolConfig":{"retrievalConfig":{"languageCode":"de"}}`, `"toolConfig":{"includeServerSideToolInvocations":true}`,
		configG(`"temperature":0.3`), configG(`"topP":0.3`), configG(`"topK":3`), configG(`"candidateCount":2`), configG(`"maxOutputTokens":77`), configG(`"stopSequences":["x"]`), configG(`"presencePenalty":0.5`), configG(`"frequencyPenalty":0.5`),
		configG(`"seed":7`), configG(`"responseLogprobs":true`), configG(`"logprobs":3`), configG(`"responseMimeType":"application/json"`), configG(`"responseSchema":{"type":"OBJECT","properties":{}}`), configG(`"responseJsonSchema":{"type":"object","properties":{}}`),
		configG(`"responseFormat":[{"audio":{"x":1}}]`), configG(`"responseModalities":["TEXT","IMAGE"]`), configG(`"mediaResolution":"MEDIA_RESOLUTION_LOW"`), configG(`"speechConfig":{"languageCode":"de"}`), configG(`"imageConfig":{"aspectRatio":"1:1"}`),
		configG(`"thinkingConfig":{"includeThoughts":true}`), configG(`"thinkingConfig":{"thinkingBudget":2000}`), configG(`"enableEnhancedCivicAnswers":true`), configG(`"audioTimestamp":true`), configG(`"routingConfig":{"x":1}`), configG(`"modelSelectionConfig":{"x":1}`),
		configG(`"audioTranscriptionConfig":{"languageCodes":["de"]}`), configG(`"translationConfig":{"targetLanguageCode":"de"}`), configG(`"enableAffectiveDialog":true`), configG(`"generationOutputConfig":{"x":1}`), `"modelArmorConfig":{"promptTemplateName":"x"}`,
	}},
}

// membersOfAll are members that objects of requests have in their authors' types, behind the place in an object that has one.
var membersOfAll = map[string][]struct {
	ask     string
	members []string
}{
	A: {
		{`{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"go"},{"role":"system","content":"s"§},{"role":"assistant","content":"so"},{"role":"user","content":"on"}]}`, []string{`"clear_at":"next_user_message"`, `"output_config":{"effort":"low"}`, `"output_config":{"zzz":1}`}},
		{calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"r"§}]}`), []string{`"citations":[{"type":"char_location","cited_text":"q","document_index":0,"document_title":"D","start_char_index":0,"end_char_index":1}]`}},
	},
	G: {
		{`{"contents":[{"parts":[{"text":"go"§}]}]}`, []string{`"thought":true`, `"thoughtSignature":"c2ln"`, `"mediaResolution":{"level":"MEDIA_RESOLUTION_LOW"}`, `"mediaResolution":{"numTokens":7}`, `"partMetadata":{"a":1}`}},
		{`{"contents":[{"parts":[{"text":"go"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}§}]}]}`, []string{`"thought":true`, `"thoughtSignature":"c2ln"`, `"mediaResolution":{"numTokens":7}`, `"mediaProcessing":{"x":1}`}},
		{`{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}§}]},{"parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}§}]}]}`, []string{`"thought":true`, `"mediaResolution":{"level":"MEDIA_RESOLUTION_LOW"}`, `"videoMetadata":{"fps":1}`}},
		{`{"systemInstruction":{"parts":[{"text":"s"§}]},"contents":[{"parts":[{"text":"go"}]}]}`, []string{`"thought":true`, `"mediaResolution":{"level":"MEDIA_RESOLUTION_LOW"}`, `"partMetadata":{"a":1}`}},
	},
}

// TestNoMemberThatIsKnownIsLostInSilence is the same for members that mean something only elsewhere.
func TestNoMemberThatIsKnownIsLostInSilence(t *testing.T) {
	t.Parallel()
	for from, list := range membersOfAll {
		for _, to := range others(from) {
			for _, each := range list {
				outcome := func(ask string) string {
					l := try(t, trip{from: from, to: to, ask: ask})
					if l.failure != nil {
						return l.failure.Error()
					}
					return l.got().Raw + l.told()
				}
				plain := outcome(withMember(each.ask, "", -1))
				for at := range strings.Count(each.ask, position) {
					for _, member := range each.members {
						if outcome(withMember(each.ask, ","+member, at)) == plain {
							t.Errorf("%s to %s: %s is lost behind %s", from, to, member, near(each.ask, at))
						}
					}
				}
			}
		}
	}
}

// thoughtful are answers that show what is done here: stop sequences, thoughts that are not shown.
var thoughtful = map[string]string{
	O: endO("stop", `"content":"axb","reasoning_content":"hm"`), A: hi[A], G: hi[G],
}

// TestNoFieldOfARequestIsLostInSilence is the same for all fields that the authors of the
// dialects document, and over servers that are not theirs.
func TestNoFieldOfARequestIsLostInSilence(t *testing.T) {
	t.Parallel()
	for from, fields := range fieldsOfAll {
		for _, kind := range []string{O, A, G, "groq", "mistral", "deepseek", "xai", "together", "cerebras", "perplexity", "ollama", "llamacpp", "lmstudio", "vllm", "openrouter"} {
			to := O
			if kind == A || kind == G {
				to = kind
			}
			for _, model := range []string{"", map[string]string{O: "gpt-5.6", A: "claude-opus-5-5", G: "gemini-2.5-pro"}[to]} {
				if from == to {
					continue
				}
				outcome := func(member string) string {
					l := try(t, trip{from: from, to: to, kind: kind, model: model, ask: withMember(fields.ask, member, 0), answers: []string{thoughtful[to]}})
					if l.failure != nil {
						return l.failure.Error()
					}
					return fmt.Sprint(len(l.sent), l.got().Raw, l.told(), len(l.body))
				}
				plain := outcome("")
				for _, member := range fields.members {
					subsumed := kind == "perplexity" && strings.Contains(member, `"tool`) // of the tools that it is told to have lost
					if outcome(","+member) == plain && !subsumed {
						t.Errorf("%s to %s %s: %s is lost", from, kind, model, member)
					}
				}
			}
		}
	}
}

// answersWithAll have all objects of answers in which something may be said.
var answersWithAll = map[string]string{
	O: `{"id":"c","object":"chat.completion"§,"created":1,"model":"m","choices":[{"index":0§,"message":{"role":"assistant","content":[{"type":"text","text":"hi"}§2],"annotations":[{"type":"url_citation","url_citation":{"url":"https://a.example/","title":"T","start_index":0,"end_index":2}}§2],"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}§2]§},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`,
	A: `{"id":"msg_1","type":"message"§,"role":"assistant","model":"m","content":[{"type":"text","text":"hi"§,"citations":[{"type":"char_location","cited_text":"q","document_index":0,"document_title":"D","start_char_index":0,"end_char_index":1}§2]},{"type":"tool_use","id":"t","name":"f","input":{}§}§2],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}`,
	G: `{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"§},{"functionCall":{"name":"f","args":{}§}§}§2]},"finishReason":"STOP"§,"index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1,"totalTokenCount":4}§,"modelVersion":"m","responseId":"r"}`,
}

// streamsWithAll are the same as streams.
var streamsWithAll = map[string]string{
	O: sse(`{"id":"chatcmpl-1"§,"choices":[{"index":0§,"delta":{"role":"assistant"},"finish_reason":null}]}`) + chunksO("tool_calls", `{"content":"hi"§}`, `{"content":[{"type":"text","text":"ho"}§2]}`, `{"annotations":[{"type":"url_citation","url_citation":{"url":"https://a.example/","title":"T","start_index":0,"end_index":2}}§2]}`, toolO(0, "t", "f", "{}")),
	A: named(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null§,"usage":{"input_tokens":5,"output_tokens":1}}}`,
		`{"type":"message_delta","delta":{"stop_reason":null§},"usage":{"output_tokens":2}§}`) + messageA(named(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""§}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`, `{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""§}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"hi"}}`, `{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}§}}`, `{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, `{"type":"content_block_stop","index":2}`), "tool_use"),
	G: sse(answersWithAll[G]),
}

// TestNothingOfAnAnswerIsLostInSilence puts members and elements that nobody knows into
// answers: they must reach the client or be told of.
func TestNothingOfAnAnswerIsLostInSilence(t *testing.T) {
	t.Parallel()
	for _, to := range []string{O, A, G} {
		for i, from := range append(others(to), others(to)...) {
			streamed, template := i > 1, answersWithAll[to]
			if streamed {
				template = streamsWithAll[to]
			}
			template = strings.ReplaceAll(template, position+"2", position+" ")
			outcome := func(answer string) string {
				l := take(t, trip{from: from, to: to, kind: map[string]string{O: "vllm"}[to], stream: streamed, ask: plainly(from, streamed), answers: []string{answer}})
				return fmt.Sprint(len(l.body)) + l.told()
			}
			plain := outcome(withMember(template, "", -1))
			for at, behind := range strings.Split(template, position)[1:] {
				member := `,"zzz":{"a":1}`
				if strings.HasPrefix(behind, " ") {
					member = `,{"type":"zzz","zzz":{"a":1}}`
				}
				if outcome(withMember(template, member, at)) == plain {
					t.Errorf("%s from %s (streamed %t): lost behind %s", from, to, streamed, near(template, at))
				}
			}
		}
	}
}
