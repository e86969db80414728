package loops

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// fleet is three servers on one PostgreSQL.
type fleet struct {
	*rig.Front
	servers []*rig.House
	doors   [3]atomic.Pointer[string] // where each server is reached; nil while it is down
}

func newFleet(t *testing.T, front *rig.Front, config string) *fleet {
	t.Helper()
	flags := []string{"--database-url", rig.NewDatabase(t), "--master-key-file", rig.NewMasterKey(t), "--blob-url", "file://" + t.TempDir()}
	front.Open(t, config, flags...)
	f := &fleet{Front: front, servers: []*rig.House{front.House}}
	for range len(f.doors) - 1 {
		h := rig.Start(t, rig.Options{Config: config, Flags: flags})
		h.Keep(upstream.Key)
		h.Keep(front.Key)
		h.Await(t, front.Key, http.StatusOK)
		f.servers = append(f.servers, h)
	}
	for i := range f.doors {
		f.open(i)
	}
	return f
}

func (f *fleet) open(i int) {
	url := f.servers[i].URL
	f.doors[i].Store(&url)
}

func (f *fleet) kill(t *testing.T, i int) {
	t.Helper()
	f.doors[i].Store(nil)
	f.tell(t, i)
	f.servers[i].Kill(t)
}

// tell passes on what a server says of thoughts that it lost.
func (f *fleet) tell(t *testing.T, i int) {
	t.Helper()
	for _, l := range f.servers[i].Log(t) {
		if strings.Contains(l.Text("msg"), "thoughts") {
			t.Logf("server %d: %v", i, l)
		}
	}
}

func (f *fleet) restart(t *testing.T, i int) {
	t.Helper()
	f.servers[i].Start(t)
	f.open(i)
}

// traveller is an agent that takes each turn to the next server.
type traveller struct {
	*rig.Agent
	fleet *fleet
	next  int
	name  string

	forgets bool
	loops   int // that are over
}

// travellers are one agent for each pair, model, and way to replay.
func (f *fleet) travellers() (all []*traveller) {
	for _, client := range rig.Dialects {
		for _, away := range rig.Dialects {
			for _, thinker := range rig.Thinkers[away] {
				for n := range 4 {
					stream, forgets := n%2 == 0, n > 1
					if forgets && client != "openai" {
						continue
					}
					w := &traveller{fleet: f, next: len(all), forgets: forgets, name: fmt.Sprintf("%s over %s stream %t forgets %t", client, thinker, stream, forgets)}
					w.Agent = rig.NewAgent(f.Front, client, fmt.Sprintf("%s/%s-%s-%t-%t", away, thinker, client, stream, forgets), stream, forgets)
					if client == away {
						w.ThinkAs(thinker)
					}
					all = append(all, w)
				}
			}
		}
	}
	return all
}

// turn takes a turn at the next server that is up. As SDKs do, it tries again when that dies meanwhile.
func (w *traveller) turn(t *testing.T) {
	t.Helper()
	wish := w.Wish(t)
	for range 1000 {
		door := w.fleet.doors[w.next%len(w.fleet.doors)].Load()
		if w.next++; door == nil {
			continue
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, *door+wish.Path, strings.NewReader(wish.Body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = wish.Header.Clone()
		r.Header.Set("Authorization", "Bearer "+w.fleet.Key)
		r.Header.Set("Content-Type", "application/json")
		a, err := w.fleet.Send(r)
		if err != nil {
			continue
		}
		if a.Status != http.StatusOK {
			t.Fatalf("%s: %d %s", w.name, a.Status, a.Body)
		}
		w.Take(t, rig.Heard{Status: a.Status, Header: a.Header, Body: a.Body})
		return
	}
	t.Fatalf("%s: no server answers", w.name)
}

// run goes on until the model calls no more tools, which it must after so many calls.
func (w *traveller) run(t *testing.T, calls int) {
	t.Helper()
	for before := -1; before < w.Calls; {
		before = w.Calls
		w.turn(t)
	}
	if w.Calls != calls || !strings.HasSuffix(w.Said, fmt.Sprintf("sun %d", calls)) {
		t.Errorf("%s: %d calls and %q, want %d", w.name, w.Calls, w.Said, calls)
	}
}

// placeholder is what Google's models take where a signature was lost, raw and as bytes.
var placeholder = []string{"skip_thought_signature_validator", "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I"}

// judge fails for every thought or signature that was lost on the way.
func (f *fleet) judge(t *testing.T) {
	t.Helper()
	for i := range f.servers {
		f.tell(t, i)
	}
	f.Unrefused(t)
	for _, away := range rig.Dialects {
		asked, lost, silent := 0, 0, 0
		for _, q := range f.Up[away].Requests() {
			if q.Method != http.MethodPost {
				continue // for its models
			}
			asked++
			for _, mark := range placeholder {
				if strings.Contains(string(q.Body), mark) {
					lost++
				}
			}
			if !thinksStill(away, q.JSON()) {
				silent++
			}
		}
		if lost+silent > 0 || asked == 0 {
			t.Errorf("%s got %d requests without a signature and %d that do not think any more, of %d", away, lost, silent, asked)
		}
	}
}
