package dialect_test

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tidwall/gjson"

	"stele/internal/access"
	"stele/internal/api"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/meter"
	"stele/internal/provider"
	"stele/internal/relay"
	"stele/internal/route"
)

// trip is one request of a client to an upstream that is not there.
type trip struct {
	from, to string // dialects
	model    string // the upstream's name of it; "": one that takes everything
	kind     string // of the upstream, where it is not the dialect's author
	own      bool   // the upstream has an address of its own
	version  string // the client's anthropic-version
	betas    string // the client's anthropic-beta
	stream   bool
	ask      string   // the client's body
	answers  []string // the upstream's bodies, one for each call; none: it says "hi"
	status   int      // of the answers; 0: 200
	statuses []int    // of each, where they differ
	header   http.Header
	fetch    map[string]string // what is found at addresses
	vault    *relay.Vault      // what earlier trips left; nil: nothing
	known    bool              // the price book knows the upstream's models
	lingers  bool              // the upstream hangs up only when its client does
	breaks   bool              // the connection breaks behind the answer
}

// landed is what came of a trip.
type landed struct {
	t       *testing.T
	trip    trip
	calls   []*http.Request // that the upstream got
	sent    []gjson.Result  // their bodies
	losses  []chat.Loss
	reply   *chat.Reply
	body    string // what the client gets
	status  int
	failure *fault.Error
	record  string // what its record says was lost
	booked  meter.Record
}

var hi = map[string]string{
	O: `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`,
	A: `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}`,
	G: `{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1,"totalTokenCount":4},"modelVersion":"m","responseId":"r"}`,
}

// upstream answers an account's calls from memory.
type upstream struct {
	trip  *trip
	mu    sync.Mutex // guards what follows
	calls []*http.Request
	sent  []gjson.Result
}

func (u *upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.calls, u.sent = append(u.calls, r), append(u.sent, gjson.ParseBytes(body))
	answer := hi[u.trip.to]
	if n := len(u.trip.answers); n > 0 {
		answer = u.trip.answers[min(len(u.calls), n)-1]
	}
	h := http.Header{"Content-Type": {"text/event-stream"}}
	if start := strings.TrimSpace(answer); strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[") {
		h.Set("Content-Type", "application/json")
	}
	maps.Copy(h, u.trip.header)
	status := max(u.trip.status, http.StatusOK)
	if n := len(u.trip.statuses); n > 0 {
		status = u.trip.statuses[min(len(u.calls), n)-1]
	}
	var all io.Reader = strings.NewReader(answer)
	if u.trip.lingers {
		all = io.MultiReader(all, silence{r.Context()})
	}
	if u.trip.breaks {
		all = io.MultiReader(all, iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(all), ContentLength: -1, Request: r}, nil
}

// silence is a body of which nothing comes until its request is given up.
type silence struct{ ctx context.Context }

func (s silence) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

// take makes a trip that must not fail.
func take(t *testing.T, way trip) *landed {
	t.Helper()
	l := try(t, way)
	if l.failure != nil {
		t.Fatalf("failed: %v", l.failure)
	}
	return l
}

// try makes a trip as the door and the wall do it.
func try(t *testing.T, way trip) *landed {
	t.Helper()
	l := &landed{t: t, trip: way, status: http.StatusOK}
	if way.model == "" {
		way.model = models[way.to]
	}
	header := http.Header{"Anthropic-Version": {"2023-06-01"}}
	switch way.version {
	case "":
	case "-":
		header.Del("Anthropic-Version")
	default:
		header.Set("Anthropic-Version", way.version)
	}
	if way.betas != "" {
		header.Set("Anthropic-Beta", way.betas)
	}
	client := codecOf(way.from)
	req, err := client.DecodeRequest(dialect.Incoming{Model: "m", Stream: way.stream, Framed: true, Header: header, Body: []byte(way.ask)})
	if err != nil {
		return l.fail(err)
	}
	if way.from != G {
		req.Stream = req.Stream || way.stream
	}
	far := &upstream{trip: &way}
	defer func() {
		l.calls, l.sent = far.calls, far.sent
		l.neverAgain()
	}()
	kept := new(shelf)
	defer func() { l.record, l.booked = kept.last.Dropped, kept.last }()
	l.reply, err = house(t, &way, far, kept).Do(context.Background(), access.Principal{Workspace: "w"}, req)
	if err != nil {
		return l.fail(err)
	}
	body, err := delivered(client, req, l.reply)
	l.body = string(body)
	l.losses = slices.Concat(l.reply.Dropped, l.reply.Late)
	if err != nil {
		return l.fail(err)
	}
	return l
}

// house is a relay with one model at one upstream, and nothing remembered.
func house(t *testing.T, way *trip, far http.RoundTripper, kept meter.Keeper) *relay.Relay {
	t.Helper()
	models := catalog.New()
	var prices catalog.Prices
	if way.known {
		prices.Accounts = map[string]catalog.Account{"far": {Part: way.to}}
	}
	if err := models.Replace(catalog.Contents{Prices: prices, Models: []catalog.Model{{ID: "m", Targets: []catalog.Target{{Provider: "far", Model: way.model, Weight: 1}}}}}); err != nil {
		t.Fatal(err)
	}
	here := account(way, far)
	return relay.New(relay.Options{
		Catalog: models, Upstreams: func(string) (relay.Upstream, bool) { return here, true }, Router: route.New(),
		Keeper: kept, Vault: cmp.Or(way.vault, relay.NewVault()), Fetch: inputs(way), Files: drawer{},
		Losses: api.Losses, Describe: api.FormatDropped, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
}

// inputs finds what a trip says is at addresses.
func inputs(way *trip) relay.Fetcher {
	client := &http.Client{Transport: addresses(way.fetch)}
	const most = 1 << 20
	return provider.NewInputs(client, provider.Allowance{On: way.fetch != nil, Image: most, Video: most, Audio: most, Document: most})
}

type addresses map[string]string

func (a addresses) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := a[r.URL.String()]
	status := http.StatusOK
	if !ok {
		status = http.StatusNotFound
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// shelf keeps the last record.
type shelf struct{ last meter.Record }

func (s *shelf) Keep(r *meter.Record) error {
	s.last = *r
	return nil
}

func account(way *trip, far http.RoundTripper) *provider.Chat {
	kinds := provider.Kinds()
	name := way.kind
	if name == "" {
		name = way.to
	}
	kind := kinds[slices.IndexFunc(kinds, func(k provider.Kind) bool { return k.Name == name })]
	at := kind.BaseURL
	if at == "" || way.own {
		at = "http://upstream"
	}
	return provider.NewChat(provider.Account{Name: "far", Kind: kind, BaseURL: at, Key: "k"}, codecOf(way.to), &http.Client{Transport: far})
}

// delivered is a reply as its client gets it.
func delivered(client dialect.Dialect, req *chat.Request, reply *chat.Reply) ([]byte, error) {
	if reply.Stream == nil && reply.Passed {
		return reply.Raw, nil
	}
	if reply.Stream == nil {
		return client.EncodeReply(req, reply.Whole)
	}
	encoder := client.NewEncoder(req)
	var out []byte
	for chunk, err := range reply.Stream {
		switch {
		case err != nil:
			return encoder.Fail(out, fault.From(err), "req_1"), err
		case reply.Passed && !chunk.Hidden:
			out = append(out, chunk.Raw...)
		case !reply.Passed:
			for i := range chunk.Events {
				if out, err = encoder.Encode(out, &chunk.Events[i]); err != nil {
					return out, err
				}
			}
		}
	}
	return out, nil
}

func (l *landed) fail(err error) *landed {
	client := codecOf(l.trip.from)
	l.failure = fault.From(dialect.InClientTerms(client, err))
	status, body := client.EncodeError(l.failure, "req_1")
	if l.body == "" {
		l.status, l.body = status, string(body)
	}
	return l
}
