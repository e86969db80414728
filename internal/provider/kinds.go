// Package provider is the accounts at upstreams: it sends them chats, understands what
// comes back, whole or in a stream, and asks again in another way where one says what it
// does not take. Which kinds there are is data; code is only for what data cannot say. It
// must not know who asks, nor what is counted, limited or kept.
package provider

import "stele/internal/supply"

// Kind is a sort of upstream: what it speaks, where it is by default and how it
// differs from its dialect's author. {name} in addresses and paths stands for an
// option, {model} for the model's name and {label} for it with every special
// sign encoded.
type Kind struct {
	Name       string
	Title      string            // as its makers write it
	Help       string            // for people who set one up, where something is special about it
	Dialect    string            // openai, anthropic or gemini; "" for media APIs
	Genuine    bool              // the author's own models, on another's platform
	BaseURL    string            // "": the operator must give one
	Places     map[string]string // base URLs of regions whose address is made otherwise
	Trimmed    []string          // ends that operators copy into base URLs and that the paths have already
	Paths      []Path            // below the base URL; the first that fits counts; none: the dialect's own
	Auth       string            // the header that carries the key; "": Authorization: Bearer
	Platform   Platform          // who signs requests and words refusals instead of the dialect's author
	KeyEnv     string            // the environment variable its users keep their key in
	URLEnv     string            // the environment variable its users keep its address in
	Options    []supply.Option   // what it needs to know besides address and key
	Moved      []Move            // headers of the dialect that go elsewhere
	Edits      []Edit            // what it refuses of its dialect
	Efforts    []string          // the levels of thinking it takes; nil: of compatible services none to high
	Single     bool              // gives one answer at a time, whatever n says
	Schemaless bool              // takes no schema for the answer, only JSON as such
	Nameless   bool              // takes no name of the tool that is to be called
	Choiceless bool              // cannot be told that a tool must be called
	Marks      bool              // takes Anthropic's cache markers, whichever dialect it speaks
	Pictures   bool              // takes pictures back that its models made, in their own turns
	Bound      bool              // fetches nothing from addresses: pictures must come along
	Unlisted   bool              // has no list of its own models that could be asked for
	Bills      bool              // its answers say what they cost, in USD
}

// Path is where a kind takes requests if its dialect's own path is not it.
type Path struct {
	If     string // only where this option is set
	Whole  string
	Stream string // "": as Whole
}

// Platform names what only code can say about a cloud.
type Platform uint8

// The platforms.
const (
	noPlatform Platform = iota
	google              // tokens for a service account
	amazon              // requests signed one by one, answers in binary frames
)

// Author reports whether the models behind the kind are those of the dialect's
// author, rather than others that are spoken to in the same way.
func (k Kind) Author() bool { return k.Name == k.Dialect || k.Genuine }

// What is special about several kinds.
const (
	compatible = "Anything else that speaks this API works with a base URL of its own."
	keyless    = "Runs on your own machines. It needs no key."
	local      = "Runs on your own machines. The key is the one it was started with, if any."
	unlisted   = "It has no list of models that could be asked for: name them."
	lostWork   = "An address of yours that Replicate may call. With it, work whose answer was lost can be found again."
)

// proxied is for accounts whose base URL is not the author's own.
var proxied = []supply.Option{{Name: optionGenuine, Help: "true where the base URL is a proxy before the author's own service: it then gets what only that takes."}}

// Kinds lists every kind, in the order help shows them.
func Kinds() []Kind {
	return []Kind{
		{
			Name: "openai", Title: "OpenAI", Help: compatible,
			Dialect: "openai", BaseURL: "https://" + homes["openai"] + "/v1", KeyEnv: "OPENAI_API_KEY", Options: proxied,
		},
		{
			Name: "anthropic", Title: "Anthropic", Help: compatible,
			Dialect: "anthropic", BaseURL: "https://" + homes["anthropic"], Auth: "X-Api-Key", KeyEnv: "ANTHROPIC_API_KEY", Options: proxied,
		},
		{
			Name: "gemini", Title: "Google Gemini",
			Dialect: "gemini", BaseURL: "https://" + homes["gemini"], Auth: "X-Goog-Api-Key", KeyEnv: "GEMINI_API_KEY", Options: proxied,
		},
		azure(), vertex(), vertexClaude(), bedrock(),
		{Name: "openrouter", Title: "OpenRouter", Dialect: "openai", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY", Efforts: openrouterEfforts, Bills: true, Marks: true, Pictures: true},
		{Name: "groq", Title: "Groq", Dialect: "openai", BaseURL: "https://api.groq.com/openai/v1", KeyEnv: "GROQ_API_KEY", Edits: groqEdits, Single: true},
		{Name: "mistral", Title: "Mistral", Dialect: "openai", BaseURL: "https://api.mistral.ai/v1", KeyEnv: "MISTRAL_API_KEY", Edits: mistralEdits},
		{
			Name: "deepseek", Title: "DeepSeek", Dialect: "openai", BaseURL: "https://api.deepseek.com/v1", KeyEnv: "DEEPSEEK_API_KEY",
			Edits: deepseekEdits, Efforts: deepseekEfforts, Single: true, Schemaless: true,
		},
		{Name: "xai", Title: "xAI", Dialect: "openai", BaseURL: "https://api.x.ai/v1", KeyEnv: "XAI_API_KEY", Edits: xaiEdits, Bills: true},
		{
			Name: "together", Title: "Together AI",
			Dialect: "openai", BaseURL: "https://api.together.xyz/v1", KeyEnv: "TOGETHER_API_KEY", Edits: togetherEdits,
		},
		{Name: "fireworks", Title: "Fireworks AI", Dialect: "openai", BaseURL: "https://api.fireworks.ai/inference/v1", KeyEnv: "FIREWORKS_API_KEY"},
		{
			Name: "cerebras", Title: "Cerebras",
			Dialect: "openai", BaseURL: "https://api.cerebras.ai/v1", KeyEnv: "CEREBRAS_API_KEY", Edits: cerebrasEdits, Single: true,
		},
		{
			Name: "perplexity", Title: "Perplexity", Help: unlisted,
			Dialect: "openai", BaseURL: "https://api.perplexity.ai", KeyEnv: "PERPLEXITY_API_KEY",
			Edits: perplexityEdits, Single: true, Unlisted: true, Bills: true,
		},
		{
			Name: "ollama", Title: "Ollama", Help: keyless,
			Dialect: "openai", BaseURL: "http://127.0.0.1:11434/v1", URLEnv: "OLLAMA_HOST", Edits: ollamaEdits, Choiceless: true, Single: true, Bound: true,
		},
		{Name: "vllm", Title: "vLLM", Help: local, Dialect: "openai", BaseURL: "http://127.0.0.1:8000/v1"},
		{Name: "llamacpp", Title: "llama.cpp", Help: local, Dialect: "openai", BaseURL: "http://127.0.0.1:8081/v1", Nameless: true},
		{
			Name: "lmstudio", Title: "LM Studio", Help: keyless,
			Dialect: "openai", BaseURL: "http://127.0.0.1:1234/v1", Edits: lmstudioEdits, Nameless: true, Single: true, Bound: true,
		},
		{
			Name: "replicate", Title: "Replicate", BaseURL: "https://api.replicate.com/v1", KeyEnv: "REPLICATE_API_TOKEN",
			// It marks work, so that it can be found when an answer was lost.
			Options: []supply.Option{{Name: "webhook_url", Help: lostWork}},
		},
		{Name: "fal", Title: "fal", BaseURL: "https://queue.fal.run", KeyEnv: "FAL_KEY"},
		{Name: "bfl", Title: "Black Forest Labs", BaseURL: "https://api.bfl.ai/v1", KeyEnv: "BFL_API_KEY"},
		{Name: "comfyui", Title: "ComfyUI", Help: keyless, BaseURL: "http://127.0.0.1:8188"},
	}
}
