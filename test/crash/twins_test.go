package crash

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
)

const (
	ofEachKey = 10 // requests with the same Idempotency-Key at the same time
	atOnce    = 16 // keys at the same time
)

// TestTwinsMakeOne sends every Idempotency-Key ten times at once, and in the
// second round kills the server between them.
func TestTwinsMakeOne(t *testing.T) {
	t.Parallel()
	for _, dies := range []bool{false, true} {
		name := map[bool]string{false: "undisturbed", true: "with a kill in between"}[dies]
		t.Run("sqlite "+name, func(t *testing.T) {
			t.Parallel()
			h := rig.Start(t, rig.Options{Config: config})
			sendTwins(t, h, dies, "sqlite", fmt.Sprintf("file:%s?mode=ro&_pragma=busy_timeout(10000)", filepath.Join(h.Data, "stele.db")))
		})
		t.Run("postgresql "+name, func(t *testing.T) {
			t.Parallel()
			database := rig.NewDatabase(t)
			h := rig.Start(t, rig.Options{Config: config, Flags: []string{"--database-url", database}})
			sendTwins(t, h, dies, "pgx", database)
		})
	}
}

// twinRun is a run of twins against one server.
type twinRun struct {
	t      *testing.T
	house  *rig.House
	key    string
	client *http.Client

	mu       sync.RWMutex // held while the server is dead
	answered atomic.Int64 // keys
}

func sendTwins(t *testing.T, h *rig.House, dies bool, driver, source string) {
	t.Helper()
	r := &twinRun{t: t, house: h, key: h.CreateKey(t).Key, client: &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: atOnce * ofEachKey},
	}}
	h.Await(t, r.key, http.StatusOK)
	var wg sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for n := range twins {
		if dies && n == twins/2 {
			r.restart()
		}
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			r.twins(n)
		})
	}
	wg.Wait()
	r.client.CloseIdleConnections()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var made, jobs int
	if err := db.QueryRow(`SELECT COUNT(*) FROM generations`).Scan(&made); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow(`SELECT COUNT(DISTINCT key) FROM sandbox_journal`).Scan(&jobs); err != nil {
		t.Fatal(err)
	}
	if made != twins || jobs > twins {
		t.Errorf("%d keys made %d generations, of which %d were asked for", twins, made, jobs)
	}
	if int(r.answered.Load()) != twins {
		t.Errorf("%d of %d keys were answered", r.answered.Load(), twins)
	}
}

// restart kills the server while requests are on their way, and starts it again.
func (r *twinRun) restart() {
	r.t.Helper()
	r.house.Kill(r.t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.house.Start(r.t)
}

// twins sends the same request ten times at once. All must get the same bytes.
func (r *twinRun) twins(n int) {
	r.t.Helper()
	body := fmt.Sprintf(`{"model":"stele/sandbox-image","mode":"text_to_image","prompt":"twin %d [[sandbox: work=50ms]]"}`, n)
	answers := make([][]byte, ofEachKey)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = r.insist(n, body) })
	}
	wg.Wait()
	for _, answer := range answers {
		if !bytes.Equal(answer, answers[0]) {
			r.t.Errorf("key %d was answered with\n%s\nand\n%s", n, answers[0], answer)
			return
		}
	}
	if len(answers[0]) > 0 {
		r.answered.Add(1)
	}
}

// insist asks until it is answered.
func (r *twinRun) insist(n int, body string) []byte {
	for range 200 {
		status, answer, err := r.ask(n, body)
		switch {
		case err == nil && status == http.StatusCreated:
			return answer
		case err == nil && status != http.StatusConflict && status < 500:
			r.t.Errorf("key %d: %d %s", n, status, answer)
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	r.t.Errorf("key %d was never answered", n)
	return nil
}

func (r *twinRun) ask(n int, body string) (int, []byte, error) {
	r.mu.RLock()
	url := r.house.URL
	r.mu.RUnlock()
	req, err := http.NewRequest(http.MethodPost, url+"/api/v1/generations", strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+r.key)
	req.Header.Set("Idempotency-Key", fmt.Sprintf("twin-%d", n))
	answer, err := r.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	return answer.StatusCode, raw, err
}
