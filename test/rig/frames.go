package rig

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Said is what a client makes of a stream, or of a whole answer: its texts joined
// and how it ended.
type Said struct {
	Events  []any    // the data of every event
	names   []string // and what the event was called
	Text    string
	Stop    string // the dialect's own word; "" if it was never said
	Ended   bool   // the dialect's own terminal came
	Failure string // the message of an error inside the answer
}

// Listen reads a stream the way the SDKs do, and shares no code with the program.
func Listen(t testing.TB, dialect, body string) Said {
	t.Helper()
	var s Said
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
			s.Ended = true
		} else if data != "" {
			event := Parse(t, data)
			s.Events, s.names = append(s.Events, event), append(s.names, name)
			s.hear(dialect, event)
		}
	}
	return s
}

// HearWhole reads a whole answer.
func HearWhole(t testing.TB, dialect, body string) Said {
	t.Helper()
	s := Said{Events: []any{Parse(t, body)}, names: []string{""}}
	s.hear(dialect, s.Events[0])
	s.Ended = s.Failure == ""
	return s
}

// hear takes one event, or a whole answer, over.
func (s *Said) hear(dialect string, e any) {
	if At(e, "error") != nil {
		s.Failure = Text(e, "error", "message")
		return
	}
	switch dialect {
	case "openai":
		s.Text += Text(e, "choices", 0, "delta", "content") + Text(e, "choices", 0, "message", "content")
		s.stopped(Text(e, "choices", 0, "finish_reason"))
	case "anthropic":
		s.Text += Text(e, "delta", "text")
		for _, block := range List(e, "content") {
			s.Text += Text(block, "text")
		}
		s.stopped(Text(e, "delta", "stop_reason") + Text(e, "stop_reason"))
		s.Ended = s.Ended || Text(e, "type") == "message_stop"
	case "gemini":
		for _, part := range List(e, "candidates", 0, "content", "parts") {
			if At(part, "thought") != true {
				s.Text += Text(part, "text")
			}
		}
		s.stopped(Text(e, "candidates", 0, "finishReason"))
		s.Ended = s.Ended || s.Stop != ""
	}
}

func (s *Said) stopped(why string) {
	if why != "" {
		s.Stop = why
	}
}

// FailedLast tells whether the last word is an error in the dialect's own shape,
// with the event's name where the dialect has one.
func (s *Said) FailedLast(dialect string) bool {
	if len(s.Events) == 0 {
		return false
	}
	last, name := s.Events[len(s.Events)-1], s.names[len(s.names)-1]
	if Text(last, "error", "message") == "" {
		return false
	}
	switch dialect {
	case "anthropic":
		return name == "error" && Text(last, "type") == "error" && Text(last, "error", "type") != ""
	case "gemini":
		_, number := At(last, "error", "code").(json.Number)
		return number && Text(last, "error", "status") != ""
	}
	return Text(last, "error", "type") != "" && Text(last, "error", "code") != ""
}

// Parse reads JSON, numbers digit for digit.
func Parse(t testing.TB, data string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Errorf("not JSON: %.500q: %v", data, err)
	}
	return v
}

// At is what is at a place inside a JSON value, or nil.
func At(v any, path ...any) any {
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

func Text(v any, path ...any) string {
	s, _ := At(v, path...).(string)
	return s
}

func List(v any, path ...any) []any {
	l, _ := At(v, path...).([]any)
	return l
}

// number is a count at a place inside a JSON value, 0 where there is none.
func number(v any, path ...any) int64 {
	n, _ := At(v, path...).(json.Number)
	i, _ := n.Int64()
	return i
}

// Member is the raw bytes of one member of a JSON object.
func Member(t testing.TB, body []byte, name string) []byte {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("not an object: %.500s: %v", body, err)
	}
	return bytes.TrimSpace(m[name])
}

// SameBytes fails where two texts differ, and shows the first place.
func SameBytes(t testing.TB, got, want string) {
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
