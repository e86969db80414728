package provider_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/catalog"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/provider"
	"stele/internal/relay"
)

// slow answers after a time, as long as its caller waits.
type slow struct {
	after  time.Duration
	answer string
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(s.after):
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(s.answer)), ContentLength: -1, Request: r,
	}, nil
}

// TestAWholeAnswerHasAllOfItsTime asks models that think for minutes, each in every dialect: nothing
// of a whole answer comes before all of it, and the first byte of a stream is expected sooner.
func TestAWholeAnswerHasAllOfItsTime(t *testing.T) {
	t.Parallel()
	limits := catalog.Timeouts{FirstByte: 2 * time.Minute, Gap: 2 * time.Minute, Total: 30 * time.Minute}
	asks := map[string]string{
		"openai": `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"go"}]}`, "anthropic": `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"go"}]}`,
		"gemini": `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"maxOutputTokens":99}}`,
	}
	answers := map[string]string{
		"openai":    `{"id":"x","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"so"},"finish_reason":"stop"}]}`,
		"anthropic": message("end_turn", words("so")), "gemini": `{"candidates":[{"content":{"role":"model","parts":[{"text":"so"}]},"finishReason":"STOP"}]}`,
	}
	codecs := []dialect.Dialect{openai.Codec{}, anthropic.Codec{}, gemini.Codec{}}
	for _, from := range codecs {
		for _, to := range codecs {
			for _, row := range []struct {
				after, took time.Duration
				stream      bool
				late        bool
			}{
				{29 * time.Minute, 29 * time.Minute, false, false}, {time.Hour, 30 * time.Minute, false, true},
				{time.Minute, time.Minute, true, false}, {time.Hour, 2 * time.Minute, true, true},
			} {
				synctest.Test(t, func(t *testing.T) {
					req, err := from.DecodeRequest(dialect.Incoming{Model: "m", Stream: row.stream, Header: http.Header{"Anthropic-Version": {"2023-06-01"}}, Body: []byte(asks[from.Name()])})
					if err != nil {
						t.Fatal(err)
					}
					req.Stream = row.stream
					a := provider.Account{Name: "far", Kind: provider.Kind{Name: to.Name(), Dialect: to.Name()}, BaseURL: "http://far"}
					begun := time.Now()
					reply, err := provider.NewChat(a, to, &http.Client{Transport: slow{row.after, answers[to.Name()]}}).Do(t.Context(), req, relay.Target{Model: "m", Timeouts: limits})
					if took := time.Since(begun); took != row.took || row.late != (err != nil) || row.late && fault.From(err).Code != fault.UpstreamTimeout {
						t.Errorf("%s over %s, after %v, stream %t: %v after %v", from.Name(), to.Name(), row.after, row.stream, err, took)
					}
					if reply != nil && reply.Close != nil {
						reply.Close()
					}
				})
			}
		}
	}
}
