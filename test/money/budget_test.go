// Package money spends from outside what limits allow, with many clients on several
// servers that are killed meanwhile, and looks afterwards whether the sums agree.
package money

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// budget is what each round may spend, in billionths of a USD.
const budget = 1_000_000_000

const picture = `model: shop/picture
name: Picture
media_type: image
description: A test card that costs something.
kind: sandbox
operations:
  - mode: text_to_image
    description: A test card.
    price: {usd: 0.01, per: image}
    input:
      required: [prompt]
`

// TestABudgetIsNeverOverrun has many clients spend one dollar at once, with chats,
// streams and pictures. A third of them hangs up, and servers are killed.
// STELE_TEST_ROUNDS is another number of rounds.
func TestABudgetIsNeverOverrun(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		newShop(t, 1, "").spend(t)
	})
	t.Run("three servers on postgresql", func(t *testing.T) {
		t.Parallel()
		newShop(t, 3, rig.NewDatabase(t)).spend(t)
	})
}

// shop is some servers before upstreams that cost money.
type shop struct {
	*rig.Front
	servers  []*rig.House
	database string
	doors    []atomic.Pointer[string] // where each server is reached; nil while it is down
}

func newShop(t *testing.T, servers int, database string) *shop {
	t.Helper()
	prices := fmt.Sprintf("prices:\n  openai/%s: {input: %d, output: %d}\n  anthropic/%s: {input: %d, output: %d}\n",
		rig.UsualModel["openai"], 2*dear, 8*dear, rig.UsualModel["anthropic"], 3*dear, 15*dear)
	return openShop(t, servers, database, prices, picture)
}

// openShop is newShop with more of the configuration, which ends in its providers, and media models.
func openShop(t *testing.T, servers int, database, providers string, models ...string) *shop {
	t.Helper()
	folder := t.TempDir()
	for i, model := range models {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i, ".yaml")), []byte(model), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	front, config := rig.PrepareFront(t, fmt.Sprintf("media_models: [%q]\nlimits: {unfinished_generations: 100000, open_chats: 10000}\n",
		filepath.Join(folder, "*.yaml")), "")
	config += providers
	s := &shop{Front: front, database: database, doors: make([]atomic.Pointer[string], servers)}
	var flags []string
	if database != "" {
		flags = []string{"--database-url", database, "--master-key-file", rig.NewMasterKey(t), "--blob-url", "file://" + t.TempDir()}
	}
	front.Open(t, config, flags...)
	s.servers = []*rig.House{front.House}
	for range servers - 1 {
		h := rig.Start(t, rig.Options{Config: config, Flags: flags})
		h.Keep(upstream.Key)
		s.servers = append(s.servers, h)
	}
	for i := range s.servers {
		s.opened(i)
	}
	return s
}

func (s *shop) opened(i int) {
	url := s.servers[i].URL
	s.doors[i].Store(&url)
}

// spend spends a budget in each round, and then looks at all of them.
func (s *shop) spend(t *testing.T) {
	t.Helper()
	n := rounds
	if text := os.Getenv("STELE_TEST_ROUNDS"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	keys := make([]rig.Key, n)
	for n := range keys {
		keys[n] = s.customer(t, fmt.Sprintf("round-%d", n), "1")
	}
	for n, key := range keys {
		s.known(t, fmt.Sprintf("round-%d", n), key)
	}
	for some := range slices.Chunk(keys, abreast) {
		s.round(t, some)
	}
	for _, h := range s.servers { // who stops gives back what it had on lease
		h.Stop(t)
	}
	least, most := int64(budget), int64(0)
	for n := range keys {
		settled := s.judge(t, fmt.Sprintf("round-%d", n))
		least, most = min(least, settled), max(most, settled)
	}
	t.Logf("%d rounds have settled between %d and %d of %d", len(keys), least, most, int64(budget))
	if said := s.Run(t, "money", "verify"); !strings.Contains(said, "everything agrees") {
		t.Error(said)
	}
}

// customer makes a key with so many dollars to spend.
func (s *shop) customer(t *testing.T, name, dollars string) rig.Key {
	t.Helper()
	key := s.CreateKey(t, "--name", name)
	for _, h := range s.servers {
		h.Keep(key.Key)
	}
	s.Run(t, "limits", "create", "--name", name, "--workspace", "default",
		"--measure", "dollars", "--window", "total", "--amount", dollars, "--of", "key="+key.ID)
	return key
}

// known waits until every server holds calls of a key to its limit: a dry run tells.
func (s *shop) known(t *testing.T, limit string, key rig.Key) {
	t.Helper()
	for _, h := range s.servers {
		rig.Eventually(t, "the limit is known", func() bool {
			a := h.Post(t, "/api/v1/generations", key.Key, `{"model":"shop/picture","prompt":"x","dry_run":true}`)
			return strings.Contains(a.Body, `"`+limit+`"`)
		})
	}
}

// round has all clients of some keys spend until their budgets are used up.
func (s *shop) round(t *testing.T, keys []rig.Key) {
	t.Helper()
	var answered, left, refused atomic.Int64
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for c := range clients * len(keys) {
		all.Go(func() {
			key := keys[c%len(keys)]
			row := 0 // of refusals: what others hold may come back
			for n := c; ctx.Err() == nil && row < stubborn; n++ {
				switch s.buy(ctx, key.Key, n) {
				case bought:
					answered.Add(1)
					row = 0
				case gone:
					left.Add(1)
				case usedUp:
					refused.Add(1)
					row++
					pause(ctx)
				case closed:
					pause(ctx)
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { all.Wait(); close(over) }()
	s.kill(t, over)
	<-over
	if ctx.Err() != nil {
		t.Error("a budget was never used up")
	}
	t.Logf("%d answers, %d left, %d refusals", answered.Load(), left.Load(), refused.Load())
}

// stubborn is how many refusals in a row a client takes before it believes them.
const stubborn = 20

// pause is what a client waits before it tries again.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(25 * time.Millisecond):
	}
}

// kill kills servers in turn, as long as there is something to spend.
func (s *shop) kill(t *testing.T, over <-chan struct{}) {
	t.Helper()
	for range 2 {
		select {
		case <-over:
			return
		case <-time.After(time.Duration(100+rand.IntN(200)) * time.Millisecond):
		}
		s.killOne(t)
	}
}

// killOne kills any server and starts it again. It tells when it died.
func (s *shop) killOne(t *testing.T) (death time.Time) {
	t.Helper()
	i := rand.IntN(len(s.servers))
	s.doors[i].Store(nil)
	s.servers[i].Kill(t)
	death = time.Now()
	s.servers[i].Start(t)
	s.opened(i)
	return death
}

// outcome is what became of a purchase.
type outcome int

const (
	bought outcome = iota
	gone           // the client left, or the server died
	closed         // the server is down
	usedUp
)

// wish is repeated by the upstreams, as far as they are allowed to.
var wish = strings.Repeat("money talks ", 60)

// buy asks for something at any server: by turns an answer, a stream and a picture.
func (s *shop) buy(ctx context.Context, key string, n int) outcome {
	url := s.doors[n%len(s.doors)].Load()
	if url == nil {
		return closed
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dialect := rig.Dialects[n%3]
	w := rig.Ask(dialect, dialect+"/"+rig.UsualModel[dialect], wish, n%2 == 0)
	if n%10 == 9 {
		w.Path, w.Body = "/api/v1/generations", `{"model":"shop/picture","prompt":"x"}`
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, *url+w.Path, strings.NewReader(w.Body))
	if err != nil {
		return gone
	}
	r.Header = w.Header.Clone()
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	if n%7 < 2 { // leaves before the answer, or in its middle
		if n%2 == 1 {
			time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, cancel)
		}
	}
	h, err := s.Client.Do(r)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return closed
	}
	if err != nil {
		return gone
	}
	defer h.Body.Close()
	switch h.StatusCode {
	case http.StatusOK, http.StatusCreated:
	case http.StatusPaymentRequired, http.StatusTooManyRequests:
		_, _ = io.Copy(io.Discard, h.Body)
		return usedUp
	default:
		return gone
	}
	most := int64(1 << 20)
	if n%7 < 2 {
		most = 200
	}
	if _, err := io.CopyN(io.Discard, h.Body, most); err != nil && !errors.Is(err, io.EOF) || n%7 < 2 {
		return gone
	}
	return bought
}

// judge sees that a budget was neither passed nor left, and says how much is settled.
func (s *shop) judge(t *testing.T, name string) int64 {
	t.Helper()
	settled, leased, held, doubt := s.counter(t, name)
	if settled > budget || settled < budget*98/100 || leased != 0 || held != 0 || doubt != 0 {
		t.Errorf("%s: %d of %d are settled, %d leased, %d held, %d in doubt", name, settled, int64(budget), leased, held, doubt)
	}
	return settled
}

// counter reads how a limit stands.
func (s *shop) counter(t *testing.T, name string) (settled, leased, held, doubt int64) {
	t.Helper()
	err := s.Books(t, s.database).QueryRowContext(t.Context(), `SELECT c.settled, c.leased, c.held, c.doubt FROM limit_counters c JOIN limits l ON l.id = c.limit_id
		WHERE l.spec LIKE $1`, `%"`+name+`"%`).Scan(&settled, &leased, &held, &doubt)
	if err != nil {
		t.Fatal(err)
	}
	return settled, leased, held, doubt
}
