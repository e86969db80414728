package openai

import (
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// FuzzRequest: whatever a client sends is refused or understood, and what is
// understood can be sent on as the API takes it.
func FuzzRequest(f *testing.F) {
	for _, x := range fixtures(f) {
		if x.request != nil {
			f.Add(x.request)
		}
	}
	f.Add([]byte(`{"model":"m","messages":[{"role":"tool","content":null}],"extra_body":{"model":"x"},"reasoning":true}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := Codec{}.DecodeRequest(dialect.Incoming{Body: body})
		if err != nil {
			return
		}
		for _, target := range []dialect.Upstream{
			{Model: "gpt-5.6", Stream: true}, {Model: "x", Compatible: true, Proof: func(s string) (string, bool) { return s, true }},
		} {
			if call, err := (Codec{}).PassRequest(req, target); err == nil {
				if err := dialect.CheckBody(call.Body); err != nil {
					t.Fatalf("passed: %v\n%s", err, call.Body)
				}
			}
			c, err := req.Conversation()
			if err != nil {
				return
			}
			call, err := Codec{}.EncodeRequest(c, target)
			if err != nil {
				continue
			}
			again, err := Codec{}.DecodeRequest(dialect.Incoming{Body: call.Body})
			if err != nil {
				t.Fatalf("written: %v\n%s", err, call.Body)
			}
			if _, err := again.Conversation(); err != nil {
				t.Fatalf("written: %v\n%s", err, call.Body)
			}
			for _, l := range append(call.Losses, c.Notes...) {
				_ = Codec{}.Path(l)
			}
		}
	})
}

// FuzzResponse: whatever an upstream answers is an error or an answer that can
// be told.
func FuzzResponse(f *testing.F) {
	for _, x := range fixtures(f) {
		if x.response != nil {
			f.Add(x.response)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Codec{}.DecodeReply(body)
		_ = Codec{}.DecodeError(400, nil, body)
		if err != nil {
			return
		}
		out, err := Codec{}.EncodeReply(showing("m"), r)
		if err == nil && !gjson.ValidBytes(out) {
			t.Fatalf("%s", out)
		}
		_ = Codec{}.Rename(body, "m")
	})
}

// FuzzStream: whatever comes in frames ends in an error or in a strict stream
// that can be told, and what was told can be read again.
func FuzzStream(f *testing.F) {
	for _, x := range fixtures(f) {
		if x.stream != nil {
			f.Add(x.stream)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		light := Codec{}.NewDecoder(true)
		for _, frame := range frames(t, stream) {
			if _, err := light.Decode(nil, frame); err != nil {
				break
			}
		}
		x := Codec{}.NewEncoder(showing("m"))
		var out []byte
		for chunk, err := range chat.Tidy(loose(stream)) {
			if err != nil {
				return
			}
			for i := range chunk.Events {
				if out, err = x.Encode(out, &chunk.Events[i]); err != nil {
					return
				}
			}
		}
		for _, frame := range frames(t, out) {
			if string(frame.Data) != "[DONE]" && !gjson.ValidBytes(frame.Data) {
				t.Fatalf("%s", frame.Raw)
			}
		}
		if _, err := collect(out); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	})
}
