package chat

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// loose makes a stream of one chunk for each event.
func loose(events ...Event) Stream {
	return func(yield func(Chunk, error) bool) {
		for _, e := range events {
			if !yield(Chunk{Events: []Event{e}}, nil) {
				return
			}
		}
	}
}

func text(block int, words string) Event {
	return Event{Kind: Delta, Block: block, Part: Part{Kind: Text, Text: words}}
}

func call(block int, id, name, arguments string) Event {
	return Event{Kind: Delta, Block: block, Part: Part{Kind: ToolCall, ID: id, Name: name, Text: arguments}}
}

func finish(r Reason) Event { return Event{Kind: Finish, Stop: Stop{Reason: r}} }

// tell writes strict events as short words.
func tell(t *testing.T, s Stream) string {
	t.Helper()
	var words []string
	for chunk, err := range s {
		if err != nil {
			words = append(words, "error")
			break
		}
		for _, e := range chunk.Events {
			switch e.Kind {
			case Start:
				words = append(words, "start")
			case Open:
				words = append(words, fmt.Sprintf("open%d:%d%s", e.Block, e.Part.Kind, e.Part.Name))
			case Delta:
				words = append(words, e.Part.Text)
			case Close:
				words = append(words, fmt.Sprintf("close%d", e.Block))
			case Finish:
				words = append(words, fmt.Sprintf("finish%d", e.Stop.Reason))
			}
		}
	}
	return strings.Join(words, " ")
}

func TestTidy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in   []Event
		want string
	}{
		"plain text": {
			[]Event{{Kind: Start}, text(0, "Hel"), text(0, "lo"), finish(EndTurn)},
			"start open0:1 Hel lo close0 finish1",
		},
		"placeholders are nothing": {
			[]Event{{Kind: Start}, text(0, ""), text(0, "a"), text(0, ""), finish(EndTurn)},
			"start open0:1 a close0 finish1",
		},
		"nothing at all": {[]Event{{Kind: Start}, finish(EndTurn)}, "start finish1"},
		"text, tool, text, tool": {
			[]Event{{Kind: Start}, text(9, "a"), call(0, "x", "f", "{}"), text(9, "b"), call(1, "y", "g", "{}"), finish(ToolUse)},
			"start open0:1 a close0 open1:8f {} close1 open2:1 b close2 open3:8g {} close3 finish4",
		},
		"interleaved calls come one after the other": {
			[]Event{{Kind: Start}, call(0, "x", "f", `{"a":`), call(1, "y", "g", `{"b":`), call(0, "", "", `1}`), call(1, "", "", `2}`), finish(ToolUse)},
			`start open0:8f {"a": 1} close0 open1:8g {"b": 2} close1 finish4`,
		},
		"three interleaved, the middle one ends last": {
			[]Event{call(0, "x", "f", `{`), call(1, "y", "g", `{`), call(2, "z", "h", `{`), call(2, "", "", `}`), call(0, "", "", `}`), call(1, "", "", `}`), finish(EndTurn)},
			`start open0:8f { } close0 open1:8g { } close1 open2:8h { } close2 finish4`,
		},
		"text while a call is not whole waits": {
			[]Event{call(0, "x", "f", `{"s":"}`), text(9, "later"), call(0, "", "", `"}`), finish(ToolUse)},
			`start open0:8f {"s":"} "} close0 open1:1 later close1 finish4`,
		},
		"a call without arguments": {
			[]Event{call(0, "x", "f", ""), call(1, "y", "g", "{}"), finish(ToolUse)},
			"start open0:8f close0 open1:8g {} close1 finish4",
		},
		"a call whose name comes late": {
			[]Event{call(0, "x", "", ""), call(0, "", "f", "{}"), finish(ToolUse)},
			"start open0:8f {} close0 finish4",
		},
		"id and name in every piece": {
			[]Event{call(0, "x", "f", `{"a"`), call(0, "x", "f", `:1}`), finish(ToolUse)},
			`start open0:8f {"a" :1} close0 finish4`,
		},
		"closed by the upstream": {
			[]Event{call(0, "x", "f", ""), {Kind: Close, Block: 0}, call(1, "y", "g", ""), {Kind: Close, Block: 1}, finish(ToolUse)},
			"start open0:8f close0 open1:8g close1 finish4",
		},
		"stop with a call is tool use":            {[]Event{call(0, "x", "f", "{}"), finish(EndTurn)}, "start open0:8f {} close0 finish4"},
		"a call cut by the limit stays cut":       {[]Event{call(0, "x", "f", `{"a`), finish(MaxTokens)}, `start open0:8f {"a close0 finish3`},
		"tool use without a call is none":         {[]Event{text(0, "a"), finish(ToolUse)}, "start open0:1 a close0 finish1"},
		"a finish in pieces":                      {[]Event{text(0, "a"), finish(MaxTokens), {Kind: Counted, Usage: Usage{Output: 1}}, finish(0)}, "start open0:1 a close0 finish3"},
		"finish on every chunk":                   {[]Event{text(0, "a"), finish(EndTurn), text(0, "b"), finish(EndTurn)}, "start open0:1 a b close0 finish1"},
		"cut off":                                 {[]Event{{Kind: Start}, text(0, "a")}, "start open0:1 a error"},
		"cut off before anything":                 {nil, "error"},
		"thinking then text":                      {[]Event{{Kind: Delta, Block: 1, Part: Part{Kind: Thought, Text: "hm"}}, text(0, "a"), finish(EndTurn)}, "start open0:2 hm close0 open1:1 a close1 finish1"},
		"thinking of which only a signature came": {[]Event{{Kind: Delta, Block: 1, Part: Part{Kind: Thought, Proof: "p"}}, text(0, "a"), finish(EndTurn)}, "start open0:2  close0 open1:1 a close1 finish1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tell(t, Tidy(loose(test.in...))); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestTidyBoundsWhatItHolds(t *testing.T) {
	t.Parallel()
	piece := strings.Repeat("x", 1<<20)
	events := []Event{call(0, "x", "f", "{")}
	for range 40 {
		events = append(events, text(9, piece))
	}
	var got error
	for _, err := range Tidy(loose(events...)) {
		got = err
	}
	if !errors.Is(got, ErrHeld) {
		t.Errorf("err = %v", got)
	}
}

func TestCollectReversesReplay(t *testing.T) {
	t.Parallel()
	want := &WholeReply{
		ID: "r", Model: "m", Usage: Usage{Input: 3, Output: 4, Known: true},
		Answers: []Answer{{Stop: Stop{Reason: ToolUse}, Parts: []Part{
			{Kind: Thought, Text: "hm", Proof: "sig"}, {Kind: Redacted, Text: "xx"},
			{Kind: Text, Text: "a", Citations: []Citation{{URL: "u"}}},
			{Kind: ToolCall, ID: "1", Name: "f", Text: `{"a":1}`}, {Kind: ToolCall, ID: "2", Name: "g"},
		}}},
	}
	got, err := Collect(Replay(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	e := Envelope{"gemini", "google", "gemini-3", "a\x00b=="}
	if got, ok := Unwrap(e.Wrap()); !ok || got != e {
		t.Errorf("%+v, %v", got, ok)
	}
	for _, other := range []string{"", "EqQBCgIYAh", EnvelopePrefix, EnvelopePrefix + "!"} {
		if _, ok := Unwrap(other); ok {
			t.Errorf("%q is an envelope", other)
		}
	}
}

// FuzzTidy feeds any loose stream and checks the grammar of what comes out.
func FuzzTidy(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte("\x10\x21\x12\x23\x05"))
	f.Fuzz(func(t *testing.T, script []byte) {
		var events []Event
		said := map[Kind]int{}
		for i, c := range script {
			block := int(c>>4) % 4
			switch c % 8 {
			case 0:
				events = append(events, Event{Kind: Start})
			case 1, 2:
				events = append(events, text(block, string(rune('a'+i%26))))
				said[Text]++
			case 3:
				events = append(events, call(block+10, "", "f", `{`))
				said[ToolCall]++
			case 4:
				events = append(events, call(block+10, "", "f", `}`))
				said[ToolCall]++
			case 5:
				events = append(events, Event{Kind: Delta, Block: block + 20, Part: Part{Kind: Thought, Text: "t"}})
				said[Thought]++
			case 6:
				events = append(events, Event{Kind: Close, Block: block + 10})
			case 7:
				events = append(events, finish(EndTurn))
			}
		}
		open, next, started, finished, heard := -1, 0, false, false, map[Kind]int{}
		var kind Kind
		for chunk, err := range Tidy(loose(events...)) {
			if err != nil {
				return
			}
			for _, e := range chunk.Events {
				fits := started && !finished
				switch e.Kind {
				case Start:
					fits = !started
					started = true
				case Open:
					fits = fits && open < 0 && e.Block == next
					open, kind, next = e.Block, e.Part.Kind, next+1
					fits = fits && (kind != ToolCall || e.Part.ID != "" && e.Part.Name != "")
				case Delta:
					fits = fits && e.Block == open && e.Part.Kind == kind
					heard[kind]++
				case Close:
					fits = fits && e.Block == open
					open = -1
				case Finish:
					fits = fits && open < 0
					finished = true
				}
				if !fits {
					t.Fatalf("event %+v does not fit", e)
				}
			}
		}
		if !finished {
			t.Fatal("ended without a finish and without an error")
		}
		if diff := cmp.Diff(said, heard); diff != "" {
			t.Fatalf("pieces were lost (-said +heard):\n%s", diff)
		}
	})
}
