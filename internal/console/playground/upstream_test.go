package playground_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console"
	"stele/internal/console/consoletest"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/openai"
	"stele/internal/provider"
	"stele/internal/relay"
	"stele/internal/revision"
	"stele/internal/route"
)

// over opens the playground over an upstream that speaks a dialect.
func over(t *testing.T, spoken dialect.Dialect, serve http.HandlerFunc) (*consoletest.House, *consoletest.Shelf) {
	t.Helper()
	upstream := httptest.NewServer(serve)
	t.Cleanup(upstream.Close)
	kind := provider.Kind{Name: spoken.Name(), Dialect: spoken.Name()}
	account := provider.NewChat(provider.Account{Name: "p", Kind: kind, BaseURL: upstream.URL}, spoken, upstream.Client())
	kept := &consoletest.Shelf{Kept: make(chan struct{}, 100)}
	return consoletest.OpenSignedIn(t, func(_ *consoletest.House, o *console.Options) {
		offered := catalog.New()
		if err := offered.Replace(catalog.Contents{Models: []catalog.Model{{
			ID: "m", Targets: []catalog.Target{{Provider: "p", Model: "theirs", Weight: 1}},
		}}}); err != nil {
			t.Fatal(err)
		}
		talk := relay.New(relay.Options{
			Catalog: offered, Upstreams: func(string) (relay.Upstream, bool) { return account, true }, Router: route.New(), Keeper: kept,
			Vault: relay.NewVault(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		o.Playground = &console.Playground{Chat: talk, Models: offered}
	}), kept
}

func TestAStoppedAnswerHangsUpOnTheProvider(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	h, kept := over(t, openai.Codec{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"So"},"finish_reason":null}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	server := httptest.NewServer(h.Serve)
	t.Cleanup(server.Close)
	h.Public, _ = url.Parse(server.URL)
	ctx, stop := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+consoletest.PlaygroundRun, strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"Go on"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	consoletest.AddSession(r, h.Cookie)
	res, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), `"So"`) { //nolint:revive // reading is all
	}
	stop()
	select {
	case <-gone:
	case <-time.After(3 * time.Minute):
		t.Fatal("the provider is still asked")
	}
	if row := kept.Last(t); row.Status != 499 || row.Provider != "p" {
		t.Errorf("metered as %+v", row)
	}
}

// TestThePlaygroundEndsWithTheSession signs out, and takes the role away, while a
// model is silent.
func TestThePlaygroundEndsWithTheSession(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(h *consoletest.House, v access.Visitor) error
		told string
	}{
		"signed out": {func(h *consoletest.House, v access.Visitor) error { return h.Access.SignOut(t.Context(), v) }, "session has ended"},
		"demoted": {func(h *consoletest.House, v access.Visitor) error {
			_, err := h.Access.SetRole(t.Context(), access.CommandLine("default"), v.User.ID, access.Viewer)
			return err
		}, "role does not allow"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, kept := over(t, openai.Codec{}, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, `data: {"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"So"},"finish_reason":null}]}`+"\n\n")
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			})
			follower := revision.Follower{Read: h.Store.AllRevisions, Log: slog.New(slog.DiscardHandler), Subscribers: []revision.Subscriber{h.Access.Subscriber()}}
			var following sync.WaitGroup
			following.Go(func() { follower.Run(t.Context()) })
			t.Cleanup(following.Wait)
			_, _, err := h.Access.AddPerson(t.Context(), access.CommandLine("default"), access.NewPerson{Email: "m@example.com", Role: access.Member, Password: consoletest.Password})
			if err != nil {
				t.Fatal(err)
			}
			v, cookie, err := h.Access.SignIn(t.Context(), "m@example.com", consoletest.Password, access.Browser{})
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(h.Serve)
			defer server.Close()
			h.Public, _ = url.Parse(server.URL)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+consoletest.PlaygroundRun, strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"Go on"}]}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.AddCookie(&http.Cookie{Name: "stele_session", Value: cookie})
			res, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			read := bufio.NewReader(res.Body)
			for line := ""; !strings.Contains(line, `"So"`); {
				if line, err = read.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			}
			if err := test.end(h, v); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(read)
			if err != nil || !strings.Contains(string(rest), test.told) {
				t.Errorf("ended with %q, %v", rest, err)
			}
			if row := kept.Last(t); row.Status == 499 || row.Status == 200 {
				t.Errorf("metered as %+v", row)
			}
		})
	}
}

func TestWhatAProviderCannotCarryIsNamedBesideItsAnswer(t *testing.T) {
	t.Parallel()
	var asked struct {
		Model    string
		Messages []struct{ Role string }
		System   []struct{ Text string }
	}
	h, _ := over(t, anthropic.Codec{}, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range []string{
			`{"type":"message_start","message":{"id":"x","type":"message","role":"assistant","model":"theirs","content":[],"usage":{"input_tokens":7,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"The grass is green."}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"green grass","document_index":0,"document_title":"Lawns","start_char_index":0,"end_char_index":11}}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`,
			`{"type":"message_stop"}`,
		} {
			kind, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
			_, _ = io.WriteString(w, "event: "+kind+"\ndata: "+e+"\n\n")
		}
	})
	stream := consoletest.Body(t, h.PostJSON(consoletest.PlaygroundRun, `{"model":"m","seed":7,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hello"}]}`))
	consoletest.WantText(t, stream, `"citations":[{"title":"Lawns","quote":"green grass"}]`)
	list := consoletest.Events(t, stream)
	end := list[len(list)-1]
	if asked.Model != "theirs" || len(asked.Messages) != 1 || asked.System[0].Text != "Be brief." || end.Usage.Input != 7 || end.Usage.Output != 5 || end.Cost != "" {
		t.Errorf("asked for %+v, got %+v", asked, end)
	}
	if lost := list[0].Dropped; len(lost) == 0 || lost[0].What != "seed" || lost[0].Verb != "dropped" {
		t.Errorf("lost %+v", lost)
	}
}
