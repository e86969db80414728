package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"stele/internal/chat"
)

// mostCalls bounds the calls of one answer.
const mostCalls = 128

// calls is the tools to call now, in order: those that are ordered or spoken of,
// and where the client insists another one, each once in a turn, or as often as was
// ordered. So a client
// that goes on insisting sees every tool called, and then an answer.
func (p *plan) calls() ([]chat.Tool, error) {
	choice := p.talk.Choice
	offered := p.callableTools()
	forced := choice.Mode == chat.Required || choice.Mode == chat.Named || choice.Mode == chat.Validated ||
		choice.Mode == chat.Allowed && choice.Forced
	switch {
	case choice.Mode == chat.None:
		return nil, nil
	case choice.Mode == chat.Named && len(offered) == 0:
		return nil, refuseField("tool_choice", "The tool %q is chosen, but not offered.", choice.Name)
	case forced && len(offered) == 0:
		return nil, refuseField("tool_choice", "A tool must be called, but none is offered.")
	}
	wanted, err := p.pickTools(offered)
	if err != nil {
		return nil, err
	}
	called := make(map[string]int)
	for _, name := range p.turn.called {
		called[name]++
	}
	done := func(t chat.Tool) bool { return called[t.Name] >= p.orders.times }
	wanted = slices.DeleteFunc(wanted, done)
	if len(wanted) == 0 && forced {
		if i := slices.IndexFunc(offered, func(t chat.Tool) bool { return !done(t) }); i >= 0 {
			wanted = offered[i : i+1]
		}
	}
	most := mostCalls
	if choice.Serial {
		most = 1
	}
	return wanted[:min(len(wanted), most)], nil
}

// callableTools are the tools that may be called.
func (p *plan) callableTools() []chat.Tool {
	var list []chat.Tool
	choice := p.talk.Choice
	allowed := setOf(choice.Names)
	for _, t := range p.talk.Tools {
		switch {
		case t.Kind == chat.Server:
		case choice.Mode == chat.Named && t.Name != choice.Name:
		case len(choice.Names) > 0 && !allowed[t.Name]:
		default:
			list = append(list, t)
		}
	}
	return list
}

// pickTools picks the tools that an order names, or else the text. Agents' reminders name none, nor does what the sandbox
// offered to another and is quoted.
func (p *plan) pickTools(offered []chat.Tool) ([]chat.Tool, error) {
	var list []chat.Tool
	for _, name := range p.orders.tools {
		i := slices.IndexFunc(offered, func(t chat.Tool) bool { return t.Name == name })
		if i < 0 && slices.Contains(p.turn.called, name) {
			continue // it was called, and the client offers it no longer: a hand-off
		}
		if i < 0 {
			return nil, refuseField("messages", "The sandbox is ordered to call the tool %q, which is not offered.", clip(name, 4, 64))
		}
		list = append(list, offered[i])
	}
	if len(p.orders.tools) > 0 {
		return list, nil
	}
	said := speech{text: normalize(ownOffer.ReplaceAllString(beginning(withoutReminders(p.turn.own)), ""))}
	said.words = setOf(strings.Fields(said.text))
	for _, t := range offered {
		if said.mentions(t.Name) {
			list = append(list, t)
		}
	}
	return list, nil
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// speech is a spoken text and the words of it.
type speech struct {
	text  string
	words map[string]bool
	looks int // names of several words that were looked for
}

// mostLooks bounds those: each is looked for in the whole text.
const mostLooks = 100

// beginning is as much of a text as is looked for names.
func beginning(text string) string { return text[:min(len(text), 1<<16)] }

// normalize gives a text, the beginning of a long one, with single spaces around its words, in lower case. What
// joins the words of a name stays.
func normalize(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(beginning(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && r != '_' && r != '-'
	}), " ") + " "
}

// little are words in tools' names that say nothing of what the tool is about.
var little = []string{
	"a", "an", "the", "of", "for", "in", "to", "my", "get", "set", "do", "run", "make", "create", "find", "fetch", "list", "look", "lookup",
	"read", "show", "search", "query", "current", "tool", "function", "use", "call",
}

// mentions reports whether a text has a tool's name: as it is, or every word of it
// that means something. "What is the weather?" speaks of get_weather.
func (s *speech) mentions(name string) bool {
	lower := strings.ToLower(name)
	whole := strings.TrimSpace(normalize(lower))
	switch {
	case whole == lower && s.words[lower]: // one word, as nearly all names are
		return true
	case whole != lower && strings.ContainsRune(lower, ' ') && len(lower) < 256 && s.looks < mostLooks:
		s.looks++
		if strings.Contains(s.text, " "+lower+" ") {
			return true
		}
	}
	telling := slices.DeleteFunc(nameWords(name), func(w string) bool { return slices.Contains(little, w) })
	for _, w := range telling {
		if !s.words[w] {
			return false
		}
	}
	return len(telling) > 0
}

// nameWords splits get_weather, get-weather, get.weather and getWeather.
func nameWords(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(r)
	}
	return strings.FieldsFunc(strings.ToLower(b.String()), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// call is a call of a tool with arguments that fit it.
func (p *plan) call(t chat.Tool, at, take int) block {
	sum := sha256.Sum256(fmt.Appendf(nil, "call %x %d %d", p.prompt.sum, take, at))
	b := block{part: chat.Part{Kind: chat.ToolCall, ID: "call_" + hex.EncodeToString(sum[:12]), Name: t.Name}}
	if t.Kind != chat.Custom {
		arguments := p.fit(t.Schema, true)
		if p.orders.arguments != nil {
			arguments = *p.orders.arguments
		}
		b.pieces = cutBites(p.spoil(arguments))
		return b
	}
	b.part.Custom = true
	text := clip(p.turn.own, 60, 400)
	switch {
	case p.orders.arguments != nil:
		text = *p.orders.arguments
	case text == "":
		text = Model
	}
	b.pieces = words(text)
	return b
}
