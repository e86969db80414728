package engines

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
)

// fleet is some servers on one PostgreSQL before a provider that costs money, and
// clients that do not give up.
type fleet struct {
	t       *testing.T
	servers []*rig.House
	maker   *provider
	key     string

	mu  sync.Mutex // guards ids
	ids map[int]string
}

// newFleet starts servers, each with the database as the URL says for it.
func newFleet(t *testing.T, work time.Duration, urls ...string) *fleet {
	t.Helper()
	f := &fleet{t: t, maker: newProvider(t, work), ids: make(map[int]string)}
	config := "limits: {unfinished_generations: 100000}\n" + f.maker.account(t)
	shared := []string{"--master-key-file", rig.NewMasterKey(t), "--blob-url", "file://" + t.TempDir()}
	for _, url := range urls {
		f.servers = append(f.servers, rig.Start(t, rig.Options{Config: config, Flags: append([]string{"--database-url", url}, shared...)}))
	}
	one := f.servers[0]
	f.key = one.CreateKey(t).Key
	one.Run(t, "limits", "create", "--name", "budget", "--measure", "dollars", "--window", "month", "--amount", "1000", "--allow-unpriced")
	one.Run(t, "limits", "create", "--name", "rate", "--measure", "requests", "--window", "minute", "--amount", "1000000")
	for i, h := range f.servers {
		h.Keep(f.key)
		h.Await(t, f.key, http.StatusOK)
		rig.Eventually(t, "the server knows the limits", func() bool {
			a, err := f.say(i)
			return err == nil && a.Header.Get("X-Ratelimit-Limit-Requests") != ""
		})
	}
	return f
}

// ask sends a request to one of the servers. An answer that did not come is an error.
func (f *fleet) ask(server int, method, path, body string, header ...string) (rig.Answer, error) {
	h := f.servers[server]
	r, err := http.NewRequest(method, h.URL+path, strings.NewReader(body))
	if err != nil {
		return rig.Answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+f.key)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return h.Send(r)
}

// chat says something to the built-in model.
func (f *fleet) say(server int) (rig.Answer, error) {
	return f.ask(server, http.MethodPost, "/api/v1/chat/completions", `{"model":"stele/sandbox","messages":[{"role":"user","content":"hello"}]}`)
}

// chat wants an answer.
func (f *fleet) chat(server int) error {
	a, err := f.say(server)
	if err == nil && a.Status != http.StatusOK {
		err = fmt.Errorf("chat: %d %.300s", a.Status, a.Body)
	}
	return err
}

func prompt(n int) string { return fmt.Sprintf("picture number %d", n) }

// order orders once. What is refused must be refused cleanly.
func (f *fleet) order(server, n int) error {
	a, err := f.ask(server, http.MethodPost, "/api/v1/generations",
		fmt.Sprintf(`{"model":"painter/picture","mode":"text_to_image","prompt":%q}`, prompt(n)), "Idempotency-Key", fmt.Sprintf("order-%d", n))
	if err != nil {
		return err
	}
	switch a.Status {
	case http.StatusCreated:
		var created struct{ Data struct{ ID string } }
		if err := json.Unmarshal([]byte(a.Body), &created); err != nil {
			return err
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ids[n] = created.Data.ID
		return nil
	case http.StatusServiceUnavailable:
		if a.Header.Get("Retry-After") == "" {
			f.t.Errorf("order %d was refused without a word on when to come again: %s", n, a.Body)
		}
	case http.StatusConflict: // the first attempt is not over
	default:
		f.t.Errorf("order %d: %d %s", n, a.Status, a.Body)
	}
	return fmt.Errorf("order %d: %d %.300s", n, a.Status, a.Body)
}

// traffic is clients at work until they are stopped.
type traffic struct {
	stop  chan struct{}
	all   sync.WaitGroup
	next  atomic.Int64 // orders
	chats atomic.Int64
}

// rest is how long a client waits before it asks again.
func rest(usually time.Duration, late bool) time.Duration {
	if late {
		return 10 * usually
	}
	return usually
}

// begin has clients order and chat at every server. An order goes on until it is
// answered; a chat must always be answered.
func (f *fleet) begin(orderers, chatters int) *traffic {
	c := &traffic{stop: make(chan struct{})}
	stopped := func(wait time.Duration) bool {
		select {
		case <-c.stop:
			return true
		case <-time.After(wait):
			return false
		}
	}
	for i := range orderers {
		c.all.Go(func() {
			for !stopped(rest(150*time.Millisecond, c.next.Load() > usualOrders)) {
				n := int(c.next.Add(1))
				for end := time.Now().Add(databaseAway + 2*time.Minute); f.order((i+n)%len(f.servers), n) != nil; {
					if time.Now().After(end) {
						f.t.Errorf("order %d was never taken", n)
						return
					}
					time.Sleep(50 * time.Millisecond)
				}
			}
		})
	}
	for i := range chatters {
		c.all.Go(func() {
			for !stopped(rest(10*time.Millisecond, c.chats.Add(1) > usualChats)) {
				if err := f.chat(i % len(f.servers)); err != nil {
					f.t.Error(err)
					return
				}
			}
		})
	}
	return c
}

// end stops the clients and returns how much was ordered.
func (c *traffic) end() int {
	close(c.stop)
	c.all.Wait()
	return int(c.next.Load())
}

// judge waits for the end of everything that was ordered. Each has its picture, and was
// paid once; the sums agree.
func (f *fleet) judge(orders int) {
	f.t.Helper()
	begun := time.Now()
	for n := 1; n <= orders; n++ {
		id := f.ids[n]
		if id == "" {
			f.t.Errorf("order %d has no id", n)
			continue
		}
		if state, why := f.outcome(n%len(f.servers), id); state != "success" {
			f.t.Errorf("order %d (%s) ended as %s: %s", n, id, state, why)
		}
		if times := f.maker.times(prompt(n)); times != 1 {
			f.t.Errorf("order %d (%s) was paid %d times", n, id, times)
		}
	}
	f.t.Logf("%d orders, the last ended %s after the traffic did", orders, time.Since(begun).Round(time.Millisecond))
	for _, h := range f.servers {
		h.Stop(f.t)
	}
	f.servers[0].Run(f.t, "money", "verify")
}

// outcome waits for the end of a generation.
func (f *fleet) outcome(server int, id string) (state, why string) {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		a, err := f.ask(server, http.MethodGet, "/api/v1/generations/"+id+"?wait=20", "")
		var got struct {
			Data struct {
				Status string
				Error  struct{ Message string }
			}
		}
		if err != nil || a.Status != http.StatusOK || json.Unmarshal([]byte(a.Body), &got) != nil {
			return "unknown", fmt.Sprint(a.Status, a.Body, err)
		}
		if got.Data.Status != "pending" && got.Data.Status != "processing" {
			return got.Data.Status, got.Data.Error.Message
		}
	}
	if file := os.Getenv("STELE_TEST_KEEP_LOG"); file != "" {
		for i, h := range f.servers {
			lines, _ := json.MarshalIndent(h.Log(f.t), "", " ")
			_ = os.WriteFile(fmt.Sprintf("%s.%d", file, i), lines, 0o600)
		}
	}
	return "unfinished", "after two minutes"
}
