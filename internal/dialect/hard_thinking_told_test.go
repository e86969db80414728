package dialect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// told is an answer as its client understands it, whichever dialect it speaks.
type told struct {
	thoughts, words string
	calls           []string // name and arguments
	ids             []string
	end             string // stop, tool, length, refused
}

func (s *told) String() string {
	return fmt.Sprintf("%s|%s|%s|%s", s.thoughts, s.words, strings.Join(s.calls, " "), s.end)
}

// thinkingAsks are requests for thoughts and tools, in each dialect.
var thinkingAsks = map[string]string{
	O: `{"model":"m","reasoning_effort":"high",` + toolsO + `,"messages":[{"role":"user","content":"go"}]%s}`,
	A: `{"model":"m","max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":10000},` + toolsA + `,"messages":[{"role":"user","content":"go"}]%s}`,
	G: `{"generationConfig":{"thinkingConfig":{"includeThoughts":true}},` + toolsG + `,"contents":[{"parts":[{"text":"go"}]}]}%s`,
}

// tells makes a trip for thoughts and tools and is what the client understands of the
// answer: "error" and the status before its first byte, or "error" where it broke off.
func tells(t *testing.T, way trip) string {
	t.Helper()
	more := ""
	if way.stream && way.from != G {
		more = `,"stream":true`
	}
	way.ask = strings.ReplaceAll(thinkingAsks[way.from], "%s", more)
	l := try(t, way)
	if l.failure != nil && (l.body == "" || strings.HasPrefix(l.body, "{")) {
		return fmt.Sprintf("error %d", l.status)
	}
	var s told
	switch {
	case l.failure != nil:
		if !strings.Contains(l.body, `"error"`) {
			t.Errorf("%s does not hear of the error: %s", way.from, l.body)
		}
		return "error"
	case way.stream:
		for _, e := range l.events() {
			s.hear(way.from, e.data, "delta")
		}
	default:
		s.hear(way.from, gjson.Parse(l.body), "message")
	}
	if way.stream && way.from == A {
		blocksOf(l) // one is open at a time
	}
	if s.end == "stop" && way.from == G && len(s.calls) > 0 {
		s.end = "tool"
	}
	if slices.Sort(s.ids); len(slices.Compact(slices.Clone(s.ids))) != len(s.ids) {
		t.Errorf("an id of two calls: %v", s.ids)
	}
	return s.String()
}

// hear takes over a frame, or a whole answer.
func (s *told) hear(dialect string, v gjson.Result, member string) {
	switch dialect {
	case O:
		s.hearO(v, member)
	case A:
		for _, b := range v.Get("content").Array() {
			s.thoughts, s.words = s.thoughts+b.Get("thinking").Str, s.words+b.Get("text").Str
			if b.Get("type").Str == "tool_use" {
				s.calls = append(s.calls, b.Get("name").Str+b.Get("input").Raw)
				s.ids = append(s.ids, b.Get("id").Str)
			}
		}
		if b := v.Get("content_block"); b.Get("type").Str == "tool_use" {
			s.calls = append(s.calls, b.Get("name").Str)
			s.ids = append(s.ids, b.Get("id").Str)
		}
		d := v.Get("delta")
		s.thoughts, s.words = s.thoughts+d.Get("thinking").Str, s.words+d.Get("text").Str
		if p := d.Get("partial_json"); p.Exists() {
			s.calls[len(s.calls)-1] += strings.TrimSpace(p.Str)
		}
		if v.Get("type").Str == "content_block_stop" && len(s.calls) > 0 && !strings.Contains(s.calls[len(s.calls)-1], "{") {
			s.calls[len(s.calls)-1] += "{}"
		}
		s.end += map[string]string{"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool", "max_tokens": "length", "refusal": "refused"}[v.Get("stop_reason").Str+d.Get("stop_reason").Str]
	case G:
		for _, p := range v.Get("candidates.0.content.parts").Array() {
			switch {
			case p.Get("thought").Bool():
				s.thoughts += p.Get("text").Str
			case p.Get("functionCall").Exists():
				args := p.Get("functionCall.args").Raw
				if args == "" {
					args = "{}"
				}
				s.calls = append(s.calls, p.Get("functionCall.name").Str+args)
			default:
				s.words += p.Get("text").Str
			}
		}
		s.end += map[string]string{"STOP": "stop", "MAX_TOKENS": "length", "OTHER": "stop", "SAFETY": "refused", "PROHIBITED_CONTENT": "refused"}[v.Get("candidates.0.finishReason").Str]
	}
}

func (s *told) hearO(v gjson.Result, member string) {
	choice := v.Get("choices.0")
	m := choice.Get(member)
	s.thoughts, s.words = s.thoughts+m.Get("reasoning_content").Str, s.words+m.Get("content").Str+m.Get("refusal").Str
	for i, call := range m.Get("tool_calls").Array() {
		at := i
		if index := call.Get("index"); index.Exists() {
			at = int(index.Int())
		}
		if at == len(s.calls) {
			s.calls = append(s.calls, "")
		}
		s.calls[at] += call.Get("function.name").Str + strings.TrimSpace(call.Get("function.arguments").Str)
		if id := call.Get("id"); id.Exists() {
			s.ids = append(s.ids, id.Str)
		}
	}
	s.end += map[string]string{"stop": "stop", "tool_calls": "tool", "length": "length", "content_filter": "refused"}[choice.Get("finish_reason").Str]
}

// heard is one stream of an upstream's, and what clients of the other dialects are to
// understand of it, streamed or whole.
type heard struct {
	number   int
	name     string
	from     string // the upstream's dialect
	stream   string
	want     string // as told has it, or an error with its status
	streamed string // what a stream has instead, because it was out when it failed
}

// hardHeard are hard cases of streams, made of what was heard.
func hardHeard(letter, title string, rows []heard) section {
	s := section{letter: letter, title: title}
	for _, row := range rows {
		s.cases = append(s.cases, hard{number: row.number, name: row.name, run: func(t *testing.T) { row.run(t) }})
	}
	return s
}

func (h *heard) run(t *testing.T) {
	t.Helper()
	kind := ""
	if h.from == O {
		kind = "vllm"
	}
	for _, from := range []string{O, A, G} {
		if from == h.from {
			continue
		}
		for _, streamed := range []bool{true, false} {
			got := tells(t, trip{from: from, to: h.from, kind: kind, stream: streamed, answers: []string{h.stream}})
			want := h.want
			if streamed && h.streamed != "" {
				want = h.streamed
			}
			if status, ok := statusOf[from][want]; ok {
				want = status
			}
			if got != want {
				t.Errorf("%s from %s (streamed %t): %s, want %s", from, h.from, streamed, got, want)
			}
		}
	}
}

// statusOf are the statuses that a dialect has others for.
var statusOf = map[string]map[string]string{
	A: {"error 502": "error 500", "error 503": "error 529"},
	G: {"error 502": "error 500"},
}

// cutA is a stream up to an event.
func cutA(stream, event string) string { return stream[:strings.LastIndex(stream, event)] }

// onlyData is a stream without the names of its events.
func onlyData(stream string) string {
	var list []string
	for line := range strings.SplitSeq(stream, "\n") {
		if !strings.HasPrefix(line, "event:") {
			list = append(list, line)
		}
	}
	return strings.Join(list, "\n")
}

// partsG is a chunk of Google's.
func partsG(parts, more string) string {
	content := `"content":{"role":"model","parts":[` + parts + `]},`
	if parts == "" {
		content = ""
	}
	return `{"candidates":[{` + content + `"index":0` + more + `}]}`
}
