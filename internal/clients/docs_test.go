package clients

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the pages of docs/clients")

// byHand are the pages beside the table's: what runs on a developer's machine for clients.
var byHand = []string{"bridge.md", "mcp.md"}

// TestThePagesAreThoseOfTheTable keeps docs/clients equal to the table.
func TestThePagesAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	const folder = "../../docs/clients"
	pages := map[string]string{"README.md": index(t)}
	for _, c := range All() {
		pages[c.ID+".md"] = document(t, &c)
	}
	for name, want := range pages {
		file := filepath.Join(folder, name)
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(file)
		if diff := cmp.Diff(want, string(have)); err != nil || diff != "" {
			t.Errorf("%s: go test ./internal/clients -update writes it anew: %v\n%s", file, err, diff)
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != len(pages)+len(byHand) {
		t.Errorf("%d pages for %d clients and %d written by hand, %v", len(files), len(pages), len(byHand), err)
	}
}

func index(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Clients\n\n" +
		"How to point programs and libraries at Stele. `stele connect NAME` prints the same with your own address, writes it with `--write`, and checks it with a call.\n" +
		"The console shows it under *Start*.\n\n" +
		"| client | speaks | run here |\n|---|---|---|\n")
	for _, c := range All() {
		ran := "not yet"
		if c.Ran.Version != "" {
			ran = c.Ran.Version + ", " + c.Ran.On
		}
		speaks := c.Dialect
		if c.Bridge {
			speaks = "OpenAI Responses, through `stele bridge`"
		}
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s |\n", c.Name, c.ID, speaks, ran)
	}
	b.WriteString("\nOn your own machine: [`stele bridge`](bridge.md) speaks what the server does not, [`stele mcp`](mcp.md) gives agents its models, apps and files as tools.\n")
	b.WriteString("\nAnything else that speaks to OpenAI, Anthropic or Gemini takes one of these base URLs and a key:\n\n" +
		"| dialect | base URL | header |\n|---|---|---|\n" +
		"| OpenAI | `" + example.OpenAI() + "` | `Authorization: Bearer KEY` |\n" +
		"| Anthropic | `" + example.Anthropic() + "` | `X-API-Key: KEY` or `Authorization: Bearer KEY` |\n" +
		"| Gemini | `" + example.Gemini() + "` | `Authorization: Bearer KEY` |\n\n" +
		"Google's clients put a key into `x-goog-api-key`, which Stele reads only where its operator has set `auth.accept_goog_header`. Give them the header above among their own, as [Google Gen AI](google-genai.md)\n" +
		"does, or go through `stele bridge`, which throws away whatever key a client sends, also one in the address.\n\n" +
		"Where the server's certificate is of an authority of your own, programs on Node.js, Bun and Claude Code take `NODE_EXTRA_CA_CERTS=/path/to/ca.pem`, `stele connect`, `stele bridge` and `stele mcp` and Python's SDKs\n" +
		"`SSL_CERT_FILE`. What goes through `stele bridge` needs neither: it speaks plain HTTP on your own machine.\n\n" +
		"These were run on 2026-11-16 and 17 with nothing else, whole, streamed and with a wrong key, most of them with tools, schemas and pictures too, over upstreams of all three dialects:\n\n" +
		"- for TypeScript, SDKs: openai 4 to 7, @anthropic-ai/sdk 0.20 to the newest, @google/genai 1 to 3, @google/generative-ai, @mistralai/mistralai 2.7 (base URL without `/v1`), @openrouter/sdk 1.3, groq-sdk 1.6\n" +
		"  (base URL without `/v1`), together-ai, portkey-ai, @huggingface/inference;\n" +
		"- libraries: AI SDK with its providers for OpenAI (`.chat`), Anthropic, Google, Mistral, Groq, DeepSeek, Together, Fireworks, Cerebras, DeepInfra and OpenRouter; LangChain's for OpenAI, Anthropic, Google, Groq, xAI,\n" +
		"  DeepSeek and OpenRouter; LangGraph 1.1 with LangChain's agents, LlamaIndex 0.12, Mastra 1.71, OpenAI Agents through `stele bridge`, TypeChat 0.1, Genkit 1.42 (with OpenAI's, Anthropic's and Google's API), Google's ADK 2, Instructor 1.7, xsAI, token.js, multi-llm-ts, TanStack AI 0.58 (as it is, and through `stele bridge`),\n" +
		"  VoltAgent 2.10, Strands Agents 1.19, Ax 24, AgentKit 0.13, ModelFusion 0.137 (text only), Dexter 4.1, BeeAI 0.1 (OpenAI's and Anthropic's API), OpenAI Guardrails 0.2, Cline's @cline/llms 0.0.86 in all three dialects;\n" +
		"- with the sandbox alone, on 2026-11-18: AI SDK 4 to 6 with their providers of those days, @langchain/google 0.2, Effect's @effect/ai-openai 0.41 (through `stele bridge`), -anthropic 0.27 and -google 0.15, GitHub's @github/copilot-sdk 1.0\n" +
		"  and @mariozechner/pi-ai 0.73 (both with OpenAI's, Anthropic's and the Responses API), openai 3, openai-fetch, chatgpt; through `stele bridge` @openai/codex-sdk 0.163, @openrouter/agent 0.8, @ai-sdk/open-responses 2,\n" +
		"  groq-sdk;\n" +
		"- helpers: `parse`, `stream` and `runTools` of openai 6 and 7, the tool runner and structured output of @anthropic-ai/sdk 1.9, automatic function calling and chats of @google/genai 2 and 3, agents and objects of AI SDK 7;\n" +
		"- what wraps or watches OpenAI's clients: Langfuse 5.11, LangSmith 0.10, Braintrust 3.35, PostHog 8.13 (these three Anthropic's too), OpenLLMetry 0.27, OpenInference 4.2 (without a wrong key);\n" +
		"- for Python: openai 3.6 and anthropic 1.9, with their helpers for streams, schemas and tools, streams of google-api-core 2.25, and on 2026-11-18 Hugging Face's huggingface_hub 1.23 (InferenceClient with a base_url); for Ruby: ruby_llm 2.1 (OpenAI's and Anthropic's API);\n" +
		"- for Go: openai-go 1 to 3, anthropic-sdk-go, genai, go-openai, langchaingo, Genkit 1.4, Eino 0.7 (OpenAI's and Gemini's API), any-llm-go 0.8 (all three, Gemini's base URL in `GOOGLE_GEMINI_BASE_URL`);\n" +
		"- on 2026-11-18, over upstreams of all three dialects: AIGNE 1.72 (all three APIs), Rivet 1.19, clnkr 0.3 (OpenAI's and Anthropic's API), debgpt 0.8 (OpenAI's); Claude Code Router with Stele as its provider (OpenAI's and Anthropic's API);\n" +
		"- on 2026-11-18, with the sandbox behind providers of all three kinds: AI SDK's providers for Alibaba, Moonshot and Baseten with all of that; with answers, streams or shapes alone Eko 3.1 (with four of AI SDK's providers), Stagehand 3.7, Midscene 1.13, UI-TARS' SDK 1.2, Agentica 0.31, Phoenix' evals 1.2, openai-edge; through `stele bridge` AI SDK's provider for\n" +
		"  Hugging Face (which sends no results of tools back), ElizaOS' plugin for OpenAI 1.6 and jetify's ai for Go 0.5;\n" +
		"- on 2026-11-19, over upstreams of all three dialects: AI SDK 3.4 with its providers of those days, oh-my-pi's pi-ai 17.3 and Cherry Studio's ai-core 2.0 (all three APIs), deepagents 1.10 (all three, answers, streams and tools), browser-use 0.8 (answers,\n" +
		"  shapes and pictures, in all three APIs and its classes for DeepSeek, OpenRouter, Vercel, LiteLLM and Mistral), LangChain 0.1 and 0.3, LangGraph 0.4 and LlamaIndex' agents 0.11 (OpenAI's and Anthropic's API), @google/genai 0.15, @anthropic-ai/sdk 0.12 (answers and streams), Mastra 0.24, OpenAI Agents 0.20 through its AI SDK\n" +
		"  adapter 0.18, Genkit's compat-oai 1.42, Eino's component for OpenAI 0.1.7, deepseek-go 1.3, zod-gpt 0.16; answers alone ai-jsx 0.33, llm-interface 2.0; with the tool of its shell alone the agent oh-my-pi 17.3 (omp);\n" +
		"- on 2026-11-19, plain requests of OpenAI's dialect, whole, streamed and with a wrong key or model: curl 7.88, HTTPie 3.2, Wget 1.21; got 14, ky 1.14, axios 1.21, undici 7.30, eventsource 4.1, eventsource-parser 3.1; Python's requests 2.28,\n" +
		"  httpx 0.23, urllib3 1.26, aiohttp 3.8; Ruby's Faraday 1.1, HTTParty 0.21, rest-client 2.1, http.rb 4.4; Perl's LWP 6.68, HTTP::Tiny, Mojolicious 9.31; PHP's curl, Guzzle 7, Symfony's HttpClient 5.4; Erlang's httpc 25; Go's resty 2.17, tmaxmax/go-sse 0.11,\n" +
		"  r3labs/sse 2.10, LaunchDarkly's eventsource 1.11;\n" +
		"- on 2026-11-19, with the sandbox alone: the official SDKs for TypeScript on Bun 1.4 and Deno 2.9, fetch in Cloudflare's workerd, Java's HttpClient 17 (with its wish for HTTP/2, too), superagent, needle, node-fetch 2 and 3, ofetch,\n" +
		"  wretch, phin, gaxios, cross-fetch, request, bent, axios 0.27, undici 5, the fetch-event-sources of Microsoft and Fortaine, fetch-event-stream, eventsource-client, axflow's models 0.0.16, llm-api 1.6; mcp-go 1.2 with `stele mcp`;\n" +
		"  through `stele bridge` OpenAI Agents 0.0.17 and AI SDK 4 with OpenAI's Responses API and Azure's, over upstreams of all three dialects;\n" +
		"- on 2026-11-19, over upstreams of all three dialects: LiveKit's agents 2.0 (answers and tools), Adaline's gateway 1.11 (OpenAI's API, Gemini's through `stele bridge`), GenAIScript 2.5 (tools and shapes), AI SDK's providers for LLM Gateway\n" +
		"  and SambaNova, Claude's Agent SDK 0.3.328; through `stele bridge` LlamaIndex' class for OpenAI's Responses API 0.4; OpenAI Agents 0.20 with the tools of `stele mcp`;\n" +
		"- on 2026-11-20, over upstreams of all three dialects: SillyTavern 1.19 (OpenAI's and Anthropic's API, Gemini's through `stele bridge`), @anthropic-ai/sdk 1.10, claude-agent-acp 0.100; through `stele bridge` codex-acp 0.16; with one upstream of\n" +
		"  OpenAI's Letta Code 0.25 (as LM Studio);\n" +
		"- programs and their libraries, with the sandbox alone: grok-cli, aicommits, opencommit 3.3, LibreChat's @librechat/agents 3.9.2 in all three dialects, Continue's @continuedev/openai-adapters 1.37 for OpenAI and\n" +
		"  Anthropic, llm.js for Anthropic;\n" +
		"- with one call each: Hugging Face's tiny-agents 0.3, Hashbrown 0.3, autoevals 0.3, the MCP Inspector 2.12 with `stele mcp`. Portkey's gateway 1.15 had Stele as its upstream: whole answers and tools, in OpenAI's and Anthropic's API.\n\n" +
		"What of them does not work is their own:\n\n" +
		"- @ai-sdk/xai and @langchain/mistralai refuse streamed calls of tools that come in pieces, as OpenAI sends them. Azure's clients send the key as `api-key`, which is not read: they work through `stele bridge`.\n" +
		"- AI SDK 4 with @ai-sdk/anthropic 1 ends a stream in which a model's thoughts have a signature and no words, as Anthropic's newest models send them. @langchain/google-genai takes pictures in `image_url` only for models whose\n" +
		"  name begins with `gemini`. Google's old client for Go, generative-ai-go, sends the key in the address: it works through `stele bridge`.\n" +
		"- @openrouter/sdk and @mistralai/mistralai list models only where each has all fields of their own services. Mistral's also sends fields (`safe_prompt`, `prefix`) that OpenAI refuses, where the model is OpenAI's.\n" +
		"- langchaingo sends pictures to OpenAI in a form that it does not have. Clients that fetch their program from elsewhere when they are installed (Crush) were not run.\n" +
		"- Ax has no base URL for Anthropic and Gemini, and names the detail of a picture in a way that OpenAI refuses. AgentKit sends Gemini's key in the address, where none is read. Eino's component for Gemini sends no picture\n" +
		"  that stands in UserInputMultiContent. ModelFusion makes empty schemas of zod 4. Cohere's SDK speaks an API of its own.\n" +
		"- @openrouter/ai-sdk-provider streams without usage, unless a model's settings have `usage: {include: true}`, which OpenAI's own models refuse.\n" +
		"- Portkey's gateway 1.15 answers streams with 500 on Node 20 and 22, whoever its upstream is, and sends Gemini's key in the address. Bifrost fetches its program from elsewhere.\n" +
		"- LlamaIndex's class for Anthropic takes its base URL from `ANTHROPIC_BASE_URL` alone. OpenLLMetry 0.27 does not know @anthropic-ai/sdk 1. Dexter makes empty schemas of zod 4. any-llm-go sends schemas to OpenAI alone.\n" +
		"- Continue's provider gemini knows no base URL: it asks Google, whatever apiBase says. llm-exe 3 has none for chats. @ai-sdk/anthropic refuses citations that are null before its version 4, where the model's own server sends them.\n" +
		"- AIGNE makes members that may be null optional for Anthropic and Gemini, and then misses them. Claude Code Router shows no thoughts over OpenAI's API with its settings as they are, takes the empty `annotations` of whole answers for a\n" +
		"  search, and sends Gemini's key as `x-goog-api-key`. debgpt's frontend for Anthropic does not know anthropic 1. mem0 needs an embedder of its own.\n" +
		"- AI SDK's providers for Perplexity and Moonshot: the first asks for no usage in streams, the second tells no model the schema that it wants. Requesty's refuses streams in which `usage` is null, as OpenAI sends it. @openrouter/sdk shows\n" +
		"  errors as answers it cannot validate, because it wants a number for their `code`.\n" +
		"- OpenAI Agents 0.1 passes over calls in a whole answer that has words, too; Instructor 1.7 cannot read a stream of such an answer. Open Codex, genkitx-anthropic and llm-polyglot have no base URL for OpenAI or Anthropic,\n" +
		"  deepseek-go none for the list of models; mistral-go 1.1 leaves out the path of its own. Azure's @azure-rest/ai-inference sends no token without TLS.\n" +
		"- Adaline's class for Anthropic and AI SDK's provider for AIHubMix have no base URL that counts. AI SDK's provider for Zhipu sends a choice of tools where there are none, and refuses streamed calls that come in pieces; that for\n" +
		"  Venice sends `venice_parameters`. OpenAI refuses both.\n\n" +
		"A client that asks for names of its own needs models or [names](../operate/names.md) that answer to them.\n\n" +
		"These pages are written by `go test ./internal/clients -update` from `internal/clients/library`.\n")
	return b.String()
}

func document(t *testing.T, c *Client) string {
	t.Helper()
	values := example
	values.Chosen = true // that works whatever names there are
	settings, err := c.Fill(values)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n    %s\n\n", c.Name, c.About, c.Install)
	fmt.Fprintf(&b, "Where the server is `%s`, `fast` one of its models, and `STELE_API_KEY` a key of `stele keys create` or of the console:\n\n    $ stele connect %s --url %s --key $STELE_API_KEY", example.URL, c.ID, example.URL)
	if c.Writes() {
		b.WriteString(" --write\n\nIt adds the settings to the client's own files, keeps what was there, and checks them with a call; without `--write` it prints them. By hand:\n\n")
	} else {
		b.WriteString("\n\nIt prints the settings with your own address in them, and checks them with a call:\n\n")
	}
	if c.Bridge {
		b.WriteString("Start the bridge on your own machine, and leave it running:\n\n    $ stele bridge --url " + example.URL + " --key $STELE_API_KEY\n\n")
	}
	for _, s := range settings {
		where := s.Title + ":"
		if s.File != "" {
			where = "`~/" + s.File + "`"
		}
		fmt.Fprintf(&b, "%s\n\n```\n%s```\n\n", where, s.Text)
		for i, e := range s.Elsewhere() {
			if i == 0 {
				b.WriteString("Its place is another ")
			} else {
				b.WriteString("; ")
			}
			fmt.Fprintf(&b, "%s: `%s`", e.When, e.Path)
		}
		if len(s.Elsewhere()) > 0 {
			b.WriteString(".\n\n")
		}
	}
	if c.Try != "" {
		fmt.Fprintf(&b, "Try it:\n\n    $ %s\n\n", c.Try)
	}
	if len(c.Asks) > 0 {
		b.WriteString("Where the settings name no model, it asks for names of its own, such as these. Where models of yours answer to all of them, `stele connect` lets it; else it names\none model for all. Names lead to models of yours in `stele.yaml` or in the console under *Names* ([names](../operate/names.md)):\n\n```yaml\nmodels:\n")
		for _, a := range c.Asks {
			fmt.Fprintf(&b, "  %s: fast # %s\n", a.Pattern, a.Name)
		}
		b.WriteString("```\n\n`stele connect " + c.ID + " --model fast` names that one whatever names there are.\n\n")
	}
	for _, note := range c.Notes {
		fmt.Fprintf(&b, "- %s\n", note)
	}
	if len(c.Notes) > 0 {
		b.WriteString("\n")
	}
	if c.Ran.Version != "" {
		fmt.Fprintf(&b, "Version %s was run with these settings against a Stele on %s. ", c.Ran.Version, c.Ran.On)
	} else {
		b.WriteString("It was not run here: the settings are as its authors give them. ")
	}
	fmt.Fprintf(&b, "Its authors' page: <%s>\n", c.Page)
	return b.String()
}
