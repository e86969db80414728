package money

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
)

// kinds are the sorts of providers that a press speaks as.
var kinds = []string{"bfl", "fal", "comfyui", "openai"}

// troubles are what becomes of three of ten pieces.
var troubles = []string{
	"late",      // is done after its deadline, and goes on
	"unsure",    // was taken, and the answer is lost
	"broken",    // was not taken, and the answer does not say so
	"busy",      // is refused once
	"canceled",  // by its client
	"deaf",      // the same, and goes on
	"after",     // canceled by its Cancel-After
	"failed",    // by the provider's word
	"blind",     // cannot be looked at for a while
	"gone",      // is forgotten by the provider
	"unfetched", // its picture cannot be copied
	"empty",     // is done, with nothing to show
}

// piece is a generation with a number.
type piece struct {
	n          int
	kind, fate string
}

// pieceOf has every trouble come to every kind.
func pieceOf(n int) piece {
	if n%10 < 7 {
		return piece{n, kinds[n/10%len(kinds)], "good"}
	}
	place := n/10*3 + n%10 - 7
	return piece{n, kinds[place/len(troubles)%len(kinds)], troubles[place%len(troubles)]}
}

func (p piece) name() string { return fmt.Sprintf("piece-%d", p.n) }

// declared is the price in the model's file, in billionths of a USD.
const declared = 45_000_000

// price is what the provider charges: where it can say so, by its own book.
func (p piece) price() int64 {
	if p.kind == "bfl" {
		return declared - 5_000_000 + int64(p.n%9)*1_000_000
	}
	return declared
}

// takes is how long its provider works on it.
func (p piece) takes() time.Duration {
	switch p.fate {
	case "late":
		return 4 * time.Second
	case "canceled", "deaf", "after":
		return 2 * time.Second
	}
	return 300 * time.Millisecond
}

func (p piece) model() string {
	if p.fate == "late" {
		return "press/" + p.kind + "-late"
	}
	return "press/" + p.kind
}

// words are how each kind is asked for a picture.
var words = map[string]string{
	"bfl":    `{operation: bfl/task, body: [{copy: {prompt: prompt}}]}`,
	"fal":    `{operation: fal/queue, body: [{copy: {prompt: prompt}}]}`,
	"openai": `{operation: openai/images, path_by_mode: {text_to_image: generations}, body: [{to: model, value: $upstream}, {copy: {prompt: prompt}}]}`,
	"comfyui": `{operation: comfyui/prompt, body: [{to: prompt, value: {"6": {class_type: CLIPTextEncode, inputs: {text: ""}}}}, ` +
		`{copy: {prompt.6.inputs.text: prompt}}]}`,
}

// catalog are the accounts at a press, and the files of its models.
func (p *press) catalog() (providers string, models []string) {
	for _, kind := range kinds {
		providers += fmt.Sprintf("  press-%s: {kind: %[1]s, base_url: %q, api_key: key-of-the-press}\n", kind, p.URL+"/"+kind)
		for name, deadline := range map[string]string{kind: "30m", kind + "-late": "2s"} {
			models = append(models, fmt.Sprintf("model: press/%s\nmedia_type: image\ndescription: A picture.\nkind: %s\nprovider: press-%[2]s\nupstream: acme/picture\n"+
				"deadline: %s\ncall: %s\noperations:\n  - mode: text_to_image\n    description: A picture.\n    input: {required: [prompt]}\n"+
				"    price: {usd: 0.045, per: image}\n", name, kind, deadline, words[kind]))
		}
	}
	return providers, models
}

// TestTheProvidersBillOfGenerationsIsBooked orders pictures of providers of all kinds, of
// which a third goes wrong, while servers are killed. What a provider charges is booked to
// the nano-dollar; what it cannot be asked for stands in the list of the unsettled, and
// nothing else does.
func TestTheProvidersBillOfGenerationsIsBooked(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		newAccountant(t, 1, "").run(t)
	})
	t.Run("two servers on postgresql", func(t *testing.T) {
		t.Parallel()
		newAccountant(t, 2, rig.NewDatabase(t)).run(t)
	})
}

// accountant orders from a press, and holds rows against its bill.
type accountant struct {
	*shop
	press  *press
	key    rig.Key
	books  rig.Books   // opened once: they are looked at until all is settled
	ids    []string    // of the generations, by their numbers
	deaths []time.Time // of servers
}

func newAccountant(t *testing.T, servers int, database string) *accountant {
	t.Helper()
	p := newPress(t)
	providers, models := p.catalog()
	a := &accountant{shop: openShop(t, servers, database, providers, append(models, picture)...), press: p, ids: make([]string, pieces)}
	a.books = a.Read(t, a.database)
	a.key = a.customer(t, "pieces", "1000000")
	a.known(t, "pieces", a.key)
	return a
}

func (a *accountant) run(t *testing.T) {
	t.Helper()
	var next atomic.Int64
	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() {
			for n := next.Add(1) - 1; n < pieces; n = next.Add(1) - 1 {
				a.order(t, pieceOf(int(n)))
			}
		})
	}
	for i := range int64(deaths) {
		await(t, "orders are sent", func() bool { return next.Load() > pieces*(i+1)/(deaths+1) })
		a.deaths = append(a.deaths, a.killOne(t))
	}
	clients.Wait()
	a.settled(t)
	listed := a.judge(t)
	a.settleByHand(t, listed)
	for _, h := range a.servers {
		h.Stop(t)
	}
	a.agrees(t)
}

// order orders until it is taken, and stops it where that is its fate.
func (a *accountant) order(t *testing.T, p piece) {
	header := map[string]string{"Idempotency-Key": p.name()}
	if p.fate == "after" {
		header["Cancel-After"] = "1s"
	}
	a.ids[p.n] = a.post(t, p, fmt.Sprintf(`{"model":%q,"prompt":"%s. %s"}`, p.model(), p.name(), p.fate), header)
	if p.fate == "canceled" || p.fate == "deaf" {
		time.Sleep(500 * time.Millisecond) // so that its provider has it by then
		a.post(t, p, fmt.Sprintf(`{"cancel":%q}`, a.ids[p.n]), nil)
	}
}

// post sends a body to any server until it is answered.
func (a *accountant) post(t *testing.T, p piece, body string, header map[string]string) (id string) {
	for n := p.n; t.Context().Err() == nil; n++ {
		if url := a.doors[n%len(a.doors)].Load(); url != nil {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, *url+"/api/v1/generations", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return ""
			}
			r.Header.Set("Authorization", "Bearer "+a.key.Key)
			for name, value := range header {
				r.Header.Set(name, value)
			}
			answer, err := a.Send(r)
			if err == nil && answer.Status < 300 {
				var made struct{ Data struct{ ID string } }
				if err := json.Unmarshal([]byte(answer.Body), &made); err != nil {
					t.Errorf("%s: %v", answer.Body, err)
				}
				return made.Data.ID
			}
			if err == nil && answer.Status != http.StatusConflict && answer.Status < 500 {
				t.Errorf("%+v: %d %s", p, answer.Status, answer.Body)
				return ""
			}
		}
		pause(t.Context())
	}
	return ""
}

// await waits for as long as ten thousand pieces may take.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Minute); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("did not happen: %s", what)
		}
	}
}
