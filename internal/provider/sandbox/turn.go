package sandbox

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"stele/internal/chat"
)

// turn is what is asked now: the last message of the user, and the calls and
// results that came after it.
type turn struct {
	system  string
	text    string         // the last words of the user; "" where there are none
	own     string         // of them, without what an agent reminds its model of
	quoted  string         // the last part of those: agents tell of themselves before
	prefill string         // how the answer has begun, in the client's words
	media   []chat.Part    // what the user gave along
	results []chat.Part    // what the tools said last; every one has a Name
	loop    []chat.Message // from the first call on
	called  []string       // names of the tools called in this turn
}

func readTurn(talk *chat.Conversation) turn {
	messages := talk.Messages
	asked, loop := bounds(messages)
	t := turn{loop: messages[loop:], system: systemText(talk)}
	for _, m := range messages[asked:] {
		if m.Role != chat.User {
			continue
		}
		if text := textOf(m.Parts); strings.TrimSpace(text) != "" {
			if own := withoutReminders(text); own != "" || t.own == "" {
				t.text, t.own, t.quoted = text, own, lastWords(m.Parts)
			}
		}
		t.media = append(t.media, mediaOf(m.Parts)...)
	}
	names := make(map[string]string)
	for _, m := range t.loop {
		if m.Role == chat.Assistant {
			t.results = nil // they were answered
		}
		for _, p := range m.Parts {
			switch p.Kind {
			case chat.ToolCall:
				names[p.ID] = p.Name
				t.called = append(t.called, p.Name)
			case chat.ToolResult:
				p.Name = cmp.Or(p.Name, names[p.ID])
				t.results = append(t.results, p)
			}
		}
	}
	if n := len(messages); n > 0 && messages[n-1].Role == chat.Assistant {
		t.prefill = textOf(messages[n-1].Parts)
	}
	return t
}

// bounds finds where the user's question begins and where the calls and results
// that belong to it do. User messages side by side are one: with a result among
// them they belong to the calls.
func bounds(messages []chat.Message) (asked, loop int) {
	at := len(messages)
	for at > 0 {
		begin, results := at, false
		for begin > 0 && messages[begin-1].Role != chat.Assistant {
			begin--
			results = results || slices.ContainsFunc(messages[begin].Parts, isResult)
		}
		if begin < at && !results {
			return begin, at
		}
		at = begin
		for at > 0 && messages[at-1].Role == chat.Assistant {
			at--
		}
	}
	return 0, 0
}

func isResult(p chat.Part) bool { return p.Kind == chat.ToolResult }

func systemText(talk *chat.Conversation) string {
	list := []string{textOf(talk.System)}
	for _, m := range talk.Messages {
		if m.Role == chat.System {
			list = append(list, textOf(m.Parts))
		}
	}
	return join(list)
}

func textOf(parts []chat.Part) string {
	var list []string
	for _, p := range parts {
		if p.Kind == chat.Text {
			list = append(list, p.Text)
		}
	}
	return join(list)
}

// marks are what agents put around words of their own among their user's.
var marks = [][2]string{
	{"<system-reminder>", "</system-reminder>"},
	{"<environment_details>", "</environment_details>"},
	{"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"},
}

var reminder = func() *regexp.Regexp {
	var list []string
	for _, m := range marks {
		list = append(list, regexp.QuoteMeta(m[0])+`.*?`+regexp.QuoteMeta(m[1]))
	}
	return regexp.MustCompile(`(?s)` + strings.Join(list, "|"))
}()

func withoutReminders(text string) string {
	if !slices.ContainsFunc(marks, func(m [2]string) bool { return strings.Contains(text, m[0]) }) {
		return text
	}
	return strings.TrimSpace(reminder.ReplaceAllString(text, ""))
}

// lastWords is the last part of the user's own words.
func lastWords(parts []chat.Part) string {
	for _, p := range slices.Backward(parts) {
		if own := withoutReminders(p.Text); p.Kind == chat.Text && strings.TrimSpace(own) != "" {
			return own
		}
	}
	return ""
}

// join is the texts that there are, one below the other.
func join(list []string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "\n")
}

func mediaOf(parts []chat.Part) []chat.Part {
	var list []chat.Part
	for _, p := range parts {
		switch p.Kind {
		case chat.Image, chat.Audio, chat.Video, chat.Document:
			list = append(list, p)
		}
	}
	return list
}
