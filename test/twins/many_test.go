package twins

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

const (
	ofEachKey = 20
	atOnce    = 12 // keys at the same time
)

// TestManyTwinsWithKillsAskOnce sends every key twenty times at once, whole and streamed, and
// kills the server between them, again and again. All twins of a key get the same bytes in
// the end, and no upstream was asked twice.
func TestManyTwinsWithKillsAskOnce(t *testing.T) {
	t.Parallel()
	engines(t, "", func(t *testing.T, r *rig.Front) {
		for _, away := range rig.Dialects {
			r.On(away, rig.UsualModel[away], upstream.Pace(3*time.Millisecond))
		}
		run := &manyTwins{t: t, front: r}
		var wg sync.WaitGroup
		free := make(chan struct{}, atOnce)
		for n := range manyKeys {
			if n > 0 && n%(manyKeys/(kills+1)) == 0 {
				run.restart()
			}
			free <- struct{}{}
			wg.Go(func() {
				defer func() { <-free }()
				run.twins(n)
			})
		}
		wg.Wait()
		run.check()
	})
}

// manyTwins is a run of twins against one server.
type manyTwins struct {
	t     *testing.T
	front *rig.Front

	mu sync.RWMutex // held while the server is dead
}

func (m *manyTwins) restart() {
	m.t.Helper()
	m.front.Kill(m.t)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.front.Start(m.t)
}

// twins sends one key many times.
func (m *manyTwins) twins(n int) {
	client, away := rig.Dialects[n%3], rig.Dialects[n/3%3]
	wish := keyed(rig.Ask(client, away+"/"+rig.UsualModel[away], fmt.Sprintf("twin %d.", n), n%2 == 0), fmt.Sprint("twin ", n), 0)
	answers := make([]string, ofEachKey)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = m.insist(wish) })
	}
	wg.Wait()
	for _, a := range answers {
		if a != answers[0] {
			m.t.Errorf("key %d was answered with\n%s\nand\n%s", n, answers[0], a)
			return
		}
	}
}

// insist asks until it is answered. What it gets of an answer that a kill cuts is the
// beginning of what it gets in the end.
func (m *manyTwins) insist(w rig.Wish) string {
	var begun string
	for range 400 {
		m.mu.RLock()
		request := m.front.RequestFor(m.t, w)
		m.mu.RUnlock()
		a, err := m.front.Send(request)
		said := rig.Said{}
		if a.Status == http.StatusOK && strings.HasPrefix(a.Header.Get("Content-Type"), "text/event-stream") {
			said = rig.Listen(m.t, w.Dialect, whole(a.Body))
		}
		if a.Status == http.StatusOK && !strings.HasPrefix(a.Body, begun) {
			m.t.Errorf("%s\nand then\n%s", begun, a.Body)
		}
		switch {
		case a.Status == http.StatusOK && (err == nil || said.Failure != ""):
			return a.Body
		case a.Status == http.StatusConflict && err == nil && strings.Contains(a.Body, "idempotency_outcome_unknown"):
			return a.Body
		case err == nil && a.Status != http.StatusServiceUnavailable && a.Status != 529:
			m.t.Errorf("%d %s", a.Status, a.Body)
			return ""
		}
		if a.Status == http.StatusOK {
			begun = whole(a.Body)
		}
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // as a client waits that is refused
	}
	m.t.Errorf("%s was never answered", w.Header.Get("Idempotency-Key"))
	return ""
}

// whole is the events of a stream that came to their end.
func whole(body string) string {
	if !strings.HasPrefix(body, "id: ") {
		return "" // of a whole answer a part is nothing
	}
	last := 0
	for _, end := range []string{"\r\n\r\n", "\n\n"} {
		if at := strings.LastIndex(body, end); at >= 0 {
			last = max(last, at+len(end))
		}
	}
	return body[:last]
}

var twinName = regexp.MustCompile(`twin \d+\.`)

// check counts what upstreams were asked for.
func (m *manyTwins) check() {
	asked := make(map[string]int)
	for _, away := range rig.Dialects {
		for _, q := range m.front.Up[away].Requests() {
			if name := twinName.FindString(string(q.Body)); name != "" {
				asked[name]++
			}
		}
	}
	total := 0
	for name, n := range asked {
		if total += n; n != 1 {
			m.t.Errorf("%q was asked for %d times", name, n)
		}
	}
	m.t.Logf("%d keys of %d twins, %d kills: %d calls", manyKeys, ofEachKey, kills, total)
	// Only a kill between the last note and the first byte to the upstream leaves a key that was never asked for.
	if total < manyKeys-1-kills/4 || total > manyKeys {
		m.t.Errorf("%d calls for %d keys", total, manyKeys)
	}
}

// TestManyCutStreamsAreTakenUp hangs up somewhere in each of many streams and takes it up.
func TestManyCutStreamsAreTakenUp(t *testing.T) {
	t.Parallel()
	engines(t, "", func(t *testing.T, r *rig.Front) {
		for _, away := range rig.Dialects {
			r.On(away, rig.UsualModel[away], upstream.Pace(time.Millisecond))
		}
		var wg sync.WaitGroup
		free := make(chan struct{}, atOnce)
		for n := range manyCuts {
			free <- struct{}{}
			wg.Go(func() {
				defer func() { <-free }()
				client, away := rig.Dialects[n%3], rig.Dialects[n/3%3]
				wish, key := rig.Ask(client, away+"/"+rig.UsualModel[away], fmt.Sprintf("cut %d.", n), true), fmt.Sprint("cut ", n)
				head, _ := begin(t, r, keyed(wish, key, 0), 1+n%5)
				tail := r.Hear(t, keyed(wish, key, count(head)))
				all := r.Hear(t, keyed(wish, key, 0))
				if tail.Status != http.StatusOK || tail.Err != nil || head+tail.Body != all.Body || !rig.Listen(t, client, all.Body).Ended {
					t.Errorf("%s: %s\nthen %d %s (%v)\nin all %s", key, head, tail.Status, tail.Body, tail.Err, all.Body)
				}
			})
		}
		wg.Wait()
		calls := 0
		for _, away := range rig.Dialects {
			for _, q := range r.Up[away].Requests() {
				if strings.Contains(string(q.Body), "cut ") {
					calls++
				}
			}
		}
		if calls != manyCuts {
			t.Errorf("%d streams took %d calls", manyCuts, calls)
		}
	})
}
