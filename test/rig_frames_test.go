package test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// said is what a client makes of a stream, or of a whole answer: its texts joined
// and how it ended.
type said struct {
	events  []any    // the data of every event
	names   []string // and what the event was called
	text    string
	stop    string // the dialect's own word; "" if it was never said
	ended   bool   // the dialect's own terminal came
	failure string // the message of an error inside the answer
}

// listen reads a stream the way the SDKs do, and shares no code with the program.
func listen(t testing.TB, dialect, body string) said {
	t.Helper()
	var s said
	body = strings.ReplaceAll(body, "\r\n", "\n")
	for block := range strings.SplitSeq(body, "\n\n") {
		name, data := "", ""
		for line := range strings.SplitSeq(block, "\n") {
			field, value, _ := strings.Cut(line, ":")
			switch value = strings.TrimPrefix(value, " "); field {
			case "event":
				name = value
			case "data":
				data += value
			}
		}
		if data == "[DONE]" {
			s.ended = true
		} else if data != "" {
			event := parse(t, data)
			s.events, s.names = append(s.events, event), append(s.names, name)
			s.hear(dialect, event)
		}
	}
	return s
}

// hearWhole reads a whole answer.
func hearWhole(t testing.TB, dialect, body string) said {
	t.Helper()
	s := said{events: []any{parse(t, body)}, names: []string{""}}
	s.hear(dialect, s.events[0])
	s.ended = s.failure == ""
	return s
}

// hear takes one event, or a whole answer, over.
func (s *said) hear(dialect string, e any) {
	if at(e, "error") != nil {
		s.failure = text(e, "error", "message")
		return
	}
	switch dialect {
	case "openai":
		s.text += text(e, "choices", 0, "delta", "content") + text(e, "choices", 0, "message", "content")
		s.stopped(text(e, "choices", 0, "finish_reason"))
	case "anthropic":
		s.text += text(e, "delta", "text")
		for _, block := range list(e, "content") {
			s.text += text(block, "text")
		}
		s.stopped(text(e, "delta", "stop_reason") + text(e, "stop_reason"))
		s.ended = s.ended || text(e, "type") == "message_stop"
	case "gemini":
		for _, part := range list(e, "candidates", 0, "content", "parts") {
			if at(part, "thought") != true {
				s.text += text(part, "text")
			}
		}
		s.stopped(text(e, "candidates", 0, "finishReason"))
		s.ended = s.ended || s.stop != ""
	}
}

func (s *said) stopped(why string) {
	if why != "" {
		s.stop = why
	}
}

// failedLast tells whether the last word is an error in the dialect's own shape,
// with the event's name where the dialect has one.
func (s *said) failedLast(dialect string) bool {
	if len(s.events) == 0 {
		return false
	}
	last, name := s.events[len(s.events)-1], s.names[len(s.names)-1]
	if text(last, "error", "message") == "" {
		return false
	}
	switch dialect {
	case "anthropic":
		return name == "error" && text(last, "type") == "error" && text(last, "error", "type") != ""
	case "gemini":
		_, number := at(last, "error", "code").(json.Number)
		return number && text(last, "error", "status") != ""
	}
	return text(last, "error", "type") != "" && text(last, "error", "code") != ""
}

// parse reads JSON, numbers digit for digit.
func parse(t testing.TB, data string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Errorf("not JSON: %.500q: %v", data, err)
	}
	return v
}

// at is what is at a place inside a JSON value, or nil.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func text(v any, path ...any) string {
	s, _ := at(v, path...).(string)
	return s
}

func list(v any, path ...any) []any {
	l, _ := at(v, path...).([]any)
	return l
}

// number is a count at a place inside a JSON value, 0 where there is none.
func number(v any, path ...any) int64 {
	n, _ := at(v, path...).(json.Number)
	i, _ := n.Int64()
	return i
}

// member is the raw bytes of one member of a JSON object.
func member(t testing.TB, body []byte, name string) []byte {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("not an object: %.500s: %v", body, err)
	}
	return bytes.TrimSpace(m[name])
}

// sameBytes fails where two texts differ, and shows the first place.
func sameBytes(t testing.TB, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	from := max(i-80, 0)
	t.Errorf("%d bytes, want %d; from %d on\ngot  %q\nwant %q", len(got), len(want), from, got[from:min(i+160, len(got))], want[from:min(i+160, len(want))])
}
