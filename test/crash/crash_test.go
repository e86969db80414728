// Package crash kills the program while it makes media, at random and at every
// point where it matters, and looks afterwards whether anything was lost, paid
// twice or kept wrong. The sandbox's own journal is the judge. It runs a binary
// that is built with the points to die at.
package crash

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.MainRigged(m)) }

// points are where the program can be told to die.
var points = []string{"created", "submitting", "submitted", "ticketed", "made", "kept", "ended"}

const config = "limits: {unfinished_generations: 100000}\n"

// orders are what is asked for in turn. Each says how it must end.
var orders = []struct{ model, prompt, state string }{
	{"stele/sandbox-image", "plain", "success"},
	{"stele/sandbox-image", "[[sandbox: work=300ms]]", "success"},
	{"stele/sandbox-image", "[[sandbox: queue=200ms work=800ms outputs=3]]", "success"},
	{"stele/sandbox-image", "[[sandbox: lose_answer work=200ms]]", "success"},
	{"stele/sandbox-video", "a clip [[sandbox: work=500ms]]", "success"},
	{"stele/sandbox-image", "[[sandbox: bytes=300000 work=100ms]]", "success"},
	{"stele/sandbox-image", "[[sandbox: work=100ms error=generation_failed]]", "failed"},
	{"stele/sandbox-image", "[[sandbox: refuse=rate work=100ms]]", "success"},
}

func TestNothingIsLostAndNothingIsPaidTwice(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		h := rig.New(t, rig.Options{Config: config})
		torment(t, []*rig.House{h}, points, func() journal { return openJournal(t, h, "") })
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		database := rig.NewDatabase(t)
		h := rig.New(t, rig.Options{Config: config, Flags: []string{"--database-url", database}})
		torment(t, []*rig.House{h}, points, func() journal { return openJournal(t, h, database) })
	})
	t.Run("two processes on one postgresql", func(t *testing.T) {
		t.Parallel()
		database := rig.NewDatabase(t)
		flags := []string{"--database-url", database, "--master-key-file", rig.NewMasterKey(t), "--blob-url", "file://" + t.TempDir()}
		one := rig.New(t, rig.Options{Config: config, Flags: flags})
		two := rig.New(t, rig.Options{Config: config, Flags: flags})
		shared := points
		if !full {
			shared = []string{"submitted", "kept"} // the other goes on with what is left of these
		}
		torment(t, []*rig.House{one, two}, shared, func() journal { return openJournal(t, one, database) })
	})
}

// run is one torment: clients that order and do not give up, and a server that
// dies under them.
type run struct {
	t      *testing.T
	houses []*rig.House
	key    string

	mu    sync.RWMutex // held while the first house is being started
	next  int
	ids   map[int]string // of the orders, by their number
	idsMu sync.Mutex
}

func torment(t *testing.T, houses []*rig.House, points []string, open func() journal) {
	r := &run{t: t, houses: houses, ids: make(map[int]string)}
	for _, h := range houses {
		h.Start(t)
	}
	key := houses[0].CreateKey(t)
	r.key = key.Key
	for _, h := range houses[1:] {
		h.Keep(r.key)
	}
	for _, h := range houses {
		h.Await(t, r.key, http.StatusOK)
	}
	deaths := make([]string, randomKills, randomKills+pointKills*len(points))
	for range pointKills {
		deaths = append(deaths, points...)
	}
	rand.Shuffle(len(deaths), func(i, j int) { deaths[i], deaths[j] = deaths[j], deaths[i] })
	for i, point := range deaths {
		r.round(point, generations*(i+1)/len(deaths))
	}
	r.judge(open())
}

// round lets orders come up to a count and has the first house die meanwhile.
func (r *run) round(point string, upTo int) {
	r.t.Helper()
	h := r.houses[0]
	if point != "" {
		h.Kill(r.t)
		h.Setenv("STELE_CRASH_POINT=" + point + ":" + fmt.Sprint(1+rand.N(3)))
		if r.attempt(h); !h.Serving() { // what was left over made it die at once
			point = died
		}
	}
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for {
				r.idsMu.Lock()
				n := r.next
				if n < upTo {
					r.next++
				}
				r.idsMu.Unlock()
				if n >= upTo {
					return
				}
				r.order(n)
			}
		})
	}
	if point != died && (point == "" || !h.Died(3*time.Second)) {
		if point == "" {
			time.Sleep(rand.N(400 * time.Millisecond)) // the moment is what is tested
		}
		h.Kill(r.t)
	}
	h.Setenv()
	r.mu.Lock()
	h.Start(r.t)
	r.mu.Unlock()
	clients.Wait()
}

// died stands for a point that was reached before the server was ready.
const died = "died"

func (r *run) attempt(h *rig.House) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.Attempt(r.t)
}

// order asks until it is answered, always under the same Idempotency-Key.
func (r *run) order(n int) {
	want := orders[n%len(orders)]
	body := fmt.Sprintf(`{"model":%q,"mode":%q,"prompt":%q}`, want.model, mode(want.model), want.prompt)
	for range 600 {
		id, err := r.post(n, body)
		if err == nil {
			r.idsMu.Lock()
			r.ids[n] = id
			r.idsMu.Unlock()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	r.t.Errorf("order %d was never answered", n)
}

func mode(model string) string {
	if strings.HasSuffix(model, "video") {
		return "text_to_video"
	}
	return "text_to_image"
}

func (r *run) post(n int, body string) (string, error) {
	r.mu.RLock()
	h := r.houses[n%len(r.houses)]
	url := h.URL
	r.mu.RUnlock()
	req, err := http.NewRequest(http.MethodPost, url+"/api/v1/generations", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+r.key)
	req.Header.Set("Idempotency-Key", fmt.Sprintf("order-%d", n))
	answer, err := h.Client.Do(req)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", err
	}
	if answer.StatusCode != http.StatusCreated {
		if answer.StatusCode != http.StatusConflict && answer.StatusCode < 500 {
			r.t.Errorf("order %d: %d %s", n, answer.StatusCode, raw)
		}
		return "", fmt.Errorf("%d %s", answer.StatusCode, raw)
	}
	var created struct{ Data struct{ ID string } }
	err = json.Unmarshal(raw, &created)
	return created.Data.ID, err
}

// judge looks at everything that was ordered.
func (r *run) judge(books journal) {
	r.t.Helper()
	seen := make(map[string]int)
	for n := range generations {
		id := r.ids[n]
		if other, twice := seen[id]; twice || id == "" {
			r.t.Fatalf("order %d has the id %q of order %d", n, id, other)
		}
		seen[id] = n
	}
	var all sync.WaitGroup
	free := make(chan struct{}, 16)
	for n := range generations {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			r.ended(n, r.ids[n])
		})
	}
	all.Wait()
	accepted := books(r.t)
	for n := range generations {
		if times := accepted[r.ids[n]]; times != 1 {
			r.t.Errorf("order %d (%s) was accepted %d times: %s", n, r.ids[n], times, orders[n%len(orders)].prompt)
		}
		delete(accepted, r.ids[n])
	}
	for id := range accepted {
		r.t.Errorf("%s was accepted and nobody ordered it", id)
	}
}

// ended waits for the end of a generation and looks at its outputs.
func (r *run) ended(n int, id string) {
	r.t.Helper()
	want := orders[n%len(orders)].state
	var got struct {
		Data struct {
			Status string
			Error  struct{ Code, Message string }
			Result struct {
				Images []struct{ URL string }
				Videos []struct{ URL string }
			}
		}
	}
	h := r.houses[len(r.houses)-1]
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); {
		a := h.Get(r.t, "/api/v1/generations/"+id+"?wait=30", r.key)
		if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.Status != http.StatusOK {
			r.t.Errorf("%s: %d %s", id, a.Status, a.Body)
			return
		}
		if got.Data.Status != "pending" && got.Data.Status != "processing" {
			break
		}
	}
	if got.Data.Status != want {
		r.t.Errorf("order %d (%s) ended as %s, not %s: %s", n, id, got.Data.Status, want, got.Data.Error.Message)
	}
	outputs := append(got.Data.Result.Images, got.Data.Result.Videos...)
	if (len(outputs) > 0) != (want == "success") {
		r.t.Errorf("order %d (%s) has %d outputs", n, id, len(outputs))
	}
	for _, o := range outputs {
		r.download(h, o.URL)
	}
}

// download checks an output against the hash that was taken when it was copied.
func (r *run) download(h *rig.House, url string) {
	r.t.Helper()
	answer, err := h.Client.Get(url)
	if err != nil {
		r.t.Error(err)
		return
	}
	defer answer.Body.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, answer.Body)
	tag := strings.Trim(answer.Header.Get("ETag"), `"`)
	if sum := hex.EncodeToString(hash.Sum(nil)); err != nil || answer.StatusCode != http.StatusOK || size == 0 || sum != tag {
		r.t.Errorf("%s: %d, %d bytes with hash %s, promised %s, %v", url, answer.StatusCode, size, sum, tag, err)
	}
}
