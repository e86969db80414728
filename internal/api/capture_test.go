package api

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/meter"
	"stele/internal/provider/sandbox"
	"stele/internal/relay"
	router "stele/internal/route"
	"stele/internal/scope"
)

// notes keeps bodies in memory.
type notes chan meter.Bodies

func (n notes) Keep(b meter.Bodies) { n <- b }

// noted is a door that takes down what is said, over the sandbox's chat model.
func noted(t *testing.T) (*bench, notes, *books) {
	t.Helper()
	b := newBench(t, roomy)
	taken, kept := make(notes, 10), new(books)
	offered := catalog.New()
	if err := offered.Replace(catalog.Contents{Models: []catalog.Model{{ID: "m", Targets: []catalog.Target{{Provider: "p", Model: "m"}}}}}); err != nil {
		t.Fatal(err)
	}
	upstream := sandbox.New(sandbox.Options{Now: time.Now, Secret: []byte("secret")})
	b.door.Bodies, b.door.Catalog = taken, offered
	b.door.Relay = relay.New(relay.Options{
		Catalog: offered, Upstreams: func(string) (relay.Upstream, bool) { return upstream, true }, Router: router.New(), Keeper: kept,
		Vault: relay.NewVault(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	b.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.door.ServeHTTP(w, r.WithContext(scope.With(r.Context(), &scope.Request{ID: "req_1"})))
	})
	return b, taken, kept
}

// books keeps the last record.
type books struct{ last meter.Record }

func (b *books) Keep(r *meter.Record) error { b.last = *r; return nil }

func TestWhatIsSaidInChatIsTakenDownAsTheClientSawIt(t *testing.T) {
	t.Parallel()
	b, taken, kept := noted(t)
	for name, request := range map[string]struct{ path, body string }{
		"whole":    {"/api/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"grüße"}]}`},
		"streamed": {"/api/v1/messages", `{"model":"m","max_tokens":99,"stream":true,"messages":[{"role":"user","content":"hi"}]}`},
		"unknown":  {"/api/v1/chat/completions", `{"model":"none","messages":[{"role":"user","content":"hi"}]}`},
		"no JSON":  {"/api/v1/messages", `what?`},
	} {
		_, answer, _ := b.do(t, "POST", request.path, strings.NewReader(request.body))
		got := <-taken
		if got.Request.Text != request.body || got.Reply.Text != answer || answer == "" || got.Reply.Size != int64(len(answer)) {
			t.Errorf("%s: taken %+v, answered %q", name, got, answer)
		}
		if got.Record == "" || got.Record != kept.last.ID || got.Workspace != "default" {
			t.Errorf("%s: taken for %s of %s, the record is %s", name, got.Record, got.Workspace, kept.last.ID)
		}
		if strings.Contains(got.Request.Text+got.Reply.Text, b.key) {
			t.Errorf("%s: the key is taken down", name)
		}
	}
}

func TestOnlyTheBeginningOfALongBodyIsTakenDown(t *testing.T) {
	t.Parallel()
	b, taken, _ := noted(t)
	body := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("ä", meter.MostBody) + `"}]}`
	if status, text, _ := b.do(t, "POST", "/api/v1/chat/completions", strings.NewReader(body)); status != 200 {
		t.Fatal(status, text)
	}
	got := <-taken
	if n := len(got.Request.Text); n > meter.MostBody || n < meter.MostBody-4 || got.Request.Size != int64(len(body)) || !strings.HasPrefix(body, got.Request.Text) {
		t.Errorf("%d of %d bytes taken", n, got.Request.Size)
	}
}

func TestOtherRoutesAreNotTakenDown(t *testing.T) {
	t.Parallel()
	b, taken, _ := noted(t)
	b.do(t, "GET", "/api/v1/models", nil)
	b.do(t, "POST", "/api/v1/generations", strings.NewReader(`{}`))
	select {
	case got := <-taken:
		t.Errorf("taken %+v", got)
	default:
	}
}
