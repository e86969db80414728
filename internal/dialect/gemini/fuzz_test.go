package gemini

import (
	"encoding/json"
	"testing"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/wire"
)

func FuzzRequest(f *testing.F) {
	for _, fix := range fixtures(f) {
		if fix.request != nil {
			f.Add([]byte(compactText(fix.request)))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := Codec{}.DecodeRequest(dialect.Incoming{Model: "m", Body: body})
		if err != nil {
			return
		}
		for _, model := range []string{newest, "gemini-2.5-flash"} {
			target := dialect.Upstream{Model: model, Proof: trusting}
			if call, err := (Codec{}).PassRequest(req, target); err == nil && !json.Valid(call.Body) {
				t.Fatalf("passed on as\n%s", call.Body)
			}
			talk, err := req.Conversation()
			if err != nil {
				return
			}
			call, err := Codec{}.EncodeRequest(talk, target)
			if err != nil {
				continue
			}
			if err := dialect.CheckBody(call.Body); err != nil {
				t.Fatalf("%v\n%s", err, call.Body)
			}
			if _, err := decode(call.Body); err != nil {
				t.Fatalf("%v\n%s", err, call.Body)
			}
		}
	})
}

func FuzzResponse(f *testing.F) {
	for _, fix := range fixtures(f) {
		if fix.response != nil {
			f.Add([]byte(compactText(fix.response)))
		}
	}
	req := request(f, `{"contents":[{"parts":[{"text":"hi"}]}]}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		Codec{}.Rename(body, "m")
		Codec{}.DecodeError(400, nil, body)
		r, err := Codec{}.DecodeReply(body)
		if err != nil {
			return
		}
		out, err := Codec{}.EncodeReply(req, r)
		if err != nil || !json.Valid(out) {
			t.Fatalf("%v\n%s", err, out)
		}
	})
}

func FuzzStream(f *testing.F) {
	for _, fix := range fixtures(f) {
		if fix.stream != nil {
			f.Add(fix.stream)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, light := range []bool{true, false} {
			x := Codec{}.NewEncoder(request(t, plainly))
			var out []byte
			for chunk, err := range chat.Tidy(frames(raw, light)) {
				if err != nil {
					break
				}
				for i := range chunk.Events {
					if out, err = x.Encode(out[:0], &chunk.Events[i]); err != nil {
						t.Fatal(err)
					}
					if len(out) == 0 {
						continue
					}
					for again := frame(out); len(again.Data) > 0; again = frame(again.Raw) {
						if !json.Valid(again.Data) {
							t.Fatalf("%q", out)
						}
					}
				}
			}
		}
	})
}

// frame cuts the first event off; Raw is what is left.
func frame(out []byte) wire.Frame {
	const head, tail = "data: ", "\n\n"
	for i := range out {
		if len(out) >= i+len(tail) && string(out[i:i+len(tail)]) == tail {
			return wire.Frame{Data: out[len(head):i], Raw: out[i+len(tail):]}
		}
	}
	return wire.Frame{}
}
