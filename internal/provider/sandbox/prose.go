package sandbox

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"stele/internal/chat"
)

// openers are ways to begin; the seed chooses.
var openers = []string{
	"You said: %s.",
	"I read your message: %s.",
	"Your words were: %s.",
	"This is what reached me: %s.",
	"Heard and noted: %s.",
}

// seed is the request's seed as a number that can choose; 0 where there is none.
func (p *plan) seed() int {
	if p.talk.Sampling.Seed == nil {
		return 0
	}
	return int(uint64(*p.talk.Sampling.Seed) % (1 << 31))
}

// prose is the take-th answer in words: what the sandbox was asked, given and told.
func (p *plan) prose(take int) string {
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	if take > 0 {
		say("Answer %d.", take+1)
	}
	if p.turn.prefill != "" {
		say("I go on after %s.", quote(p.turn.prefill))
	}
	for _, r := range p.turn.results {
		said = append(said, resultText(r))
	}
	if p.turn.text == "" {
		say("You sent no words.")
	} else {
		say(openers[(p.seed()+take)%len(openers)], quote(p.turn.quoted))
	}
	if list := describeAll(p.turn.media); list != "" {
		say("You gave me %s.", list)
	}
	if p.turn.system != "" {
		say("I have read the system prompt (%s).", plural(countWords(p.turn.system), "word"))
	}
	if p.talk.Sampling.Seed != nil {
		say("The seed is %d.", *p.talk.Sampling.Seed)
	}
	if offered := p.callableTools(); len(offered) > 0 && len(p.turn.called) == 0 && p.talk.Choice.Mode != chat.None {
		say(offerOfTools+"%s.", series(toolNames(offered), "or"))
	}
	say(lastSentence)
	return strings.Join(said, " ")
}

// What an answer ends with. Agents hand the answer of one to another, as words of the user.
const (
	offerOfTools = "Name one of the tools and I call it: "
	lastSentence = "This is the Stele sandbox: no model was asked."
)

// ownOffer finds an offer of tools in an answer that is quoted.
var ownOffer = regexp.MustCompile(`(?s)` + regexp.QuoteMeta(offerOfTools) + `.*?` + regexp.QuoteMeta(lastSentence))

// resultText is what a tool said.
func resultText(r chat.Part) string {
	name := cmp.Or(r.Name, r.ID)
	text := textOf(r.Content)
	var said string
	switch {
	case text == "":
		said = "The tool " + name + " said nothing"
	case r.Failed:
		said = "The tool " + name + " failed and said " + quote(text)
	default:
		said = "The tool " + name + " said " + quote(text)
	}
	if r.Failed && text == "" {
		said = "The tool " + name + " failed"
	}
	if media := describeAll(mediaOf(r.Content)); media != "" {
		said += " and gave " + media
	}
	return said + "."
}

// thinks reports whether the client wants the model to think.
func thinks(t *chat.Thinking) bool {
	return t != nil && t.Effort != "none" && t.Kind != "disabled" && (t.Budget == nil || *t.Budget != 0)
}

// pondered is how many sentences the sandbox thinks beyond what there is to
// think about, at each effort.
var pondered = map[string]int{"minimal": 0, "low": 0, "": 1, "medium": 1, "high": 2, "xhigh": 3, "max": 4}

// thoughts is what goes before the answer: nothing, unless the client or an
// order wants it. They are signed when they are final.
func (p *plan) thoughts(calls []chat.Tool) []block {
	var list []block
	t := p.talk.Thinking
	if pieces := p.thoughtWords(calls); len(pieces) > 0 {
		unseen := t != nil && t.Show != nil && !*t.Show
		list = append(list, block{part: chat.Part{Kind: chat.Thought}, pieces: pieces, untold: unseen})
	}
	if p.orders.redacted {
		list = append(list, block{part: chat.Part{Kind: chat.Redacted}, pieces: []string{""}})
	}
	return list
}

func (p *plan) thoughtWords(calls []chat.Tool) []string {
	if p.orders.think != never {
		return makeLong(p.intent(calls), p.orders.think)
	}
	t := p.talk.Thinking
	if !thinks(t) {
		return nil
	}
	pieces := words(strings.Join(append([]string{p.intent(calls)}, sentences[:pondered[t.Effort]]...), " "))
	if t.Budget != nil && *t.Budget > 0 && *t.Budget < int64(len(pieces)) {
		pieces = pieces[:*t.Budget]
	}
	return pieces
}

// intent is what there is to think about.
func (p *plan) intent(calls []chat.Tool) string {
	intent := "I will answer in words."
	switch {
	case len(calls) > 0:
		intent = "I will call " + series(toolNames(calls), "and") + "."
	case len(p.turn.results) > 0:
		intent = "I will pass on what the tools said."
	case p.talk.Format != nil:
		intent = "I will answer in the shape that was asked for."
	}
	return "They wrote “" + clip(p.turn.quoted, 8, 80) + "” and wait for an answer. " + intent
}

func toolNames(tools []chat.Tool) []string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name)
	}
	return all
}

// series is a, b and c.
func series(items []string, word string) string {
	if n := len(items); n > 1 {
		items = append(slices.Clone(items[:n-2]), items[n-2]+" "+word+" "+items[n-1])
	}
	return strings.Join(items, ", ")
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
