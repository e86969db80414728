// Package provider is the accounts at upstreams. Which kinds there are is data;
// code is only for what data cannot say.
package provider

// Kind is a sort of upstream: what it speaks and where it is by default.
type Kind struct {
	Name    string
	Dialect string // openai, anthropic or gemini; "" for media APIs
	BaseURL string // "": the operator must give one
	Auth    string // the header that carries the key; "": Authorization: Bearer
	KeyEnv  string // the environment variable its users keep their key in
	URLEnv  string // the environment variable its users keep its address in
}

// Author reports whether the kind is the dialect's author's own service, rather
// than one of those that speak it as well.
func (k Kind) Author() bool { return k.Name == k.Dialect }

// Kinds lists every kind, in the order help shows them.
func Kinds() []Kind {
	return []Kind{
		{Name: "openai", Dialect: "openai", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY"},
		{Name: "anthropic", Dialect: "anthropic", BaseURL: "https://api.anthropic.com", Auth: "X-Api-Key", KeyEnv: "ANTHROPIC_API_KEY"},
		{Name: "gemini", Dialect: "gemini", BaseURL: "https://generativelanguage.googleapis.com", Auth: "X-Goog-Api-Key", KeyEnv: "GEMINI_API_KEY"},
		{Name: "openrouter", Dialect: "openai", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY"},
		{Name: "groq", Dialect: "openai", BaseURL: "https://api.groq.com/openai/v1", KeyEnv: "GROQ_API_KEY"},
		{Name: "mistral", Dialect: "openai", BaseURL: "https://api.mistral.ai/v1", KeyEnv: "MISTRAL_API_KEY"},
		{Name: "deepseek", Dialect: "openai", BaseURL: "https://api.deepseek.com/v1", KeyEnv: "DEEPSEEK_API_KEY"},
		{Name: "xai", Dialect: "openai", BaseURL: "https://api.x.ai/v1", KeyEnv: "XAI_API_KEY"},
		{Name: "together", Dialect: "openai", BaseURL: "https://api.together.xyz/v1", KeyEnv: "TOGETHER_API_KEY"},
		{Name: "fireworks", Dialect: "openai", BaseURL: "https://api.fireworks.ai/inference/v1", KeyEnv: "FIREWORKS_API_KEY"},
		{Name: "cerebras", Dialect: "openai", BaseURL: "https://api.cerebras.ai/v1", KeyEnv: "CEREBRAS_API_KEY"},
		{Name: "perplexity", Dialect: "openai", BaseURL: "https://api.perplexity.ai", KeyEnv: "PERPLEXITY_API_KEY"},
		{Name: "ollama", Dialect: "openai", BaseURL: "http://127.0.0.1:11434/v1", URLEnv: "OLLAMA_HOST"},
		{Name: "vllm", Dialect: "openai", BaseURL: "http://127.0.0.1:8000/v1"},
		{Name: "llamacpp", Dialect: "openai", BaseURL: "http://127.0.0.1:8081/v1"},
		{Name: "lmstudio", Dialect: "openai", BaseURL: "http://127.0.0.1:1234/v1"},
		{Name: "replicate", BaseURL: "https://api.replicate.com/v1", KeyEnv: "REPLICATE_API_TOKEN"},
		{Name: "fal", BaseURL: "https://queue.fal.run", KeyEnv: "FAL_KEY"},
		{Name: "bfl", BaseURL: "https://api.bfl.ai/v1", KeyEnv: "BFL_API_KEY"},
		{Name: "comfyui", BaseURL: "http://127.0.0.1:8188"},
	}
}
