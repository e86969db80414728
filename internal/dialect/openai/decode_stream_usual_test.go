package openai

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/chat"
	"stele/internal/wire"
)

// A reader that knows how frames usually look reads any sequence of them as one does that
// finds each of them unusual.
func TestWhatIsUsualIsReadAsWhatIsNot(t *testing.T) {
	t.Parallel()
	deltas := []string{
		`{"content":"a word"}`, `{"content":"more words, and \"quotes\""}`, `{"content":"é 😀"}`, `{"content":"\ud83d"}`, `{"content":""}`, `{"content":null}`,
		`{"content":[{"type":"text","text":"b"}]}`, `{"role":"assistant","content":"c"}`, `{"content":"d","refusal":"no"}`, `{"content":"d","refusal":null}`,
		`{"content":"e","content":""}`, `{"content":"","content":"f"}`, `{"content":"g","reasoning_content":"thought"}`, `{"reasoning_content":"thought"}`,
		`{"content":"h","audio":{"id":"1","data":"AAAA"}}`, `{"audio":{"id":"1","data":"AAAA"}}`, `{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]}`,
		`{"content":"i","tool_calls":[{"index":0,"function":{"arguments":"}"}}]}`, `{}`, "{\"content\":\"\xff\"}",
	}
	ends := []string{
		`,"logprobs":null,"finish_reason":null}],"usage":null}`, `,"finish_reason":null}]}`, `,"finish_reason":null}],"obfuscation":"%d"}`, `,"finish_reason":"stop"}]}`,
		`,"logprobs":{"content":[{"token":"x","logprob":-1}]},"finish_reason":null}]}`, `}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`,
		`},{"index":1,"delta":{"content":"other"}}]}`, `}],"error":{"message":"no"}}`, `}],"error":null}`, `}`,
	}
	random := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // the same in every run
	pick := func(list []string) string { return list[min(random.IntN(len(list)), random.IntN(len(list)))] }
	for range 300 {
		knowing, fresh := Codec{}.NewDecoder(false), Codec{}.NewDecoder(false)
		for n := range 40 {
			end := pick(ends)
			if end == ends[2] {
				end = fmt.Sprintf(end, n*n)
			}
			data := fmt.Sprintf(`"id":"x","choices":[{"index":%d,"delta":%s%s`, random.IntN(5)/4, pick(deltas), end)
			name := []byte(nil)
			if random.IntN(20) == 0 {
				name = []byte("error")
			}
			got, gotErr := knowing.Decode(nil, wire.Frame{Event: name, Data: []byte("{" + data)})
			want, wantErr := fresh.Decode(nil, wire.Frame{Event: name, Data: fmt.Appendf(nil, `{"created":%d,%s`, n, data)})
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) })); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", data, diff)
			}
			if (gotErr == nil) != (wantErr == nil) || knowing.Hidden() != fresh.Hidden() {
				t.Fatalf("%s: %v, want %v", data, gotErr, wantErr)
			}
		}
	}
}

// From the second frame of words on all that look like it are known.
func TestFramesOfWordsAreUsual(t *testing.T) {
	t.Parallel()
	d := Codec{}.NewDecoder(false).(*streamReader)
	for n, usual := range []bool{false, false, true, true} {
		data := fmt.Appendf(nil, `{"id":"x","choices":[{"index":0,"delta":{"content":"word %d"},"finish_reason":null}],"usage":null,"obfuscation":"%d"}`, n, n*n*n)
		if _, ok := d.usual.First(data); ok != usual {
			t.Errorf("frame %d fits: %v", n, ok)
		}
		events, err := d.Decode(nil, wire.Frame{Data: data})
		if err != nil || events[len(events)-1].Part.Text != fmt.Sprintf("word %d", n) || events[len(events)-1].Kind != chat.Delta {
			t.Errorf("%v, %v", events, err)
		}
	}
}
