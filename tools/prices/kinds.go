package main

// Which sources know which kind of provider.
const (
	genaiSource   = "@pydantic/genai-prices 0.1.8"
	genaiDay      = "2026-09-23"
	catwalkSource = "charm.land/catwalk v0.52.8"
	catwalkDay    = "2026-08-24"
)

// kind is a provider kind of Stele, or a vendor that is reached through one.
type kind struct {
	name    string
	catwalk []string // providers there
	genai   []string
	begins  string // only models whose names begin so
	also    []string
}

var kinds = []kind{
	{name: "openai", catwalk: []string{"openai"}, genai: []string{"openai"}},
	{name: "anthropic", catwalk: []string{"anthropic"}, genai: []string{"anthropic"}},
	{name: "gemini", catwalk: []string{"gemini"}, genai: []string{"google"}, begins: "gem"},
	{name: "azure", genai: []string{"azure"}, also: []string{"openai"}},
	{name: "vertex", catwalk: []string{"vertexai"}, begins: "gem", also: []string{"gemini"}},
	{name: "vertex-claude", catwalk: []string{"vertexai"}, genai: []string{"google"}, begins: "claude", also: []string{"anthropic"}},
	{name: "bedrock", catwalk: []string{"bedrock-europe", "bedrock"}, genai: []string{"aws"}},
	{name: "openrouter", catwalk: []string{"openrouter"}, genai: []string{"openrouter"}},
	{name: "groq", catwalk: []string{"groq"}, genai: []string{"groq"}},
	{name: "mistral", genai: []string{"mistral"}},
	{name: "deepseek", catwalk: []string{"deepseek"}, genai: []string{"deepseek"}},
	{name: "xai", catwalk: []string{"xai"}, genai: []string{"x-ai"}},
	{name: "together", genai: []string{"together"}},
	{name: "fireworks", catwalk: []string{"fireworks"}, genai: []string{"fireworks"}},
	{name: "cerebras", catwalk: []string{"cerebras"}, genai: []string{"cerebras"}},
	{name: "perplexity", genai: []string{"perplexity"}},
	// Vendors without a kind of their own: price.Vendor finds them by their address.
	{name: "alibaba", catwalk: []string{"alibaba-singapore"}},
	{name: "baseten", catwalk: []string{"baseten"}, genai: []string{"baseten"}},
	{name: "cohere", genai: []string{"cohere"}},
	{name: "minimax", catwalk: []string{"minimax"}, genai: []string{"minimax"}},
	{name: "moonshot", catwalk: []string{"moonshot"}, genai: []string{"moonshotai"}},
	{name: "nebius", catwalk: []string{"nebius"}},
	{name: "novita", genai: []string{"novita"}},
	{name: "scaleway", catwalk: []string{"scaleway"}},
	{name: "vercel", catwalk: []string{"vercel"}},
	{name: "zai", catwalk: []string{"zai"}, genai: []string{"zai"}},
}
