package dialect_test

import (
	"testing"

	"stele/internal/chat"
	"stele/internal/race"
)

// TestEveryCutOfWhatWeSayIsAnError takes every answer of every upstream to every
// client as a stream, and cuts that before its end, a byte further each time in make
// torture and cutStep bytes otherwise: whoever reads it as the client does never
// takes a part of it for an answer.
func TestEveryCutOfWhatWeSayIsAnError(t *testing.T) {
	t.Parallel()
	race.Skip(t, "nothing in it runs at the same time")
	streams, cuts := 0, 0
	for _, f := range fixtures(t) {
		for _, answer := range answers(f) {
			for _, client := range codecs {
				stream := encode(t, client, plainRequest(t, client, true), answer)
				streams++
				end := completeAt(client, stream)
				if end <= 0 {
					t.Errorf("%s is never complete for %s", f.name, client.Name())
				}
				for at := streams % cutStep; at < end; at += cutStep {
					if drained(chat.Tidy(decode(client, stream[:at], false))) == nil {
						t.Fatalf("%s for %s cut at %d ends in peace:\n%q", f.name, client.Name(), at, stream[max(0, at-200):at])
					}
					cuts++
				}
			}
		}
	}
	if t.Logf("%d streams, %d cuts", streams, cuts); streams < 300 {
		t.Errorf("only %d streams", streams)
	}
}

// answers are those of a fixture that is no failure, as streams that can be read once more.
func answers(f fixture) []chat.Stream {
	var list []chat.Stream
	if stream := f.files["stream"]; stream != nil && drained(chat.Tidy(decode(f.codec, stream, false))) == nil {
		list = append(list, chat.Tidy(decode(f.codec, stream, false)))
	}
	if body := f.files["response.json"]; body != nil {
		if whole, err := f.codec.DecodeReply(body); err == nil && len(whole.Answers) == 1 {
			list = append(list, chat.Replay(settled(whole)))
		}
	}
	return list
}
