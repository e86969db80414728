package provider

import (
	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// Edit is a change that a service forces on requests of its dialect: a member
// that it refuses, calls otherwise or takes only with other values. A member
// with neither a new name nor a new value is left out; stop sequences that are
// left out are watched for here.
type Edit struct {
	Path   string                      // of the member: messages.#.name, where # is every element of a list
	Is     string                      // only where its value begins with this JSON
	Models []string                    // only for models with such names, as path.Match has them
	Name   string                      // its new name
	Value  string                      // its new value, as JSON
	Digits int                         // its value is an id, which must be so many letters and digits
	Header string                      // it is left out, and this header has its value: a tier
	Add    bool                        // put Value there even where the member was missing
	Make   func(jsonscan.Value) []byte // gives the new value of an element, where Path ends with #; nil: it stays
	Pass   bool                        // even where the client's own bytes pass through
	Field  string                      // what the client loses by it; "": nothing
	Note   string                      // what was done, where left out or changed does not say it
	Verb   chat.Verb                   // "": dropped where it is left out, approximated otherwise
}

// Move takes a header that a dialect sends out of the request.
type Move struct {
	Header string
	Member string // the member of the body that carries its values as a list; "": none does
}

// Fields of the common dialect's that not all who speak it know, as losses name them.
const (
	fieldBias   = "openai.logit_bias"
	fieldMinP   = "openai.min_p"
	fieldRepeat = "openai.repetition_penalty"
)

const (
	noThoughts = "it takes no thoughts of earlier turns"
	noTools    = "it calls no tools"
)

// What the services that speak OpenAI's dialect refuse or pass over, by their
// own documents and by what their users report, as of November 2026. A client's
// own bytes are changed only where a member comes from Stele or from another
// model's answer; all else is between the client and the service.

// compatibleEdits are for servers that are not OpenAI's, which refuse what only OpenAI's API knows, or pass
// over it, as Ollama and LM Studio do the newer name of a limit (ollama#7125). Their thoughts come unasked.
var compatibleEdits = []Edit{
	{Path: "max_completion_tokens", Name: "max_tokens"},
	{Path: "include_reasoning"},
	{Path: "verbosity", Field: "openai.verbosity"},
	{Path: "moderation", Field: "openai.moderation"},
	{Path: "service_tier", Field: chat.FieldTier},
	{Path: "safety_identifier", Field: chat.FieldUser, Verb: chat.Ignored},
	{Path: "prompt_cache_key", Field: "openai.prompt_cache_key", Verb: chat.Ignored},
	{Path: "prompt_cache_retention", Field: "openai.prompt_cache_retention", Verb: chat.Ignored},
	{Path: "prompt_cache_options", Field: "openai.prompt_cache_options", Verb: chat.Ignored},
}

// groqEdits: 400 for each of these, and for members of messages it does not know.
var groqEdits = []Edit{
	{Path: "top_k", Field: chat.FieldTopK},
	{Path: "logprobs", Field: chat.FieldLogprobs},
	{Path: "top_logprobs"},
	{Path: "logit_bias", Field: fieldBias},
	{Path: "min_p", Field: fieldMinP},
	{Path: "repetition_penalty", Field: fieldRepeat},
	{Path: "messages.#.name", Field: chat.FieldName},
	{Path: "messages.#.reasoning_content", Field: chat.FieldMessages, Note: noThoughts, Pass: true},
	{Path: "messages.#.reasoning_details", Pass: true},
}

// mistralEdits: 422 for any member it does not know, and for seeds below 0. Usage comes in every
// stream; ids of calls have nine letters and digits; documents and sounds have parts of its own.
var mistralEdits = append([]Edit{
	{Path: "stream_options", Pass: true},
	{Path: "max_completion_tokens", Name: "max_tokens"},
	{Path: "seed", Is: "-", Field: chat.FieldSeed},
	{Path: "seed", Name: "random_seed"},
	{Path: "messages.#.tool_calls.#.id", Digits: 9, Pass: true},
	{Path: "messages.#.tool_call_id", Digits: 9, Pass: true},
	{Path: "messages.#.content.#", Make: mistralPart, Pass: true},
}, groqEdits...)

// mistralPart makes Mistral's part of OpenAI's file or sound.
func mistralPart(old jsonscan.Value) []byte {
	var w jsonscan.Writer
	switch file, sound := old.Get("file"), old.Get("input_audio"); {
	case file.Get("file_data").Kind() == jsonscan.String:
		w.Open(jsonscan.Object).Key("type").Text("document_url").Key("document_url").Raw(file.Get("file_data").Raw())
		if name := file.Get("filename"); name.Kind() == jsonscan.String {
			w.Key("document_name").Raw(name.Raw())
		}
	case sound.Get("data").Kind() == jsonscan.String:
		w.Open(jsonscan.Object).Key("type").Text("input_audio").Key("input_audio").Raw(sound.Get("data").Raw())
	default:
		return nil
	}
	w.Close(jsonscan.Object)
	return w.Bytes()
}

// deepseekEdits: thinking has a switch of its own beside the effort.
var deepseekEdits = []Edit{
	{Path: "reasoning_effort", Is: `"none"`, Name: "thinking", Value: `{"type":"disabled"}`},
	{Path: "top_k", Field: chat.FieldTopK},
	{Path: "seed", Field: chat.FieldSeed},
}

// What these take beyond the levels that all services know. DeepSeek holds low and medium for high, and xhigh for max.
var (
	deepseekEfforts   = []string{"none", "low", "medium", "high", "xhigh", "max"}
	openrouterEfforts = []string{"none", "minimal", "low", "medium", "high", "xhigh"}
)

// xaiEdits: 400 for parameters that the model does not have.
var xaiEdits = []Edit{
	{Path: "presence_penalty", Field: chat.FieldPresence},
	{Path: "frequency_penalty", Field: chat.FieldFrequency},
	{Path: "top_k", Field: chat.FieldTopK},
	{Path: "stop"},
	{
		Path: "reasoning_effort", Field: chat.FieldThinking, Note: "the model takes no effort",
		Models: []string{"grok-3", "grok-3-latest", "grok-4", "grok-4-*", "grok-4.20*reasoning", "grok-build*", "grok-code*"},
	},
	{
		Path: "reasoning_effort", Is: `"none"`, Value: `"low"`, Field: chat.FieldThinking, Note: "the model always thinks: effort low",
		Models: []string{"grok-4.[5-9]*", "grok-[5-9]*"},
	},
}

// togetherEdits: log-probabilities are asked for by a number.
var togetherEdits = []Edit{
	{Path: "logprobs", Is: "true", Value: "1"},
}

// cerebrasEdits: 400 for any member it does not know. Thoughts go back under the
// name they came by.
var cerebrasEdits = []Edit{
	{Path: "max_tokens", Name: "max_completion_tokens"},
	{Path: "presence_penalty", Field: chat.FieldPresence},
	{Path: "frequency_penalty", Field: chat.FieldFrequency},
	{Path: "top_k", Field: chat.FieldTopK},
	{Path: "logit_bias", Field: fieldBias},
	{Path: "min_p", Field: fieldMinP},
	{Path: "repetition_penalty", Field: fieldRepeat},
	{Path: "messages.#.reasoning_content", Name: "reasoning", Pass: true},
	{Path: "messages.#.reasoning_details", Pass: true},
}

// perplexityEdits: it searches by itself and passes over what it does not know.
var perplexityEdits = []Edit{
	{Path: "tools", Field: chat.FieldTools, Note: noTools},
	{Path: "tool_choice"},
	{Path: "parallel_tool_calls"},
	{Path: "stop"},
	{Path: "seed", Field: chat.FieldSeed},
	{Path: "logprobs", Field: chat.FieldLogprobs},
	{Path: "top_logprobs"},
	{Path: "logit_bias", Field: fieldBias},
	{Path: "reasoning_effort", Is: `"none"`, Field: chat.FieldThinking, Note: "it cannot be switched off"},
}

// ollamaEdits: it passes over what it does not know.
var ollamaEdits = []Edit{
	{Path: "top_k", Field: chat.FieldTopK},
	{Path: "logit_bias", Field: fieldBias},
}

// lmstudioEdits: it takes JSON only by a schema.
var lmstudioEdits = []Edit{
	{
		Path: "response_format", Is: `{"type":"json_object"`, Field: chat.FieldFormat, Verb: chat.Approximated,
		Note: "asked for in words only",
	},
}
