package upstream

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ask is what a chat request wants, in no dialect.
type ask struct {
	model   string
	turns   []turn
	tools   []tool
	force   string   // "" the model chooses, "any" it must call, "none" it must not
	only    []string // the tools it may choose from; nil is all
	schema  any      // of the answer
	json    bool     // an object without a schema
	thinks  bool
	shown   bool // the thinking has a block of its own
	redacts bool // it may be hidden
	longest int  // in tokens; 0 is no limit
	stops   []string
	count   int

	size       int // of the request in bytes
	cached     bool
	cachesLong bool // without being asked, what is long
	longLife   bool // the cache is asked to last an hour
}

type turn struct {
	role    string // user or model
	texts   []string
	media   []string // MIME types
	results []string
	calls   int
}

type tool struct {
	name   string
	schema any
	custom bool
}

// order is call:NAME, call:A,B or call:A*3.
var order = regexp.MustCompile(`call:([\w.:,-]+?)(?:\*(\d+))?(?:[\s.;!?)"']|$)`)

// plan decides what to say.
func (a ask) plan() Plan {
	p := Plan{Count: a.count}
	topic := a.topic()
	if a.thinks {
		thought := "Thinking about " + strconv.Quote(short(topic, 60)) + ". I will answer now."
		kind := "think"
		if a.redacts && strings.Contains(topic, "redact") {
			kind = "redacted"
		}
		if a.shown {
			p.Blocks = append(p.Blocks, Block{Kind: kind, Text: thought})
		}
		p.think = tokens(thought)
	}
	if calls := a.calls(topic); len(calls) > 0 {
		p.Blocks = append(p.Blocks, calls...)
		return p
	}
	text := a.text()
	if text, p.Stop = a.stopped(text); p.Stop == "" {
		text, p.cut = a.capped(text, p.think)
	}
	p.Blocks = append(p.Blocks, Block{Kind: "text", Text: text})
	return p
}

// topic is the last text of the user.
func (a ask) topic() string {
	for _, t := range slices.Backward(a.turns) {
		if t.role == "user" && strings.TrimSpace(strings.Join(t.texts, "")) != "" {
			return strings.Join(t.texts, "\n")
		}
	}
	return ""
}

// calls are the calls that the topic orders or the request forces.
func (a ask) calls(topic string) []Block {
	if a.force == "none" || len(a.tools) == 0 {
		return nil
	}
	var names []string
	if m := order.FindStringSubmatch(topic); m != nil {
		rounds, _ := strconv.Atoi(m[2])
		if a.rounds() < max(rounds, 1) {
			names = strings.Split(m[1], ",")
		}
	}
	var blocks []Block
	for _, name := range names {
		if i := slices.IndexFunc(a.tools, func(t tool) bool { return t.name == name && a.allowed(name) }); i >= 0 {
			blocks = append(blocks, a.tools[i].call())
		}
	}
	if len(blocks) > 0 {
		return append([]Block{Text("I will call " + strings.Join(names, " and ") + ".")}, blocks...)
	}
	if a.force == "any" {
		if i := slices.IndexFunc(a.tools, func(t tool) bool { return a.allowed(t.name) }); i >= 0 {
			return []Block{a.tools[i].call()}
		}
	}
	return nil
}

func (a ask) allowed(name string) bool { return a.only == nil || slices.Contains(a.only, name) }

// rounds is how often tools have been called since the last text of the user.
func (a ask) rounds() int {
	n := 0
	for _, t := range slices.Backward(a.turns) {
		if t.role == "user" && strings.TrimSpace(strings.Join(t.texts, "")) != "" {
			break
		}
		if t.calls > 0 {
			n++
		}
	}
	return n
}

func (t tool) call() Block {
	if t.custom {
		return Block{Kind: "custom", Name: t.name, Text: "free text"}
	}
	return Block{Kind: "call", Name: t.name, Args: string(encode(fitting(t.schema)))}
}

// text is the answer in words, or in JSON.
func (a ask) text() string {
	switch {
	case a.schema != nil:
		return string(encode(fitting(a.schema)))
	case a.json:
		return string(encode(doc{"echo", a.topic()}))
	}
	var media, results []string
	for _, t := range slices.Backward(a.turns) {
		if t.role == "model" {
			break
		}
		media = append(slices.Clone(t.media), media...)
		results = append(slices.Clone(t.results), results...)
	}
	text := "You said: " + a.topic()
	if len(results) > 0 {
		text = "The tools said: " + strings.Join(results, " | ")
	}
	if len(media) > 0 {
		text += fmt.Sprintf(" I was given %d: %s.", len(media), strings.Join(media, ", "))
	}
	return text
}

// stopped is the text up to the first stop sequence in it.
func (a ask) stopped(text string) (string, string) {
	first, which := len(text), ""
	for _, s := range a.stops {
		if i := strings.Index(text, s); i >= 0 && i < first {
			first, which = i, s
		}
	}
	return text[:first], which
}

// capped is the text within the limit of tokens.
func (a ask) capped(text string, spent int) (string, bool) {
	if a.longest == 0 || spent+tokens(text) <= a.longest {
		return text, false
	}
	end := max(4*(a.longest-spent), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], true
}

func short(text string, runes int) string {
	r := []rune(text)
	return string(r[:min(len(r), runes)])
}
