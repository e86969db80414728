package load

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
)

// engines runs a test on every database. Its URL is "" for SQLite.
func engines(t *testing.T, test func(t *testing.T, databaseURL string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); test(t, "") })
	t.Run("postgresql", func(t *testing.T) { t.Parallel(); test(t, rig.NewDatabase(t)) })
}

// benches runs a benchmark on every database.
func benches(b *testing.B, bench func(b *testing.B, databaseURL string)) {
	b.Helper()
	b.Run("sqlite", func(b *testing.B) { bench(b, "") })
	b.Run("postgresql", func(b *testing.B) { bench(b, rig.NewDatabase(b)) })
}

// desk is a client with a key that orders from a house.
type desk struct {
	*rig.House

	tb     testing.TB
	key    string
	client *http.Client
}

// open starts a house with a raised limit and more configuration.
func open(tb testing.TB, databaseURL, config string) *desk {
	tb.Helper()
	o := rig.Options{Config: "limits: {unfinished_generations: 1000000}\n" + config}
	if databaseURL != "" {
		o.Flags = []string{"--database-url", databaseURL}
	}
	d := &desk{House: rig.Start(tb, o), tb: tb, client: &http.Client{
		Timeout: 5 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true},
	}}
	tb.Cleanup(d.client.CloseIdleConnections)
	d.key = d.CreateKey(tb).Key
	d.Await(tb, d.key, http.StatusOK)
	return d
}

// view is what the tests read of a generation.
type view struct {
	ID        string    `json:"id"`
	Status    string    `json:"status"`
	UpdatedAt time.Time `json:"updated_at"`
	Error     struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Result struct {
		Images []struct {
			URL string `json:"url"`
		} `json:"images"`
	} `json:"result"`
}

func (v view) final() bool { return v.Status != "pending" && v.Status != "processing" }

// sandboxed is the body of an order for the sandbox.
func sandboxed(orders string) string {
	return fmt.Sprintf(`{"model":"stele/sandbox-image","mode":"text_to_image","prompt":"a test [[sandbox: %s]]"}`, orders)
}

// order orders a generation.
func (d *desk) order(body string, header ...string) (view, error) {
	return d.ask(http.MethodPost, "/api/v1/generations", body, http.StatusCreated, header...)
}

// ended waits for the end of a generation.
func (d *desk) ended(id string, patience time.Duration) (view, error) {
	for end := time.Now().Add(patience); ; {
		v, err := d.ask(http.MethodGet, "/api/v1/generations/"+id+"?wait=60", "", http.StatusOK)
		if err != nil || v.final() {
			return v, err
		}
		if time.Now().After(end) {
			return v, fmt.Errorf("%s has not ended within %s", id, patience)
		}
	}
}

func (d *desk) ask(method, path, body string, want int, header ...string) (view, error) {
	answer, err := d.send(method, path, body, header...)
	if err != nil {
		return view{}, err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return view{}, err
	}
	if answer.StatusCode != want {
		return view{}, fmt.Errorf("%s %s: %d %.300s", method, path, answer.StatusCode, raw)
	}
	var got struct {
		Data view `json:"data"`
	}
	err = json.Unmarshal(raw, &got)
	return got.Data, err
}

func (d *desk) send(method, path, body string, header ...string) (*http.Response, error) {
	r, err := http.NewRequest(method, d.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+d.key)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return d.client.Do(r)
}

// each calls do for 0 … n-1, so many at a time, and fails the test with its errors.
func (d *desk) each(n, width int, do func(i int) error) {
	d.tb.Helper()
	free := make(chan struct{}, width)
	var wg sync.WaitGroup
	for i := range n {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			if err := do(i); err != nil {
				d.tb.Error(err)
			}
		})
		if d.tb.Failed() {
			break // what is wrong once is wrong a thousand times
		}
	}
	wg.Wait()
}
