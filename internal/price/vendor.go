package price

import "strings"

// vendors are those who have a part of the book, by their address: an account of any kind
// may lead to them.
var vendors = map[string]string{
	"api.cohere.ai":               "cohere",
	"api.cohere.com":              "cohere",
	"dashscope-intl.aliyuncs.com": "alibaba",
	"api.moonshot.ai":             "moonshot",
	"api.minimax.io":              "minimax",
	"api.z.ai":                    "zai",
	"api.novita.ai":               "novita",
	"api.studio.nebius.com":       "nebius",
	"api.tokenfactory.nebius.com": "nebius",
	"inference.baseten.co":        "baseten",
	"api.scaleway.ai":             "scaleway",
	"ai-gateway.vercel.sh":        "vercel",
	"openrouter.ai":               "openrouter",
	"api.groq.com":                "groq",
	"api.mistral.ai":              "mistral",
	"api.deepseek.com":            "deepseek",
	"api.x.ai":                    "xai",
	"api.together.xyz":            "together",
	"api.fireworks.ai":            "fireworks",
	"api.cerebras.ai":             "cerebras",
	"api.perplexity.ai":           "perplexity",
}

// Part is the part of the book that an account's models are in: its kind's, unless its
// address is that of a vendor whose API only looks like the kind's.
func Part(kind, host string) string {
	if vendor, ok := vendors[strings.ToLower(host)]; ok {
		return vendor
	}
	return kind
}
