package dialect_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/race"
	"stele/internal/wire"
)

var codecs = []dialect.Dialect{openai.Codec{}, anthropic.Codec{}, gemini.Codec{}}

// models are upstream models that take everything their API offers.
var models = map[string]string{"openai": "gpt-4.1", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-3-pro"}

// fixture is one file of a codec's testdata.
type fixture struct {
	name  string
	codec dialect.Dialect
	files map[string][]byte
}

func fixtures(t testing.TB) []fixture {
	t.Helper()
	var list []fixture
	for _, codec := range codecs {
		names, err := filepath.Glob(filepath.Join(codec.Name(), "testdata", "*.txtar"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has no fixtures: %v", codec.Name(), err)
		}
		for _, name := range names {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f := fixture{name: codec.Name() + "/" + strings.TrimSuffix(filepath.Base(name), ".txtar"), codec: codec, files: make(map[string][]byte)}
			for _, file := range archive.Files {
				f.files[file.Name] = file.Data
			}
			list = append(list, f)
		}
	}
	return list
}

func (f fixture) request(t testing.TB, stream bool) *chat.Request {
	t.Helper()
	body := f.files["request.json"]
	if body == nil {
		return plainRequest(t, f.codec, stream)
	}
	return incoming(t, f.codec, body, stream)
}

func incoming(t testing.TB, codec dialect.Dialect, body []byte, stream bool) *chat.Request {
	t.Helper()
	req, err := codec.DecodeRequest(dialect.Incoming{
		Model: models[codec.Name()], Stream: stream, Framed: true, Header: http.Header{"Anthropic-Version": {"2023-06-01"}}, Body: body,
	})
	if err != nil {
		t.Fatal(err)
	}
	req.Stream = stream
	return req
}

// plainRequest asks for thoughts, so that they are shown in every dialect.
func plainRequest(t testing.TB, codec dialect.Dialect, stream bool) *chat.Request {
	t.Helper()
	bodies := map[string]string{
		"openai":    `{"model":"m","stream":true,"stream_options":{"include_usage":true},"reasoning_effort":"high","messages":[{"role":"user","content":"hi"}]}`,
		"anthropic": `{"model":"m","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":2000},"messages":[{"role":"user","content":"hi"}]}`,
		"gemini":    `{"contents":[{"parts":[{"text":"hi"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`,
	}
	return incoming(t, codec, []byte(bodies[codec.Name()]), stream)
}

// decode reads a stream's bytes as an upstream's.
func decode(codec dialect.Dialect, raw []byte, light bool) chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		frames, decoder := wire.NewSSE(bytes.NewReader(raw), 64<<20), codec.NewDecoder(light)
		for {
			frame, err := frames.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			var events []chat.Event
			if err == nil {
				events, err = decoder.Decode(nil, frame)
			}
			if !yield(chat.Chunk{Events: events, Raw: frame.Raw}, err) || err != nil {
				return
			}
		}
	}
}

// encode writes strict events as a client gets them.
func encode(t testing.TB, codec dialect.Dialect, req *chat.Request, stream chat.Stream) []byte {
	t.Helper()
	encoder := codec.NewEncoder(req)
	var out []byte
	for chunk, err := range stream {
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

// essence is what every dialect can say of an answer.
type essence struct {
	Text, Thought string
	Calls         []string
	Stop          chat.Reason
	Usage         chat.Usage
}

func essenceOf(r *chat.WholeReply) essence {
	var e essence
	for _, a := range r.Answers {
		for _, p := range a.Parts {
			switch p.Kind {
			case chat.Text, chat.Refusal, chat.Audio: // a sound's words are its transcript
				e.Text += p.Text
			case chat.Thought:
				e.Thought += p.Text
			case chat.ToolCall:
				arguments, _ := dialect.Arguments(p.Text)
				if raw := gjson.GetBytes(arguments, "_raw"); raw.Exists() { // some dialects have told a part of it by then
					arguments = []byte(`{"_raw":` + raw.Raw + `}`)
				}
				e.Calls = append(e.Calls, p.Name+compact(arguments))
			}
		}
		e.Stop = a.Stop.Reason
		if e.Stop == chat.StopSequence || e.Stop == chat.Other || e.Stop == chat.Paused {
			e.Stop = chat.EndTurn
		}
	}
	e.Usage = r.Usage
	e.Usage.Known, e.Usage.CacheWrite1h, e.Usage.Searches, e.Usage.Tier = false, 0, 0, "" // not every dialect tells them
	return e
}

func compact(raw []byte) string {
	return strings.NewReplacer(" ", "", "\n", "").Replace(string(raw))
}

// TestWholeEqualsStreamedInEveryPair takes every answer of every upstream to
// every client, whole and streamed, and reads it as that client would.
func TestWholeEqualsStreamedInEveryPair(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.files["response.json"] == nil || f.files["stream"] == nil {
			continue
		}
		for _, client := range codecs {
			t.Run(f.name+"→"+client.Name(), func(t *testing.T) {
				t.Parallel()
				whole, err := f.codec.DecodeReply(f.files["response.json"])
				if err != nil {
					t.Skipf("the fixture is a failure: %v", err)
				}
				settled(whole)
				if len(whole.Answers) != 1 {
					return // several answers pass through or are several calls
				}
				want := essenceOf(whole)
				req := plainRequest(t, client, false)
				body, err := client.EncodeReply(req, whole)
				if err != nil {
					t.Fatal(err)
				}
				again, err := client.DecodeReply(body)
				if err != nil {
					t.Fatalf("%v\n%s", err, body)
				}
				if !everySays(whole) {
					want = essenceOf(settled(again)) // then only whole and streamed must agree
				}
				compare(t, "whole", f, client, want, again)
				streamed := encode(t, client, plainRequest(t, client, true), chat.Tidy(decode(f.codec, f.files["stream"], false)))
				collected, err := chat.Collect(chat.Tidy(decode(client, streamed, false)))
				if err != nil {
					t.Fatalf("%v\n%s", err, streamed)
				}
				compare(t, "streamed", f, client, want, collected)
			})
		}
	}
}

// everySays reports whether an answer is made only of what all three can say.
func everySays(r *chat.WholeReply) bool {
	for _, p := range r.Answers[0].Parts {
		switch {
		case p.Kind == chat.Text, p.Kind == chat.Thought, p.Kind == chat.Redacted, p.Kind == chat.ToolCall && !p.Custom:
		default:
			return false
		}
	}
	return len(r.Answers[0].Parts) > 0
}

// settled is an answer whose reason agrees with what was said.
func settled(r *chat.WholeReply) *chat.WholeReply {
	for i := range r.Answers {
		called := false
		for _, p := range r.Answers[i].Parts {
			called = called || p.Kind == chat.ToolCall
		}
		r.Answers[i].Stop = chat.Settle(r.Answers[i].Stop, called)
	}
	return r
}

func compare(t *testing.T, how string, f fixture, client dialect.Dialect, want essence, r *chat.WholeReply) {
	t.Helper()
	got := essenceOf(settled(r))
	options := []cmp.Option{cmpopts.EquateEmpty()}
	if client.Name() == "gemini" && want.Stop == chat.MaxTokens {
		// A call cut by the limit has no whole arguments, and this dialect has no others.
		options = append(options, cmpopts.IgnoreFields(essence{}, "Calls"))
	}
	if client.Name() == "gemini" { // it has no count of cache writes
		want.Usage.Input, want.Usage.CacheWrite = want.Usage.Input+want.Usage.CacheWrite, 0
	}
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("%s to %s, %s (-upstream +client):\n%s", f.name, client.Name(), how, diff)
	}
}

// TestEveryCutIsAnError cuts every stream before its upstream said why it stopped, a byte further each time in make
// torture and near its end, and cutStep bytes otherwise, and reads it fully and lightly.
func TestEveryCutIsAnError(t *testing.T) {
	t.Parallel()
	race.Skip(t, "nothing in it runs at the same time")
	cuts := 0
	for n, f := range fixtures(t) {
		stream := f.files["stream"]
		if stream == nil || drained(chat.Tidy(decode(f.codec, stream, false))) != nil {
			continue
		}
		end := completeAt(f.codec, stream)
		if end <= 0 {
			t.Errorf("%s is never complete", f.name)
		}
		for at := range end {
			if at%cutStep != n%cutStep && at < end-100 {
				continue
			}
			for _, light := range []bool{false, true} {
				if drained(chat.Tidy(decode(f.codec, stream[:at], light))) == nil {
					t.Fatalf("%s cut at %d of %d (light %v) ends in peace:\n%q", f.name, at, end, light, stream[max(0, at-200):at])
				}
			}
			cuts++
		}
	}
	t.Logf("%d cuts", cuts)
}

func drained(s chat.Stream) error {
	for _, err := range s {
		if err != nil {
			return err
		}
	}
	return nil
}

// completeAt is the length at which the frame that ends the answer is whole.
func completeAt(codec dialect.Dialect, stream []byte) int {
	frames, decoder, n := wire.NewSSE(bytes.NewReader(stream), 64<<20), codec.NewDecoder(false), 0
	for {
		frame, err := frames.Next()
		if err != nil {
			return -1
		}
		events, err := decoder.Decode(nil, frame)
		if err != nil {
			return -1
		}
		for _, e := range events {
			if e.Kind == chat.Finish {
				return n + len(bytes.TrimRight(frame.Raw, "\r\n"))
			}
		}
		n += len(frame.Raw)
	}
}

// TestRequestsReachEveryUpstream takes every request of every client to every
// upstream twice: the bytes are the same, what is refused names a field, and what
// arrives reads as the same conversation unless a loss says otherwise.
func TestRequestsReachEveryUpstream(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.files["request.json"] == nil {
			continue
		}
		for _, upstream := range codecs {
			t.Run(f.name+"→"+upstream.Name(), func(t *testing.T) {
				t.Parallel()
				talk, err := f.request(t, false).Conversation()
				if err != nil {
					if fault.From(err).Code == fault.Internal {
						t.Fatalf("an internal error: %v", err)
					}
					return
				}
				target := dialect.Upstream{Model: models[upstream.Name()], Proof: func(text string) (string, bool) {
					return text, f.codec.Name() == upstream.Name()
				}}
				call, err := upstream.EncodeRequest(talk, target)
				if err != nil {
					e, ok := errors.AsType[*fault.Error](err)
					if !ok || e.Code == fault.Internal || e.Details["field"] == nil {
						t.Fatalf("refused without naming a field: %v", err)
					}
					return
				}
				again, err := upstream.EncodeRequest(talk, target)
				if err != nil || !bytes.Equal(call.Body, again.Body) {
					t.Errorf("encoded twice, differently: %v", err)
				}
				if err := dialect.CheckBody(call.Body); err != nil {
					t.Fatalf("%v\n%s", err, call.Body)
				}
				arrived, err := incoming(t, upstream, call.Body, false).Conversation()
				if err != nil {
					t.Fatalf("%v\n%s", err, call.Body)
				}
				if len(call.Losses)+len(talk.Notes) > 0 || len(call.Names) > 0 {
					return // said to be different
				}
				if diff := cmp.Diff(words(talk), words(arrived)); diff != "" {
					t.Errorf("arrived as another conversation, without a loss (-sent +arrived):\n%s\n%s", diff, call.Body)
				}
			})
		}
	}
}

// words tells a conversation as one line a part.
func words(talk *chat.Conversation) []string {
	var list []string
	for _, p := range talk.System {
		list = append(list, "system "+p.Text)
	}
	for _, m := range talk.Messages {
		for _, p := range m.Parts {
			line := fmt.Sprintf("%d %d ", m.Role, p.Kind)
			switch p.Kind {
			case chat.ToolCall:
				arguments, _ := dialect.Arguments(p.Text)
				line += p.Name + compact(arguments)
			case chat.ToolResult:
				for _, c := range p.Content {
					line += fmt.Sprint(c.Kind) + c.Text
				}
				if p.Failed {
					line += "!"
				}
			case chat.Image, chat.Document, chat.Audio, chat.Video:
				if p.Media != nil {
					line += p.Media.Base64 + p.Media.URL + p.Media.Plain
				}
			case chat.Text:
				line += p.Text
			}
			list = append(list, line)
		}
	}
	return list
}
