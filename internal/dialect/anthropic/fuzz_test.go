package anthropic

import (
	"errors"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/fault"
)

func FuzzRequest(f *testing.F) {
	for _, x := range fixtures(f) {
		if x.request != nil {
			f.Add(x.request)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := Codec{}.DecodeRequest(incoming(string(body)))
		if err != nil {
			expected(t, err)
			return
		}
		if call, err := (Codec{}).PassRequest(req, signer("claude-opus-4-8")); err != nil || !gjson.ValidBytes(call.Body) {
			t.Fatalf("passed on it is %q, %v", call.Body, err)
		}
		c, err := req.Conversation()
		if err != nil {
			expected(t, err)
			return
		}
		for _, model := range []string{plainModel, "claude-opus-4-8", "claude-opus-5-5"} {
			call, err := Codec{}.EncodeRequest(c, signer(model))
			if err != nil {
				expected(t, err)
				continue
			}
			if len(c.Extra) > 0 || len(c.Tools) > 0 && c.Tools[0].Kind == chat.Server || opaque(c) {
				if !gjson.ValidBytes(call.Body) {
					t.Fatalf("not JSON: %s", call.Body)
				}
				continue // what only the client knows is passed on unchecked
			}
			if list := complaints(call.Body, model); len(list) > 0 {
				t.Fatalf("%v\n%s\n%s", list, body, call.Body)
			}
		}
	})
}

func opaque(c *chat.Conversation) bool {
	for _, m := range c.Messages {
		for _, p := range m.Parts {
			for _, q := range append([]chat.Part{p}, p.Content...) {
				if q.Raw != nil {
					return true
				}
			}
		}
	}
	return false
}

// expected checks that an error is one for clients.
func expected(tb testing.TB, err error) {
	tb.Helper()
	if _, ok := errors.AsType[*fault.Error](err); !ok {
		tb.Fatal(err)
	}
}

func FuzzResponse(f *testing.F) {
	for _, x := range fixtures(f) {
		if x.response != nil {
			f.Add(x.response)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Codec{}.DecodeReply(body)
		if err != nil {
			expected(t, err)
			return
		}
		req := asker(t, "m")
		again, err := Codec{}.EncodeReply(req, r)
		if err != nil || !gjson.ValidBytes(again) {
			t.Fatalf("%v %s", err, again)
		}
		grammar(t, inner(frames(t, encode(t, req, chat.Replay(r)))))
		_ = Codec{}.Rename(body, "m")
		_ = Codec{}.DecodeError(400, nil, body)
	})
}

// inner leaves out what is around the blocks.
func inner(list []gjson.Result) []gjson.Result { return list[1 : len(list)-2] }

func FuzzStream(f *testing.F) {
	for _, x := range fixtures(f) {
		if x.stream != nil {
			f.Add(x.stream)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		for _, light := range []bool{true, false} {
			encoder := Codec{}.NewEncoder(asker(t, "m"))
			var out []byte
			for chunk, err := range chat.Tidy(events(stream, light)) {
				if err != nil {
					return
				}
				for i := range chunk.Events {
					if out, err = encoder.Encode(out, &chunk.Events[i]); err != nil {
						t.Fatal(err)
					}
				}
			}
			grammar(t, inner(frames(t, out)))
		}
	})
}
