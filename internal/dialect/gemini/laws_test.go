package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/wire"
)

// fixture is one file of testdata.
type fixture struct {
	name                      string
	request, response, stream []byte
}

func fixtures(t testing.TB) []fixture {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no fixtures", err)
	}
	var list []fixture
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
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
			}
		}
		list = append(list, f)
	}
	return list
}

// newest is a model that takes everything the API offers.
const newest = "gemini-3-pro"

func request(t testing.TB, body string) *chat.Request {
	t.Helper()
	req, err := Codec{}.DecodeRequest(dialect.Incoming{Model: "my-model", Stream: true, Framed: true, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func talk(t testing.TB, body string) *chat.Conversation {
	t.Helper()
	c, err := request(t, body).Conversation()
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return c
}

// trusting takes every signature for this upstream's.
func trusting(text string) (string, bool) { return text, true }

func compose(t testing.TB, c *chat.Conversation, model string) (dialect.Outgoing, string) {
	t.Helper()
	call, err := Codec{}.EncodeRequest(c, dialect.Upstream{Model: model, Proof: trusting})
	if err != nil {
		t.Fatal(err)
	}
	if err := dialect.CheckBody(call.Body); err != nil {
		t.Fatalf("%v\n%s", err, call.Body)
	}
	return call, string(call.Body)
}

// frames reads SSE as an upstream's stream.
func frames(raw []byte, light bool) chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		reader, decoder := wire.NewSSE(bytes.NewReader(raw), 64<<20), Codec{}.NewDecoder(light)
		for {
			frame, err := reader.Next()
			if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return
			}
			var events []chat.Event
			if err == nil {
				events, err = decoder.Decode(nil, frame)
			}
			if !yield(chat.Chunk{Events: events}, err) || err != nil {
				return
			}
		}
	}
}

// tell writes an answer to a client as a stream.
func tell(t testing.TB, req *chat.Request, r *chat.WholeReply) []byte {
	t.Helper()
	encoder := Codec{}.NewEncoder(req)
	var out []byte
	for chunk, err := range chat.Replay(r) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range chunk.Events {
			if out, err = encoder.Encode(out, &chunk.Events[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// same leaves out what only says where something came from.
var same = []cmp.Option{
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(chat.Conversation{}, "Notes", "Spelled"),
	cmpopts.IgnoreFields(chat.WholeReply{}, "Notes"),
	cmpopts.IgnoreFields(chat.Message{}, "At"),
	cmpopts.IgnoreFields(chat.Part{}, "At", "Raw"),
	cmpopts.IgnoreFields(chat.Tool{}, "At", "Raw"),
	cmpopts.IgnoreFields(chat.Citation{}, "Raw"),
	cmpopts.IgnoreFields(chat.Stop{}, "Raw"),
	cmp.FilterValues(func(a, b json.RawMessage) bool { return len(a) > 0 && len(b) > 0 },
		cmp.Comparer(func(a, b json.RawMessage) bool { return compactText(a) == compactText(b) })),
}

func TestRequestsKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.request == nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			want := talk(t, string(f.request))
			_, body := compose(t, want, newest)
			_, again := compose(t, talk(t, string(f.request)), newest)
			if body != again {
				t.Errorf("two encodings differ:\n%s\n%s", body, again)
			}
			got := talk(t, body)
			if f.name == "snake" || f.name == "signed_text" { // asked in tokens, which this model takes as levels
				want.Thinking, got.Thinking = nil, nil
			}
			if want.N == 1 {
				want.N = 0 // one answer is what everybody gets
			}
			if diff := cmp.Diff(want, got, same...); diff != "" {
				t.Errorf("(-sent +arrived)\n%s\n%s", diff, body)
			}
		})
	}
}

func TestWholeIsStreamed(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.response == nil || f.stream == nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			whole, err := Codec{}.DecodeReply(f.response)
			streamed, err2 := chat.Collect(chat.Tidy(frames(f.stream, false)))
			if f.name == "malformed" {
				if err == nil || err2 == nil {
					t.Fatalf("no error: %v, %v", err, err2)
				}
				return
			}
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if diff := cmp.Diff(whole, streamed, same...); diff != "" {
				t.Errorf("(-whole +streamed)\n%s", diff)
			}
			var last chat.Event
			for chunk, err := range chat.Tidy(frames(f.stream, true)) {
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range chunk.Events {
					last = e
				}
			}
			if last.Usage != whole.Usage || last.Stop.Raw != whole.Answers[0].Stop.Raw {
				t.Errorf("read lightly: %+v", last)
			}
		})
	}
}

func TestAnswersKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.response == nil || f.name == "malformed" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			want, err := Codec{}.DecodeReply(f.response)
			if err != nil {
				t.Fatal(err)
			}
			want.Model = "my-model"
			for i := range want.Answers { // what is only there to be told of
				want.Answers[i].Parts = slices.DeleteFunc(want.Answers[i].Parts, func(p chat.Part) bool { return p.Kind == chat.Opaque && p.Raw == nil })
			}
			want.Usage.Searches = 0 // how many there were has no place, only what was searched for
			req := request(t, `{"contents":[{"parts":[{"text":"hi"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`)
			body, err := Codec{}.EncodeReply(req, want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Codec{}.DecodeReply(body)
			if err != nil {
				t.Fatalf("%v\n%s", err, body)
			}
			if diff := cmp.Diff(want, got, same...); diff != "" {
				t.Errorf("whole (-said +heard)\n%s\n%s", diff, body)
			}
			if f.name == "logprobs" {
				return // streams do not carry them
			}
			raw := tell(t, req, want)
			for event := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n\n") {
				for _, name := range []string{"candidates", "usageMetadata.promptTokenCount", "usageMetadata.totalTokenCount", "modelVersion", "responseId"} { // BAML and Rig skip a frame without counts
					if !gjson.Get(strings.TrimPrefix(event, "data: "), name).Exists() {
						t.Errorf("no %s in %s", name, event)
					}
				}
			}
			got, err = chat.Collect(chat.Tidy(frames(raw, false)))
			if err != nil {
				t.Fatalf("%v\n%s", err, raw)
			}
			if diff := cmp.Diff(want, got, same...); diff != "" {
				t.Errorf("streamed (-said +heard)\n%s\n%s", diff, raw)
			}
			req.Origin.Unframed = true
			raw = tell(t, req, want)
			if got, err = (Codec{}).DecodeReply(raw); err != nil {
				t.Fatalf("%v\n%s", err, raw)
			}
			if diff := cmp.Diff(want, got, same...); diff != "" {
				t.Errorf("as an array (-said +heard)\n%s\n%s", diff, raw)
			}
		})
	}
}
