package dialect

import (
	"cmp"
	"strings"

	"stele/internal/fault"
	"stele/internal/pattern"
)

// WithMends says in a refusal as what its upstream may take the request after all, where its
// words tell. Whichever dialect it speaks, the server behind it may be of any vendor.
func WithMends(e *fault.Error, words string) *fault.Error {
	if e.Refused = refusedForm(words); e.Refused != "" {
		return e.MendedBy(fault.Without)
	}
	switch {
	case e.Code == fault.InvalidParameter && Says(words, toolless...):
		return refuseTools(e)
	case e.Code == fault.InvalidParameter && manyTools().MatchString(words): // another target may take them all
		e.Elsewhere = true
		return e.Field("tools")
	case e.Code == fault.BodyTooLarge: // what makes a conversation that large are its pictures and documents
		return e.MendedBy(fault.Unshown | fault.Unread)
	}
	for _, m := range mends {
		if m.fits(words) {
			return e.MendedBy(m.as)
		}
	}
	return withRoom(e, words)
}

// mend is what an upstream says that takes the request after all, and as what.
type mend struct {
	as   fault.Remedy
	like pattern.Pattern // it says this,
	says []string        // or one of these,
	with []string        // and one of these; nil: no more
}

func (m *mend) fits(words string) bool {
	if m.like != nil && m.like().MatchString(words) {
		return true
	}
	return Says(words, m.says...) && (m.with == nil || Says(words, m.with...))
}

// mends are looked at in their order.
var mends = []mend{
	// Mistral, llama.cpp while it thinks, vLLM and SGLang, Perplexity, GitHub's.
	{as: fault.Unbegun, says: []string{
		"expected last role user or tool", "prefill is incompatible with", "when the last message is from the assistant", "last message must have role", "must not be from the assistant",
	}},
	// The template of gpt-oss, wherever it is served; Mistral.
	{as: fault.WithoutThoughts, says: []string{"cannot pass both content and thinking", "reasoning input is not enabled"}},
	{as: fault.Recalled, says: unrecalled},
	{as: fault.Undeveloped, like: undeveloped},
	// Templates of Qwen's models, Zhipu, which do not say which role they mean.
	{as: fault.Undeveloped | fault.SystemFirst, says: []string{"unexpected message role", "incorrect role information"}},
	{as: fault.Systemless, like: untold},
	// Templates of Qwen's and others' models; servers of Anthropic's dialect.
	{as: fault.SystemFirst, like: systemless, says: []string{"system message must be at the beginning", "system message must be the first", "invalid message role: system"}}, // the last is MiniMax's
	{as: fault.InTurns, says: unturned},
	// NVIDIA's and others' templates, DeepSeek, Groq.
	{as: fault.Plain, says: []string{
		"expected str instance, list found", "expected a string, but got an array", "'content' must be a string", "type should be `str`", "invalid type: sequence, expected a string", "content must be a string", "content' : value must be a string",
	}},
	{as: fault.Legible, like: unread},
	{as: fault.Beside, like: wordsOnly},
	{as: fault.Plain, like: nullless},
	{as: fault.Said, like: wordless},
	{as: fault.Said | fault.Plain, says: []string{"messages parameter is illegal", "messages 参数非法"}}, // Zhipu, which does not say of what
	{as: fault.Loose, says: []string{"failed to parse grammar", "json schema conversion failed"}},    // llama.cpp
	{as: fault.Blind, says: sightless},
	{as: fault.Unread, like: illiterate},
	{as: fault.Unshown, like: unsightly},
	// Moonshot's and DeepSeek's models, while they think.
	{as: fault.WithThoughts, says: []string{"reasoning_content", "content[].thinking"}, with: []string{"missing", "must be passed back"}},
	// Groq, Cerebras, Mistral.
	{as: fault.WithoutThoughts, says: []string{"reasoning_content"}, with: []string{"unsupported", "not supported", "unknown", "not permitted", "not allowed", "unrecognized"}},
	{as: fault.Unenforced | fault.Loose, like: unheld, says: []string{"too many states for serving"}}, // Google: of a schema's bounds, or of all of it
	{as: fault.Loose, says: []string{"request contains an invalid argument"}},                         // Google, which says no more of schemas that are too much
	{as: fault.Unenforced, like: strictless, says: unshaped},
	{as: fault.Unenforced, like: eitherOr},
}

// refusedForm is which of Forms an upstream does not take, by its words; "": none of them.
func refusedForm(words string) string {
	switch {
	case misnamed().MatchString(words):
		return ToolNames
	case unnamed().MatchString(words):
		return ResultNames
	case customless().MatchString(words):
		return CustomTools
	case Says(words, unpaired...):
		return Pairs
	case blockless().MatchString(words):
		return Blocks
	case Says(words, untyped...):
		return SchemaTypes
	case SaysUncached(words):
		return CacheMarks
	}
	return ""
}

// withRoom says in a refusal how many pictures or tokens the upstream takes, where its words tell.
func withRoom(e *fault.Error, words string) *fault.Error {
	if e.Seen = mostPictures(words); e.Seen > 0 {
		return e.MendedBy(fault.Fewer)
	}
	switch {
	case e.TooLong != nil:
		e.Room = cmp.Or(leftOf(e.TooLong), halfOf(words))
	case e.Code != fault.RateLimited, Says(words, "can only afford"): // OpenRouter reckons with the longest answer that there may be
		e.Room = roomFor(words)
	}
	if e.Room >= leastRoom {
		return e.MendedBy(fault.Shorter)
	}
	return e
}

// toolless is what upstreams say of a model, or of a server as it was started, that calls no tools: vLLM twice, Ollama, Groq, Google,
// OpenRouter.
var toolless = []string{
	"requires --enable-auto-tool-choice", "requires --tool-call-parser", "does not support tools", "does not support tool use", "does not support function calling", "does not support tool calling",
	"tool calling is not supported", "tool calling` is not supported", "tools is not supported in this model", "function calling is not enabled", "function calling is not supported",
	"found that support tool use", "tool use is not supported", "tools are not supported", "parameter: 'tools'",
}

// unrecalled is what upstreams say that want to be told of the tools whose calls a conversation has: Amazon, behind any server, Anthropic,
// LiteLLM before either. Agents offer none where they ask for a summary.
var unrecalled = []string{"toolconfig field must be defined", "blocks must define tools", "without `tools=` param specified", "expects the `tools=` param"}

// misnamed is what upstreams say of a tool's name, as it is offered or as it was called before: OpenAI and Anthropic, whose models stand
// behind other servers, Amazon, Alibaba, Moonshot, which wants a letter first. Each codec writes names that its API takes, and reads them back.
var misnamed = pattern.New(`(?i)\b(function|custom|tool_?use|tools\S*)\.name['"]?:? .{0,80}(pattern|at most|too long)|length of the tool name|function name is invalid|invalid function name`)

// unpaired is what upstreams say of calls without a result, results without a call, and ids that are there twice: Anthropic thrice, OpenAI
// and who has its words, Google, Mistral, Amazon, MiniMax twice. A session that was interrupted has such calls ever after.
var unpaired = []string{
	"ids were found without `tool_result` blocks", "unexpected `tool_use_id` found in `tool_result` blocks", "`tool_use` ids must be unique",
	"must be followed by tool messages responding to each", "must be a response to a prec", "number of function response parts is equal",
	"not the same number of function calls and responses", "expected toolresult blocks at", "tool call result does not follow tool call", "tool result's tool id",
}

// blockless is how servers of Anthropic's dialect say that they do not know blocks which only its author's tools leave in a history, or
// its search for tools: Volcengine, DeepSeek and others written in Rust (anthropics/claude-code#30912 and #64158).
var blockless = pattern.New("(?i)(unknown variant|unsupported content type:?|invalid value:) ['\"`]?" + ownBlocks + "|input tag ['\"`]?" + ownBlocks)

// ownBlocks are the types of these blocks.
const ownBlocks = `(tool_reference|search_result|container_upload|server_tool_use|mcp_tool_use|tool_addition|tool_removal|\w+_tool_result)\b`

// cacheless is how upstreams say that they do not know marks of what is to be kept in a cache, or that their model is offered none: Amazon
// behind any server, Groq, Mistral and others in Python, Go and Rust.
var cacheless = pattern.New(`(?i)allow prompt caching|(unknown|unrecognized|unexpected|unsupported|extra|invalid) [^.]{0,30}\b(cache_control|prompt_cache_breakpoint)\b|\b(cache_control|prompt_cache_breakpoint)\b.{0,60}(not (permitted|supported|allowed|recognized)|unsupported|unexpected|unknown|should not exist)`)

// SaysUncached reports whether a refusal is about marks of what is to be kept in a cache.
func SaysUncached(words string) bool { return cacheless().MatchString(words) }

// customless is how servers of OpenAI's dialect say that they know functions alone, and no tool that takes free text: in Python, in
// Rust, MiniMax, and by a schema.
var customless = pattern.New(`(?i)tools?\b.{0,60}\btype\b.{0,40}(input should be 'function'|unknown variant .custom|must be .?function|not one of \['function)|unknown variant .custom., expected .function|invalid tool type`)

// untyped is how upstreams say that each part of a schema must have a type: Moonshot's models at any server, llama.cpp, Google's cloud, Google.
var untyped = []string{"moonshot flavored json schema", "unrecognized schema:", "specify the schema type field", "type: must be specified when not using"}

// unnamed is how Google's models, behind servers of OpenAI's dialect, say that a result does not name its tool.
var unnamed = pattern.New(`(?i)function_?response\.name: name cannot be empty|tool messages? must have a 'name'`)

// manyTools is how upstreams say that they take no more than so many: OpenAI and GitHub's, servers in Python, others by hand.
var manyTools = pattern.New(`(?i)'tools': array too long|tools: list should have at most|too many (tools|function declarations)|number of (tools|functions|function declarations) .{0,30}exceeds`)

// refuseTools says that the tools are what an upstream refuses. To answer without them would be another answer; another target may call them.
func refuseTools(e *fault.Error) *fault.Error {
	e.Message = "The model, or its server as it was started, calls no tools: " + e.Message
	e.Elsewhere = true
	return e.Field("tools")
}

// undeveloped is how servers of OpenAI's dialect say that they do not know the role developer: Alibaba, DeepSeek and others
// written in Rust, OpenAI's older models.
var undeveloped = pattern.New(`(?i)developer['"]? is not one of|developer['"]? role\b|(variant|value:?|role:?) ['"` + "`" + `]?developer\b`)

// untold is how upstreams say that their model takes no system text, wherever it stands: templates of Gemma's, Google of Gemma,
// OpenAI of its first models that think, servers that others' subscriptions stand behind.
var untold = pattern.New(`(?i)system role (is )?not supported|system (message|prompt|instruction)s? (is|are) not (allowed|supported|enabled)|n[o']t support system (message|prompt|instruction)s?|role'? does not support '?system|developer instruction is not enabled`)

// unturned is what upstreams say that take turns only one by one: Mistral twice, templates of Google's and others' models,
// Perplexity twice, DeepSeek, Amazon of words beside results.
var unturned = []string{
	"unexpected role 'user' after role", "unexpected role 'system' after role", "roles must alternate", "roles should be alternating",
	"should alternate with", "does not support successive user or assistant messages", "conversation blocks and tool use blocks cannot be provided in the same turn",
}

// unread is what servers say that read the arguments of earlier calls and cannot: Python's parsers, behind vLLM's and others'
// templates, llama.cpp, Ollama, Alibaba, GitHub's.
var unread = pattern.New(`(?i)(expecting|unterminated string|extra data|invalid (\\escape|control character)|unexpected end of data)[^:]{0,60}: line \d+ column \d+|` +
	`(failed to parse|invalid( json format in)?) tool[_ ]call arguments|\barguments\b.{0,60}(must be|are not|is not) (in |a )?(valid )?json`)

// systemless is how servers of Anthropic's dialect say that the system does not speak between turns.
var systemless = pattern.New("(?i)" + strings.Join([]string{
	"unexpected role \"system\"", // Anthropic's older models
	"role:? (is )?['`\"]?system['`\"]? is not supported",
	"unknown variant `system`|expected one of `user`, `assistant`", // written in Rust
	"but got 'system'",
	"role 'system' must precede",                                             // Claude's, which speak of where it may stand
	"\\.role: invalid discriminator value|expected 'user' ?\\| ?'assistant'", // checked by zod
	"role.{0,40}(should|must|has to) be (one of )?['`\"\\[]*user['`\"]*(,| or| and) ?['`\"]*assistant", // by pydantic, as vLLM, or by hand
}, "|"))

// wordsOnly is how servers say that they take only words in the results of tools. Of Anthropic's dialect: LM Studio, Ollama's
// own service, which says no more, and vLLM before it took more. Of Google's: models before Gemini 3, by a name that does not tell.
var wordsOnly = pattern.New(`(?i)only text tool_result blocks are supported|^input should be a valid string( \(ref: [^)]*\))?\.?$|tool_result\S*\.content\S*: input should be a valid string|function_response\.parts\W+(is|are) not supported|multimodal function ?responses? (is|are) not|unknown name \\*"parts\\*" at \S*function_?response`)

// nullless is how servers of OpenAI's dialect say that a turn of nothing but calls must have a text, too, if only an empty
// one: LM Studio, those that check with zod, two by hand, pydantic twice, Cerebras, templates in Python, Ollama, Google's, Alibaba's.
var nullless = pattern.New("(?i)" + strings.Join([]string{
	`'content' field must be a string`,
	`content\b.{0,40}expected (a )?string,? (but )?(got|received) null`,
	`content['"\])]* (must not|cannot|can't|may not|should not) be null`,
	`messages\S*\.content(\.str)?:? input should be a valid string`,
	`'content'(, 'str')?\).{0,20}input should be a valid string`,
	`'NoneType' object is not iterable`, `can only concatenate str \(not "NoneType"\)`, `invalid message content type: <nil>`, `list of content parts, got: null`, `content field is a required field`,
}, "|"))

// wordless is how upstreams say that they take no turn, or no result, without words: Moonshot twice, MiniMax, xAI, Amazon, Mistral,
// and Anthropic of its models behind other servers.
var wordless = pattern.New(`(?i)\b(text|chat|message) content is empty|\b(message|content|role)\b[^.]{0,60}(must|should|can) ?not be (empty|blank)|content cannot be blank|` +
	`at least one content element|ContentBlock object at \S+ is blank|must (be|have|contain) non-(empty|whitespace)|(have|has) non-empty content|content or tool_calls, but not none`)

// unshaped is what upstreams say that cannot hold an answer or a call to a shape, or not to this one: Anthropic, Google thrice,
// LM Studio, DeepSeek twice, Groq, Amazon's and Google's Claudes, OpenAI of what its strict mode does not know, and what lies too deep for it.
var unshaped = []string{
	": in context=(",
	"too many strict tools", "compiled grammar is too large", "too complex for compilation", "grammar compilation", "maximum allowed nesting depth", "levels of nesting exceeds limit",
	"json mode is not enabled", "with a response mime type", "with response mime type", "response schemas specified", "'response_format.type' must be", "'response_format' of type 'json_",
	"response_format type is unavailable", "`json_schema` is unavailable", "does not support response format",
	"does not support output format", "does not support structured output", "structured outputs is not supported", "output_config.format: extra inputs", "output_format: extra inputs",
}

// strictless is how servers say that they do not know strict tools: Anthropic's dialect, and that of OpenAI.
var strictless = pattern.New(`(?i)\bstrict['"]?(: | - )extra inputs are not permitted|(unknown|unrecognized|unsupported) (field|parameter|property|request argument)[^.]{0,40}\bstrict\b|` +
	`\bstrict(=true)?['"` + "`" + `]? (is|are) (not supported|unsupported)|\bstrict tools? .{0,20}not supported|mixed values for 'strict'`)

// eitherOr is how upstreams say that they hold an answer to a shape or let the model call tools, but not both: Groq twice, Cerebras,
// Fireworks, llama.cpp and others.
var eitherOr = func() pattern.Pattern {
	const shape = `(json[_ ](mode|object|schema)|response[_ ]?format|structured[_ ]outputs?|grammar)\b`
	const tools = `\b(tools?|tool calls?|function[_ ]call(s|ing)?|functions)\b`
	const both = `(combin|together|incompatible|at the same time|simultaneously|supported with|allowed with|used with|use both|cannot both|mutually exclusive)`
	const not = `(cannot|can't|can not|not) (be )?(use|specify|set|allowed|supported)`
	const near, apart = `.{0,40}`, `.{0,20}`
	return pattern.New(`(?i)` + strings.Join([]string{
		shape + near + both + near + tools, tools + near + both + near + shape, both + near + tools + near + shape, both + near + shape + near + tools,
		tools + apart + shape + near + both, shape + apart + tools + near + both,
		not + near + shape + `.{0,30} (and|with) .{0,20}` + tools, not + near + tools + `.{0,30} (and|with) .{0,20}` + shape,
	}, "|"))
}()

// unheld is how servers say that they cannot hold an answer or a call to what a schema has: Cerebras twice, vLLM, SGLang and others.
var unheld = pattern.New(`(?i)unsupported json schema|json schema contains features not supported|unsupported schema (feature|keyword)|invalid grammar request|object fields require at least one of|` +
	`(invalid|error in) (json |tool )?schema\b.{0,60}(not supported|unsupported)`)

// leastRoom is how many tokens an answer must have room for: less of them is of no use, and a
// client that is told so shortens the conversation.
const leastRoom = 1024

// leftOf is what a conversation leaves of the model's window where only both together are too long.
func leftOf(l *fault.TooLong) int64 {
	if l.Input+l.Output == 0 {
		return 0
	}
	return max(0, l.Window-l.Input)
}

// sightless is what upstreams say of a model that sees no pictures: many, OpenRouter, llama.cpp, DeepSeek, vLLM twice, OpenAI,
// Moonshot, Ollama, Google, Zhipu, which mostly says no more than that a parameter is wrong.
var sightless = []string{
	"does not support image", "doesn't support image", "does not support the image", "found that support image input", "image input is not supported", "image input not supported",
	"unknown variant `image_url`", "unknown variant `image`", "is not a multimodal model", "at most 0 image", "image_url is only supported by", "image_url is not supported", "unsupported content type 'image_url'",
	"unsupported content part type: image_url", "only supports text input", "only support text input", "invalid value: 'image_url'", "does not support vision", "vision is not supported", "no vision capability",
	"does not support multimodal", "multimodal input is not supported", "missing data required for image input", "image input is not enabled", "image input modality is not enabled",
	"取值范围 ['text']", "api 调用参数有误", "invalid api parameter, please check the documentation",
}

// illiterate is how servers of either dialect say that they read no documents: Moonshot twice, DeepSeek and others in Rust, vLLM, those that
// check with pydantic, OpenRouter; and, last, that they cannot read one of them: Anthropic, Google.
var illiterate = pattern.New("(?i)(unknown variant|input tag|unsupported content (part )?type:?|(invalid|unknown) (content )?part type:?|invalid value:) ['\"`]?(document|file|input_file)\\b|" +
	`(does not|doesn't|do not) support (the )?(document|pdf|file)( input| content)?s?\b|\b(document|pdf|file) (input|content|block)s? (is|are) not supported|found that support (file|pdf|document) input|` +
	`maximum of \d+ pdf pages|pdf specified (was not valid|is password protected)|pdf cannot be empty|could not process (the )?(pdf|document)|document has no pages`)

// MustCall is a line of the system text that asks for a call of one tool, or of any, where an upstream cannot be held to it.
// To is the name that a tool has there.
func MustCall(to func(string) string, name string) string {
	if name == "" {
		return "You must call at least one of the tools in your next turn."
	}
	return "You must call the tool " + to(name) + " in your next turn."
}

// AskForJSON is a line of the system text that asks for what an upstream cannot hold an answer to.
func AskForJSON(schema []byte) string {
	if len(schema) == 0 {
		return "Answer with one JSON object and nothing else, without code marks."
	}
	return "Answer with JSON and nothing else, without code marks. It must fit this JSON Schema: " + string(schema)
}
