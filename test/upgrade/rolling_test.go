package upgrade

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"stele/test/rig"
)

// Three servers of the version before are replaced one after the other, one is started anew, and one goes back again, while
// clients chat, stream and order. No request fails, no stream is cut, every task is made once.
func TestRollingUpgradeAndOneStepBack(t *testing.T) {
	t.Parallel()
	old := previous(t)
	database := rig.NewDatabase(t)
	flags := []string{"--database-url", database, "--master-key-file", rig.NewMasterKey(t), "--blob-url", "file://" + t.TempDir()}
	f := &fleet{t: t, tasks: make(map[string]bool)}
	for range 3 {
		h := rig.New(t, rig.Options{Flags: flags, Binary: old, Config: "limits: {unfinished_generations: 100000}\n"})
		h.Start(t)
		f.servers = append(f.servers, &member{House: h})
	}
	f.key = f.servers[0].CreateKey(t).Key
	for _, m := range f.servers {
		m.Keep(f.key)
		m.Await(t, f.key, http.StatusOK)
	}
	done := f.traffic()
	for i, step := range []struct {
		server int
		binary string
	}{{0, ""}, {1, ""}, {2, ""}, {0, ""}, {2, old}} {
		before := f.count.Load()
		f.replace(f.servers[step.server], step.binary)
		for n := 0; f.count.Load() < before+rollRequests/5; n++ { // clients go on, and one more
			f.turn(100*(i+1), n)
		}
	}
	done()
	if n := f.count.Load(); n < rollRequests/2 {
		t.Errorf("only %d requests", n)
	}
	f.judge(database)
	t.Logf("%d requests, %d tasks", f.count.Load(), len(f.tasks))
	for _, m := range f.servers { // the last is of the version before
		servesAllRoutes(t, m.House, f.key)
	}
}

// fleet is servers behind a load balancer, and clients.
type fleet struct {
	t       *testing.T
	key     string
	servers []*member
	count   atomic.Int64

	mu    sync.Mutex // guards what follows
	tasks map[string]bool
}

// member is a server that the load balancer sends requests to, or does not.
type member struct {
	*rig.House
	mu  sync.RWMutex // held for reading while a request is begun
	out bool
}

// replace takes a server out, ends it as an operator does, and starts another program in its place.
func (f *fleet) replace(m *member, binary string) {
	f.t.Helper()
	m.mu.Lock()
	m.out = true
	m.mu.Unlock()
	m.Signal(f.t, syscall.SIGTERM)
	m.Wait(f.t)
	m.SetBinary(binary)
	m.Start(f.t)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.out = false
}

// send sends a request to a server that takes part, and reads the answer whole.
func (f *fleet) send(method, path, body, once string) (rig.Answer, error) {
	m := f.servers[rand.N(len(f.servers))]
	for m.mu.RLock(); m.out; m.mu.RLock() {
		m.mu.RUnlock()
		m = f.servers[rand.N(len(f.servers))]
	}
	r, err := http.NewRequest(method, m.URL+path, strings.NewReader(body)) //nolint:noctx // the client has a time limit
	if err != nil {
		m.mu.RUnlock()
		return rig.Answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+f.key)
	if once != "" {
		r.Header.Set("Idempotency-Key", once)
	}
	answer, err := m.Client.Do(r)
	m.mu.RUnlock()
	if err != nil {
		return rig.Answer{}, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return rig.Answer{Status: answer.StatusCode, Header: answer.Header, Body: string(text)}, err
}

// traffic sends requests until it is told to stop.
func (f *fleet) traffic() (stop func()) {
	ended := make(chan struct{})
	var clients sync.WaitGroup
	for c := range 6 {
		clients.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-ended:
					return
				default:
					f.turn(c, n)
					f.count.Add(1)
				}
			}
		})
	}
	return func() {
		close(ended)
		clients.Wait()
	}
}

func (f *fleet) turn(client, n int) {
	const say = `"messages": [{"role": "user", "content": "hi [[sandbox: gap=20ms words=20]]"}]}`
	switch n % 3 {
	case 0:
		if a, err := f.send("POST", "/api/v1/chat/completions", `{"model": "stele/sandbox", `+say, ""); err != nil || a.Status != http.StatusOK {
			f.t.Errorf("chat: %d %s, %v", a.Status, a.Body, err)
		}
	case 1:
		a, err := f.send("POST", "/api/v1/messages", `{"model": "stele/sandbox", "max_tokens": 500, "stream": true, `+say, "")
		if err != nil || a.Status != http.StatusOK || !strings.Contains(a.Body, "message_stop") {
			f.t.Errorf("stream: %d %s, %v", a.Status, a.Body, err)
		}
	case 2:
		order := `{"model": "stele/sandbox-image", "mode": "text_to_image", "prompt": "[[sandbox: work=300ms]]"}`
		a, err := f.send("POST", "/api/v1/generations", order, fmt.Sprintf("order-%d-%d", client, n))
		var made struct{ Data struct{ ID string } }
		if err != nil || a.Status != http.StatusCreated || json.Unmarshal([]byte(a.Body), &made) != nil {
			f.t.Errorf("order: %d %s, %v", a.Status, a.Body, err)
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.tasks[made.Data.ID] {
			f.t.Errorf("%s was given twice", made.Data.ID)
		}
		f.tasks[made.Data.ID] = true
	}
}

// judge looks whether every task ended well and was accepted by its provider once.
func (f *fleet) judge(database string) {
	f.t.Helper()
	for id := range f.tasks {
		for end := time.Now().Add(time.Minute); ; {
			a, err := f.send("GET", "/api/v1/generations/"+id+"?wait=30", "", "")
			if err != nil || a.Status != http.StatusOK || strings.Contains(a.Body, `"failed"`) || time.Now().After(end) {
				f.t.Errorf("%s: %d %s, %v", id, a.Status, a.Body, err)
				break
			}
			if strings.Contains(a.Body, `"status":"success"`) {
				break
			}
		}
	}
	db := f.servers[0].Books(f.t, database)
	for _, q := range []string{
		`SELECT key || ' was accepted ' || count(*) || ' times' FROM sandbox_journal GROUP BY key HAVING count(*) <> 1`,
		`SELECT request || ' was booked ' || count(*) || ' times' FROM requests WHERE request LIKE 'gen_%' GROUP BY request HAVING count(*) <> 1`,
	} {
		for _, wrong := range texts(f.t, db, q) {
			f.t.Error(wrong)
		}
	}
	var accepted int
	if err := db.QueryRowContext(f.t.Context(), `SELECT count(DISTINCT key) FROM sandbox_journal`).Scan(&accepted); err != nil || accepted != len(f.tasks) {
		f.t.Errorf("%d tasks were accepted of %d, %v", accepted, len(f.tasks), err)
	}
}

// servesAllRoutes calls the 13 routes.
func servesAllRoutes(t *testing.T, h *rig.House, key string) {
	t.Helper()
	for _, path := range []string{"media_models", "apps", "apps/social-card", "models"} {
		if a := h.Get(t, "/api/v1/"+path, key); a.Status != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	const contents = `{"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}`
	const messages = `"messages": [{"role": "user", "content": "hi"}]}`
	for path, body := range map[string]string{
		"/api/v1/chat/completions":                               `{"model": "stele/sandbox", ` + messages,
		"/api/v1/messages":                                       `{"model": "stele/sandbox", "max_tokens": 9, ` + messages,
		"/api/v1beta/models/stele/sandbox:generateContent":       contents,
		"/api/v1beta/models/stele/sandbox:streamGenerateContent": contents,
	} {
		if a := h.Post(t, path, key, body); a.Status != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	upload(t, h, key)
	finish(t, h, key, h.Post(t, "/api/v1/generations", key, `{"model": "stele/sandbox-image", "mode": "text_to_image", "prompt": "back"}`))
	run := h.Post(t, "/api/v1/apps/social-card/generations", key, `{"headline": "Back"}`)
	finish(t, h, key, run)
	id := generationID.FindString(run.Body)
	if a := h.Get(t, "/api/v1/apps/social-card/generations/"+id, key); a.Status != http.StatusOK {
		t.Errorf("the run: %d %s", a.Status, a.Body)
	}
}
