package openai

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/wire"
)

// fixture is one file of testdata: an exchange as the API's documents and the
// official clients' types describe it.
type fixture struct {
	name                      string
	request, response, stream []byte
}

func fixtures(tb testing.TB) []fixture {
	tb.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		tb.Fatal(names, err)
	}
	var all []fixture
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		if !bytes.HasPrefix(archive.Comment, []byte("documented 20")) && !bytes.HasPrefix(archive.Comment, []byte("recorded 20")) {
			tb.Errorf("%s does not say where it is from", name)
		}
		f := fixture{name: strings.TrimSuffix(filepath.Base(name), ".txtar")}
		for _, file := range archive.Files {
			switch file.Name {
			case "request.json":
				f.request = file.Data
			case "response.json":
				f.response = file.Data
			case "stream":
				f.stream = file.Data
			default:
				tb.Errorf("%s: what is %s?", name, file.Name)
			}
		}
		all = append(all, f)
	}
	return all
}

// target takes every signature for its own: the laws are about one upstream.
func (f *fixture) target(model string) dialect.Upstream {
	return dialect.Upstream{
		Model: model, Compatible: strings.HasPrefix(f.name, "compat"),
		Proof: func(text string) (string, bool) { return text, true },
	}
}

// meaning is what two conversations or answers are compared by.
var meaning = cmp.Options{
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(chat.Part{}, "At", "Raw"),
	cmpopts.IgnoreFields(chat.Message{}, "At"),
	cmpopts.IgnoreFields(chat.Tool{}, "At", "Raw"),
	cmpopts.IgnoreFields(chat.Citation{}, "Raw"),
	cmpopts.IgnoreFields(chat.Stop{}, "Raw"), // a server's own word, which need not be this API's
	cmpopts.IgnoreFields(chat.Conversation{}, "Notes", "Legacy", "Spelled"),
}

func decode(tb testing.TB, body []byte) (*chat.Request, *chat.Conversation) {
	tb.Helper()
	req, err := Codec{}.DecodeRequest(dialect.Incoming{Body: body})
	if err != nil {
		tb.Fatalf("%v\n%s", err, body)
	}
	c, err := req.Conversation()
	if err != nil {
		tb.Fatalf("%v\n%s", err, body)
	}
	return req, c
}

func TestLawDecodeAfterEncodeKeepsTheMeaning(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.request == nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			req, want := decode(t, f.request)
			call, err := Codec{}.EncodeRequest(want, f.target(req.Model))
			if err != nil {
				t.Fatal(err)
			}
			_, got := decode(t, call.Body)
			if diff := cmp.Diff(want, got, meaning); diff != "" {
				t.Errorf("the conversation changed:\n%s\n%s", diff, call.Body)
			}
			again, err := Codec{}.EncodeRequest(want, f.target(req.Model))
			if err != nil || !bytes.Equal(call.Body, again.Body) {
				t.Errorf("not the same bytes twice: %v", err)
			}
			for _, l := range call.Losses {
				if l.Verb == chat.Dropped || l.Verb == chat.Approximated {
					t.Errorf("lost within one dialect: %+v", l)
				}
			}
		})
	}
}

func TestLawWholeIsStreamed(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.response == nil || f.stream == nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			want, err := Codec{}.DecodeReply(f.response)
			if err != nil {
				t.Fatal(err)
			}
			got, err := collect(f.stream)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, meaning); diff != "" {
				t.Errorf("whole and streamed differ:\n%s", diff)
			}
		})
	}
}

func TestLawEncodeThenDecodeKeepsTheAnswer(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.response == nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			want, err := Codec{}.DecodeReply(f.response)
			if err != nil {
				t.Fatal(err)
			}
			want.ID = answerID(want.ID)
			req := showing(want.Model)
			body, err := Codec{}.EncodeReply(req, want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Codec{}.DecodeReply(body)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, meaning); diff != "" {
				t.Errorf("whole: the answer changed:\n%s\n%s", diff, body)
			}
			if len(want.Answers) > 1 {
				return
			}
			want.Tier = ""
			frames := encode(t, req, chat.Replay(want))
			if got, err = collect(frames); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, meaning); diff != "" {
				t.Errorf("streamed: the answer changed:\n%s\n%s", diff, frames)
			}
		})
	}
}

// TestLawCutStreamsAreErrors cuts every stream before its last word: none of
// them may look complete.
func TestLawCutStreamsAreErrors(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		end := bytes.Index(f.stream, []byte(`"finish_reason":"`))
		const step = 3 // every offset would take most of the time of all tests
		for i := 0; i < end; i += step {
			if r, err := collect(f.stream[:i]); err == nil {
				t.Fatalf("%s cut at %d looks complete: %+v", f.name, i, r)
			}
		}
	}
}

// TestLawLightAndFullAgree: metering sees the same whether or not a stream is read in full.
func TestLawLightAndFullAgree(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.stream == nil {
			continue
		}
		tell := func(light bool) (usage chat.Usage, ends int, hidden []bool) {
			d := Codec{}.NewDecoder(light)
			for _, frame := range frames(t, f.stream) {
				events, err := d.Decode(nil, frame)
				if err != nil {
					t.Fatal(err)
				}
				hidden = append(hidden, d.Hidden())
				for _, e := range events {
					switch e.Kind {
					case chat.Counted:
						usage = e.Usage
					case chat.Finish:
						if !e.Last || ends == 0 { // [DONE] says it once more
							ends++
						}
					}
				}
			}
			return usage, ends, hidden
		}
		usage, ends, hidden := tell(false)
		lightUsage, lightEnds, lightHidden := tell(true)
		if usage != lightUsage || ends != lightEnds || !cmp.Equal(hidden, lightHidden) || ends != 1 || !usage.Known {
			t.Errorf("%s: full %+v %d %v, light %+v %d %v", f.name, usage, ends, hidden, lightUsage, lightEnds, lightHidden)
		}
	}
}

// showing is a request that wants to see everything.
func showing(model string) *chat.Request {
	show := true
	c := &chat.Conversation{Thinking: &chat.Thinking{Show: &show}}
	return chat.NewRequest(model, true, chat.Origin{Dialect: name, Usage: true}, func() (*chat.Conversation, error) { return c, nil })
}

func frames(tb testing.TB, stream []byte) (all []wire.Frame) {
	tb.Helper()
	r := wire.NewSSE(bytes.NewReader(stream), 1<<20)
	for {
		f, err := r.Next()
		if err != nil {
			return all
		}
		all = append(all, wire.Frame{Event: bytes.Clone(f.Event), Data: bytes.Clone(f.Data), Raw: bytes.Clone(f.Raw)})
	}
}

// loose is a stream as its decoder tells it.
func loose(stream []byte) chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		r := wire.NewSSE(bytes.NewReader(stream), 1<<20)
		d := Codec{}.NewDecoder(false)
		for {
			frame, err := r.Next()
			if err != nil {
				if err.Error() != "EOF" {
					yield(chat.Chunk{}, err)
				}
				return
			}
			events, err := d.Decode(nil, frame)
			if err != nil {
				yield(chat.Chunk{}, err)
				return
			}
			// What events say must not change with the frame's bytes.
			clear(frame.Data)
			if !yield(chat.Chunk{Events: events}, nil) {
				return
			}
		}
	}
}

func collect(stream []byte) (*chat.WholeReply, error) { return chat.Collect(chat.Tidy(loose(stream))) }

func encode(tb testing.TB, req *chat.Request, stream chat.Stream) []byte {
	tb.Helper()
	x := Codec{}.NewEncoder(req)
	var out []byte
	for chunk, err := range stream {
		if err != nil {
			tb.Fatal(err)
		}
		for i := range chunk.Events {
			if out, err = x.Encode(out, &chunk.Events[i]); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return out
}
