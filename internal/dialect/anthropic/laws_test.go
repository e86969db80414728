package anthropic

import (
	"bytes"
	"errors"
	"io"
	"net/http"
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

// fixture is one exchange, as the API's documents and its clients' types describe it.
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
		if !bytes.HasPrefix(archive.Comment, []byte("documented 20")) {
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

// meaning is what conversations and answers are compared by.
var meaning = cmp.Options{
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(chat.Part{}, "At", "Raw"),
	cmpopts.IgnoreFields(chat.Message{}, "At"),
	cmpopts.IgnoreFields(chat.Tool{}, "At", "Raw"),
	cmpopts.IgnoreFields(chat.Citation{}, "Raw"),
	cmpopts.IgnoreFields(chat.Stop{}, "Raw"), // an upstream may have called it otherwise
	cmpopts.IgnoreFields(chat.Conversation{}, "Notes", "Spelled"),
	cmpopts.IgnoreFields(chat.WholeReply{}, "Tier"), // compatible servers do not tell it in streams
	cmpopts.IgnoreFields(chat.Usage{}, "Tier"),      // nor this
	cmpopts.SortSlices(func(a, b chat.Extra) bool { return a.Name < b.Name }),
}

// trusting is a target that made every signature itself.
func trusting(model string) dialect.Upstream {
	return dialect.Upstream{Model: model, Proof: func(text string) (string, bool) { return text, true }}
}

func incoming(body string) dialect.Incoming {
	return dialect.Incoming{Body: []byte(body), Header: http.Header{versionHeader: {version2023}}}
}

// talk reads a client's request all the way.
func talk(tb testing.TB, body string) (*chat.Request, *chat.Conversation) {
	tb.Helper()
	req, err := Codec{}.DecodeRequest(incoming(body))
	if err != nil {
		tb.Fatalf("%v\n%s", err, body)
	}
	c, err := req.Conversation()
	if err != nil {
		tb.Fatalf("%v\n%s", err, body)
	}
	return req, c
}

// events decodes a stream frame by frame.
func events(stream []byte, light bool) chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		reader, decoder := wire.NewSSE(bytes.NewReader(stream), 64<<20), Codec{}.NewDecoder(light)
		for {
			frame, err := reader.Next()
			if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return
			}
			var list []chat.Event
			if err == nil {
				list, err = decoder.Decode(nil, frame)
			}
			if !yield(chat.Chunk{Events: list, Raw: frame.Raw}, err) || err != nil {
				return
			}
		}
	}
}

func collect(stream []byte) (*chat.WholeReply, error) {
	return chat.Collect(chat.Tidy(events(stream, false)))
}

// encode writes a strict stream for a client.
func encode(tb testing.TB, req *chat.Request, stream chat.Stream) []byte {
	tb.Helper()
	encoder := Codec{}.NewEncoder(req)
	var out []byte
	for chunk, err := range stream {
		if err != nil {
			tb.Fatal(err)
		}
		for i := range chunk.Events {
			if out, err = encoder.Encode(out, &chunk.Events[i]); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return out
}

// asker is a client that wants to see everything.
func asker(tb testing.TB, model string) *chat.Request {
	tb.Helper()
	req, _ := talk(tb, `{"model":"`+model+`","max_tokens":5000,"thinking":{"type":"enabled","budget_tokens":2000},"messages":[{"role":"user","content":"Hi"}]}`)
	return req
}

func TestLawDecodeAfterEncodeKeepsTheMeaning(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.request == nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			req, want := talk(t, string(f.request))
			call, err := Codec{}.EncodeRequest(want, trusting(req.Model))
			if err != nil {
				t.Fatal(err)
			}
			_, got := talk(t, string(call.Body))
			if diff := cmp.Diff(want, got, meaning); diff != "" {
				t.Errorf("the conversation changed:\n%s\n%s", diff, call.Body)
			}
			again, err := Codec{}.EncodeRequest(got, trusting(req.Model))
			if err != nil || !bytes.Equal(call.Body, again.Body) {
				t.Errorf("not the same bytes the second time: %v\n%s\n%s", err, call.Body, again.Body)
			}
			if len(call.Losses) > 0 {
				t.Errorf("lost within one dialect: %+v", call.Losses)
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

func TestLawAnswersSurviveTheClientsSide(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.stream == nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			want, err := collect(f.stream)
			if err != nil {
				t.Fatal(err)
			}
			req := asker(t, want.Model)
			got, err := collect(encode(t, req, chat.Replay(want)))
			whole, err2 := Codec{}.EncodeReply(req, want)
			for i := range want.Answers[0].Parts { // what is no object becomes one
				if p := &want.Answers[0].Parts[i]; p.Kind == chat.ToolCall {
					object, _ := replyArguments(p)
					p.Text = string(object)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, meaning); diff != "" {
				t.Errorf("streamed to a client it differs:\n%s", diff)
			}
			live, err := collect(encode(t, req, chat.Tidy(events(f.stream, false))))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, live, meaning); diff != "" {
				t.Errorf("piece by piece it differs:\n%s", diff)
			}
			if err2 != nil {
				t.Fatal(err2)
			}
			if got, err = (Codec{}).DecodeReply(whole); err != nil {
				t.Fatalf("%v\n%s", err, whole)
			}
			if diff := cmp.Diff(want, got, meaning); diff != "" {
				t.Errorf("whole to a client it differs:\n%s", diff)
			}
		})
	}
}

func TestLawLightSeesWhatFullSees(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.stream == nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			full, err := collect(f.stream)
			if err != nil {
				t.Fatal(err)
			}
			light, err := chat.Collect(chat.Tidy(events(f.stream, true)))
			if err != nil {
				t.Fatal(err)
			}
			if light.Usage != full.Usage || light.ID != full.ID || len(light.Answers[0].Parts) != 0 {
				t.Errorf("got %+v, want %+v", light, full)
			}
		})
	}
}

func TestLawACutStreamIsAnError(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.stream == nil || strings.HasPrefix(f.name, "compat_no_events") {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			end := bytes.Index(f.stream, []byte("event: message_stop"))
			for at := 0; at <= end+len("event: message_stop\n"); at++ {
				if at%17 > 0 && f.stream[at] != '\n' && at < end {
					continue // every line's edge and some of what is between
				}
				if _, err := collect(f.stream[:at]); err == nil {
					t.Fatalf("cut at %d of %d it seems whole", at, len(f.stream))
				}
			}
		})
	}
}
