package openai

import (
	"cmp"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/price"
)

// readUsage takes an upstream's usage apart into classes that do not overlap.
// Compatible servers have their own places for what came from a cache or went there and for
// reasoning, and some leave that out of completion_tokens.
func readUsage(v jsonscan.Value) chat.Usage {
	var told bool
	var in, out, total, cached, write, reasoning, thought, searches, audioOut, imageOut, input, output int64 // the last two by the names of other APIs
	var of chat.Parts
	var beside beside
	var bill bill
	for key, v := range v.Members() {
		switch key.Name {
		case "prompt_tokens":
			in, told = readCount(v), true
		case "completion_tokens":
			out, told = readCount(v), true
		case "input_tokens":
			input = readCount(v)
		case "output_tokens":
			output = readCount(v)
		case "total_tokens":
			total = readCount(v)
		case "prompt_tokens_details", "input_tokens_details":
			cached, write = cmp.Or(readCount(v.Get("cached_tokens")), readCount(v.Get("cache_read_tokens"))), max(readWritten(v), beside.lasting.read(v.Get("cache_creation_token_details"))) // LiteLLM's
			of, searches = promptParts(v), max(searches, readCount(v.Get("web_search_requests")))
		case "reasoning_tokens": // SGLang's
			thought = readCount(v)
		case "completion_tokens_details", "output_tokens_details":
			reasoning = readCount(v.Get("reasoning_tokens"))
			audioOut, imageOut = readCount(v.Get("audio_tokens")), readCount(v.Get("image_tokens"))
		case "num_search_queries":
			searches = readCount(v)
		case "server_tool_use": // Anthropic's, which OpenRouter and LiteLLM pass on
			searches = max(searches, readCount(v.Get("web_search_requests")))
		default:
			beside.read(key.Name, v)
			bill.read(key.Name, v)
		}
	}
	if !told && input+output == 0 {
		return chat.Usage{}
	}
	if !told {
		in, out = input, output
	}
	if !told || cached+write == 0 && beside.isMore(in, total-out) {
		in += beside.kept + beside.made
	}
	reasoning = cmp.Or(reasoning, thought)
	in, out = withRest(in, out, total, reasoning)
	read := min(cmp.Or(cached, beside.hit, beside.kept), in)
	write = min(cmp.Or(write, beside.made), in-read)
	if reasoning > 0 && (total-in-out == reasoning || reasoning > out && (total == 0 || thought > 0)) { // the last is Perplexity's
		out += reasoning
	}
	reasoning = min(reasoning, out)
	of.AudioOutput, of.ImageOutput = audioOut, imageOut
	u := chat.Usage{
		Input: in - read - write, CacheRead: read, CacheWrite: write, CacheWrite1h: min(beside.lasting.hour, write), Output: out - reasoning, Reasoning: reasoning,
		Of: of.Within(in-read-write, read, out-reasoning), Searches: searches, Known: true,
	}
	u.Billed, u.BilledKnown = bill.total()
	return u
}

// withRest derives from the sum what went in or came out, where only the other was told. Where all that is
// missing is the reasoning, it is counted with that.
func withRest(in, out, total, reasoning int64) (prompt, completion int64) {
	switch rest := total - in - out; {
	case out == 0 && in > 0 && rest > reasoning:
		return in, rest
	case in == 0 && out > 0 && rest > 0:
		return rest, out
	}
	return in, out
}

// beside is what came from a cache or went there, where a usage tells of it beside the details of its prompt.
type beside struct {
	hit, kept, made int64
	lasting         lasting
}

func (b *beside) read(name string, v jsonscan.Value) {
	switch name {
	case "prompt_cache_hit_tokens":
		b.hit = readCount(v)
	case "cached_tokens", "cache_read_input_tokens", "cache_read_tokens": // the second and its twin are LiteLLM's
		b.kept = max(b.kept, readCount(v))
	case "cache_creation_input_tokens", "cache_creation_tokens", "cache_write_tokens":
		b.made = max(b.made, readCount(v))
	case "cache_creation": // Anthropic's own
		b.lasting.read(v)
	case "claude_cache_creation_5_m_tokens": // New API's, as the next
		b.lasting.short = max(b.lasting.short, readCount(v))
	case "claude_cache_creation_1_h_tokens":
		b.lasting.hour = max(b.lasting.hour, readCount(v))
	}
	b.made = max(b.made, b.lasting.all())
}

// lasting is how much went into a cache for five minutes, and for an hour, which costs more.
type lasting struct{ short, hour int64 }

// read reads both, where Anthropic's names for them are, and returns their sum.
func (l *lasting) read(v jsonscan.Value) int64 {
	l.short, l.hour = max(l.short, readCount(v.Get("ephemeral_5m_input_tokens"))), max(l.hour, readCount(v.Get("ephemeral_1h_input_tokens")))
	return l.all()
}

func (l *lasting) all() int64 { return l.short + l.hour }

// isMore reports whether that is not among the tokens of the prompt, as Anthropic counts: servers of this dialect that have its
// models pass its numbers on. Rest is all that is not the answer.
func (b *beside) isMore(prompt, rest int64) bool {
	all := b.kept + b.made
	return all > 0 && (rest == prompt+all || rest < 0 && all > prompt)
}

// readWritten reads the tokens of a prompt that went into a cache, by the name that OpenAI, LiteLLM,
// Alibaba or New API has for them.
func readWritten(v jsonscan.Value) int64 {
	return cmp.Or(readCount(v.Get("cache_write_tokens")), readCount(v.Get("cache_creation_tokens")), readCount(v.Get("cache_creation_input_tokens")), readCount(v.Get("cached_creation_tokens")))
}

// countOthers learns of the counters in a usage that no class has.
func countOthers(others *dialect.Others, v jsonscan.Value) {
	const name, prompt, completion = "usage", "prompt_tokens_details", "completion_tokens_details"
	others.Count(name, v, "prompt_tokens", "completion_tokens", "total_tokens", "prompt_cache_hit_tokens", "prompt_cache_miss_tokens", "cached_tokens",
		"cache_read_input_tokens", "cache_creation_input_tokens", "cache_read_tokens", "cache_creation_tokens", "cache_write_tokens",
		"claude_cache_creation_5_m_tokens", "claude_cache_creation_1_h_tokens", "reasoning_tokens", "num_search_queries", "cost", "cost_in_usd_ticks", "input_tokens", "output_tokens")
	others.Count(name+"."+prompt, v.Get(prompt), "cached_tokens", "cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens", "cached_creation_tokens",
		"cache_read_tokens", "audio_tokens", "image_tokens", "text_tokens", "web_search_requests")
	others.Count(name+".server_tool_use", v.Get("server_tool_use"), "web_search_requests")
	others.Count(name+"."+completion, v.Get(completion), "reasoning_tokens", "audio_tokens", "image_tokens", "text_tokens",
		"accepted_prediction_tokens", "rejected_prediction_tokens")
}

// promptParts are the tokens of a prompt that are no text, those from a cache told apart.
func promptParts(v jsonscan.Value) (of chat.Parts) {
	cached := v.Get("cached_tokens_details")
	of.AudioCached, of.ImageCached = readCount(cached.Get("audio_tokens")), readCount(cached.Get("image_tokens"))
	of.AudioInput = max(0, readCount(v.Get("audio_tokens"))-of.AudioCached)
	of.ImageInput = max(0, readCount(v.Get("image_tokens"))-of.ImageCached)
	return of
}

// bill is what an upstream says itself that a call cost: OpenRouter and Perplexity in
// USD, xAI in ticks, of which a USD has ten to the tenth. Where a key of the operator's
// own was used behind OpenRouter, what its owner pays there is beside its fee.
type bill struct {
	cost, beside price.Amount
	known, own   bool
}

func (b *bill) read(name string, v jsonscan.Value) {
	switch name {
	case "cost":
		if v.Kind() == object {
			v = v.Get("total_cost")
		}
		b.cost, b.known = price.Nearest(v.Number())
	case "cost_in_usd_ticks":
		b.cost, b.known = price.NearestOf(v.Number(), -10)
	case "is_byok":
		b.own, _ = v.Bool()
	case "cost_details":
		b.beside, _ = price.Nearest(v.Get("upstream_inference_cost").Number())
	}
}

func (b *bill) total() (nano int64, known bool) {
	if b.known && b.own {
		return int64(b.cost + b.beside), true
	}
	return int64(b.cost), b.known
}

// isOvercounted reports whether an upstream counts more of the prompt as kept than
// the prompt had.
func isOvercounted(v jsonscan.Value) bool {
	details := v.Get("prompt_tokens_details")
	return readCount(details.Get("cached_tokens"))+readWritten(details) > readCount(v.Get("prompt_tokens"))
}

// writeUsage writes the counts the way this API adds them up. Those that its author always
// has are there even if nothing was counted: the Swift client of MacPaw leaves out all of
// them otherwise.
func writeUsage(w *jsonscan.Writer, u chat.Usage) {
	w.Open(object).Key("prompt_tokens").Int(u.Prompt()).Key("completion_tokens").Int(u.Completion()).Key("total_tokens").Int(u.Total())
	w.Key("prompt_tokens_details").Open(object).Key("cached_tokens").Int(u.CacheRead).Key("cache_write_tokens").Int(u.CacheWrite)
	w.Key("audio_tokens").Int(u.Of.AudioInput + u.Of.AudioCached)
	writeSome(w, "image_tokens", u.Of.ImageInput+u.Of.ImageCached)
	w.Close(object).Key("completion_tokens_details").Open(object).Key("reasoning_tokens").Int(u.Reasoning)
	w.Key("audio_tokens").Int(u.Of.AudioOutput).Key("accepted_prediction_tokens").Int(0).Key("rejected_prediction_tokens").Int(0)
	writeSome(w, "image_tokens", u.Of.ImageOutput)
	w.Close(object)
	if u.Searches > 0 { // OpenRouter's and LiteLLM's name, OpenAI has none
		w.Key("server_tool_use").Open(object).Key("web_search_requests").Int(u.Searches).Close(object)
	}
	dialect.WriteCost(w, u.Cost)
	w.Close(object)
}

// writeSome writes a count, unless there is nothing to be counted.
func writeSome(w *jsonscan.Writer, name string, n int64) {
	if n > 0 {
		w.Key(name).Int(n)
	}
}
