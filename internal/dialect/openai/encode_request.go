package openai

import (
	"fmt"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// EncodeRequest writes a conversation as the author's own service takes it, or
// as the many that are compatible with it do.
func (Codec) EncodeRequest(c *chat.Conversation, t dialect.Upstream) (dialect.Outgoing, error) {
	e := &requestWriter{c: c, t: t, names: dialect.Names{Legal: isLegalName, Longest: longestName}}
	if e.refuses(dialect.ToolNames) {
		e.names.Narrow()
	}
	if !t.Compatible {
		e.model = traitsOf(t.Model)
	}
	e.Writer = *jsonscan.NewWriter(make([]byte, 0, e.size()))
	e.Open(object).Key("model").Text(t.Model)
	for _, step := range []func(){
		e.gatherTools, e.prepareFormat, e.writeMessages, e.writeTools, e.writeThinking, e.writeSampling, e.writeOutput, e.writeIdentity, e.writeExtras,
	} {
		if step(); e.err != nil {
			return dialect.Outgoing{}, e.err
		}
	}
	streamed := !t.Stream && e.refuses(wholeField)
	if t.Stream = (t.Stream || streamed) && !e.refuses(streamField); t.Stream {
		e.Key("stream").Bool(true)
	}
	if t.Stream && !e.refuses(dialect.UsageWish) {
		e.Key(dialect.UsageWish).Open(object).Key("include_usage").Bool(true).Close(object)
	}
	e.Close(object)
	return dialect.Outgoing{Path: endpoint, Body: e.Bytes(), Losses: e.losses, Stops: e.stops, Names: e.names.Back(), Streamed: streamed}, nil
}

// requestWriter writes a conversation as a request.
type requestWriter struct {
	jsonscan.Writer

	c      *chat.Conversation
	t      dialect.Upstream
	model  traits
	names  dialect.Names
	tools  []chat.Tool    // without doubles
	known  map[string]int // where each of them is, by its name
	lines  []string       // what the system text has to say besides
	effort string         // as it is sent; "": nothing is
	losses []chat.Loss
	stops  []string
	err    error // the first

	callIDs   []string            // of the last turn's calls, as they are sent
	callNames map[string]string   // their tools, by these ids
	waiting   map[string][]string // and those that have no result yet, by the ids that the history has
}

// size is about as many bytes as the request will have.
func (e *requestWriter) size() int {
	n := 512
	for i := range e.c.System {
		n += len(e.c.System[i].Text) + 64
	}
	for i := range e.c.Messages {
		for j := range e.c.Messages[i].Parts {
			p := &e.c.Messages[i].Parts[j]
			n += len(p.Text) + len(p.Proof) + 128
			if p.Media != nil {
				n += len(p.Media.Base64) + len(p.Media.Plain)
			}
			for k := range p.Content {
				n += len(p.Content[k].Text) + 64
			}
		}
	}
	for i := range e.c.Tools {
		n += len(e.c.Tools[i].Schema) + len(e.c.Tools[i].Description) + 128
	}
	return n + n/16
}

// lose reports what did not get through.
func (e *requestWriter) lose(field string, verb chat.Verb, note string) {
	e.losses = append(e.losses, chat.Lost(field, verb, note))
}

// losePart reports what did not get through of a part of a message.
func (e *requestWriter) losePart(m chat.Message, p chat.Part, verb chat.Verb, note string) {
	e.losses = append(e.losses, chat.LostPart(m, p, verb, note))
}

// loseTurn reports what became of a whole message.
func (e *requestWriter) loseTurn(m chat.Message, field string, verb chat.Verb, note string) {
	e.losses = append(e.losses, chat.Loss{Field: field, Message: m.At, Part: -1, Verb: verb, Note: note})
}

func (e *requestWriter) loseTool(t chat.Tool, verb chat.Verb, note string) {
	e.losses = append(e.losses, chat.LostTool(t, verb, note))
}

// refuse ends a request that has something that must not be left out.
func (e *requestWriter) refuse(l chat.Loss, why string, args ...any) {
	if e.err == nil {
		e.err = dialect.Refuse(l, Codec{}.Path(l), fmt.Sprintf(why, args...)+".")
	}
}

func (e *requestWriter) refusePart(m chat.Message, p chat.Part, why string, args ...any) {
	e.refuse(chat.LostPart(m, p, chat.Dropped, ""), why, args...)
}

func (e *requestWriter) refuseField(field, why string, args ...any) {
	e.refuse(chat.Lost(field, chat.Dropped, ""), why, args...)
}

// What becomes of thinking beside tools.
const (
	toolsNote = "this model takes tools only without thinking"
	restNote  = "none: " + toolsNote
)

// writeThinking writes the effort. OpenAI's newest models take it and tools only one
// at a time on this API.
func (e *requestWriter) writeThinking() {
	wanted, exact := wantedEffort(e.c.Thinking, e.model)
	switch {
	case len(e.tools) > 0 && (e.model.mustSayNone() || e.refuses(restField)):
		e.effort = "none"
		if wanted == "" {
			e.lose(chat.FieldThinking, chat.Added, restNote)
		}
	case e.t.Compatible:
		e.effort = wanted
		if levels := e.t.Efforts; wanted != "" && levels != nil {
			e.effort = dialect.NearestEffort(wanted, levels)
		} else if wanted != "" {
			e.effort = dialect.NearestEffort(wanted, []string{"none", "low", "medium", "high"})
		}
	case e.model.known && !e.model.reasons:
	case len(e.tools) > 0 && !e.model.thinksWithTools():
	case wanted != "":
		e.effort = dialect.NearestEffort(wanted, e.model.efforts())
	}
	if e.refuses("reasoning_effort") {
		e.effort = ""
	}
	switch {
	case wanted == "" || wanted == e.effort && exact:
	case e.effort == "" && wanted == "none" && !e.refuses("reasoning_effort"):
	case e.effort == "":
		e.lose(chat.FieldThinking, chat.Dropped, "this model does not take "+wanted)
	case wanted == "none" || e.effort != "none":
		e.lose(chat.FieldThinking, chat.Approximated, "effort "+e.effort)
	default:
		e.lose(chat.FieldThinking, chat.Dropped, toolsNote)
	}
	if t := e.c.Thinking; t != nil && t.Show != nil && *t.Show && !e.t.Compatible {
		e.lose(chat.FieldThinking, chat.Ignored, "OpenAI does not show thoughts here")
	}
	if e.effort != "" {
		e.Key("reasoning_effort").Text(e.effort)
	}
}

// refuses reports whether the upstream has said that it does not take a parameter for this model.
func (e *requestWriter) refuses(key string) bool { return slices.Contains(e.t.Refused, key) }

// refusesSampling reports whether the model refuses to have its sampling changed.
func (e *requestWriter) refusesSampling() bool { return e.model.reasons && e.effort != "none" }

func (e *requestWriter) writeSampling() {
	s := &e.c.Sampling
	if s.MaxTokens != nil {
		e.writeLimit(*s.MaxTokens)
	}
	for _, f := range []struct {
		key, field string
		value      *float64
		usual      float64
		least      float64
		most       float64
	}{
		{"temperature", chat.FieldTemperature, s.Temperature, 1, 0, 2},
		{"top_p", chat.FieldTopP, s.TopP, 1, 0, 1},
		{"presence_penalty", chat.FieldPresence, s.Presence, 0, -2, 2},
		{"frequency_penalty", chat.FieldFrequency, s.Frequency, 0, -2, 2},
	} {
		switch {
		case f.value == nil:
		case (e.refusesSampling() || e.refuses(f.key)) && *f.value == f.usual: // it does so anyway
		case e.refusesSampling() || e.refuses(f.key):
			e.lose(f.field, chat.Dropped, refusedNote)
		default:
			value := min(max(*f.value, f.least), f.most)
			if value != *f.value {
				e.lose(f.field, chat.Approximated, "the API's limit")
			}
			e.Key(f.key).Float(value)
		}
	}
	switch {
	case s.TopK == nil:
	case e.t.Compatible && !e.refuses("top_k"):
		e.Key("top_k").Float(*s.TopK)
	default:
		e.lose(chat.FieldTopK, chat.Dropped, "OpenAI does not have it")
	}
	if s.Seed != nil && e.refuses("seed") {
		e.lose(chat.FieldSeed, chat.Dropped, refusedNote)
	} else if s.Seed != nil {
		e.Key("seed").Int(*s.Seed)
	}
	e.writeStops(s.Stop)
	if e.c.Logprobs != nil && (e.refusesSampling() || e.refuses("logprobs")) {
		e.lose(chat.FieldLogprobs, chat.Dropped, refusedNote)
	} else if e.c.Logprobs != nil {
		e.Key("logprobs").Bool(true)
		if *e.c.Logprobs > 0 {
			e.Key("top_logprobs").Int(int64(min(*e.c.Logprobs, 20)))
		}
	}
	if e.c.N > 1 {
		e.Key("n").Int(int64(e.c.N))
	}
}

// writeLimit writes the most tokens the answer may have.
func (e *requestWriter) writeLimit(tokens int64) {
	if tokens < 1 {
		e.refuseField(chat.FieldMaxTokens, "the model's provider takes no less than 1")
	}
	if e.t.MaxOutput > 0 && tokens > e.t.MaxOutput {
		tokens = e.t.MaxOutput
		e.lose(chat.FieldMaxTokens, chat.Approximated, "the model's own limit")
	}
	key := "max_completion_tokens"
	if e.t.Compatible && !e.refuses("max_tokens") || e.refuses(key) {
		key = "max_tokens"
	}
	e.Key(key).Int(tokens)
}

// writeStops writes as many stop sequences as the upstream takes; the others are
// watched for when the answer is read.
func (e *requestWriter) writeStops(list []string) {
	const most = 4
	native := list[:min(len(list), most)]
	if e.model.reasons && !e.t.Compatible && e.effort != "none" || e.refuses("stop") {
		native = nil // the author's models that think refuse them
	}
	e.stops = slices.Clone(list[len(native):])
	if len(native) == 0 {
		return
	}
	e.Key("stop").Open(array)
	for _, s := range native {
		e.Text(s)
	}
	e.Close(array)
}
