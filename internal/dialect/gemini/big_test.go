package gemini

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stele/internal/dialect"
	"stele/internal/wire"
)

func asFrame(data string) wire.Frame { return wire.Frame{Data: []byte(data)} }

// TestHardCase268NothingIsQuadratic reads bodies that are large in every way
// there is. Each takes a small part of a second on an idle machine.
func TestHardCase268NothingIsQuadratic(t *testing.T) {
	t.Parallel()
	many := func(n int, one func(i int) string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = one(i)
		}
		return strings.Join(list, ",")
	}
	hi := `"contents":[{"parts":[{"text":"hi"}]}]`
	for name, body := range map[string]string{
		"turns":    `{"contents":[` + many(60_000, func(int) string { return `{"parts":[{"text":"a"}]}` }) + `]}`,
		"chunks":   `{"contents":[` + many(60_000, func(int) string { return `{"role":"model","parts":[{"text":"a"}]}` }) + `]}`,
		"fields":   `{` + hi + `,` + many(60_000, func(i int) string { return fmt.Sprintf(`"f%d":1`, i) }) + `}`,
		"settings": `{` + hi + `,"options":{"generationConfig":{` + many(30_000, func(i int) string { return fmt.Sprintf(`"f%d":1`, i) }) + `}},"generationConfig":{` + many(30_000, func(i int) string { return fmt.Sprintf(`"g%d":1`, i) }) + `}}`,
		"keywords": `{` + hi + `,"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"allOf":[{"a":1}],` + many(20_000, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }) + `}}]}]}`,
		"results": `{"contents":[{"parts":[{"text":"hi"}]},{"role":"model","parts":[` + many(20_000, func(i int) string { return fmt.Sprintf(`{"functionCall":{"id":"c%d","name":"f"}}`, i) }) + `]},{"parts":[` +
			many(20_000, func(i int) string { return fmt.Sprintf(`{"functionResponse":{"id":"c%d","name":"f"}}`, 20_000-i) }) + `]}]}`,
	} {
		begun := time.Now()
		req := request(t, body)
		c, err := req.Conversation()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := (Codec{}).EncodeRequest(c, dialect.Upstream{Model: newest}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := (Codec{}).PassRequest(req, dialect.Upstream{Model: newest}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(begun); took > 2*time.Minute {
			t.Errorf("%s took %s", name, took)
		}
		t.Logf("%s: %s", name, time.Since(begun))
	}
	answer := said(many(30_000, func(int) string { return `{"functionCall":{"id":"c","name":"f"}},{"text":"a"}` }), stopped)
	r, err := Codec{}.DecodeReply([]byte(answer))
	if err != nil || len(r.Answers[0].Parts) != 60_000 {
		t.Error(err)
	}
	deep := strings.Repeat(`{"functionResponse":{"parts":[`, 300_000)
	if _, err := (Codec{}).NewDecoder(false).Decode(nil, asFrame(said(deep, ""))); err == nil {
		t.Error("half an answer is none")
	}
	if _, err := (Codec{}).NewDecoder(false).Decode(nil, asFrame(strings.Repeat(`{"error":`, 300_000))); err == nil {
		t.Error("an error is none")
	}
}
