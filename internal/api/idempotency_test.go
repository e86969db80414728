package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/replay"
	"stele/internal/store/storetest"
)

const order = `{"model":"acme/paint","prompt":"a stone","seed":7}`

func TestARepeatedOrderIsAnsweredAsTheFirst(t *testing.T) {
	t.Parallel()
	h := newKeyedHouse(t, "sqlite")
	p := h.process(t, "one")
	first := p.post(t, "k1", order)
	if first.status != 201 || !strings.Contains(first.body, `"cost_usd":"0.04"`) {
		t.Fatalf("%d %s", first.status, first.body)
	}
	for _, same := range []string{
		order, `{"seed": 7.0, "prompt":"a stone", "model":"acme\/paint"}`, "\n" + order + " ", `{"model":"acme/paint","prompt":"a stone","seed":7e0}`,
	} {
		if again := p.post(t, "k1", same); !isReplay(first, again) {
			t.Errorf("%s: %d %s %v", same, again.status, again.body, again.header)
		}
	}
	for _, other := range []string{`{"model":"acme/paint","prompt":"a stone","seed":8}`, `{"model":"acme/paint","prompt":"a stone"}`, `{`, ``} {
		if got := p.post(t, "k1", other); got.status != 409 || !strings.Contains(got.body, `"idempotency_conflict"`) {
			t.Errorf("%s: %d %s", other, got.status, got.body)
		}
	}
	if got := p.post(t, "k2", order); got.status != 201 || got.body == first.body || got.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("another key: %d %s", got.status, got.body)
	}
	p.post(t, "", order) // no key at all: never the same
	p.post(t, "", order)
	if n := len(h.tasks(t)); n != 4 {
		t.Errorf("%d generations, want 4", n)
	}
	// Large numbers that a float64 would confuse are different.
	p.post(t, "large", `{"model":"acme/paint","prompt":"x","seed":9007199254740993}`)
	if got := p.post(t, "large", `{"model":"acme/paint","prompt":"x","seed":9007199254740992}`); got.status != 409 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestRefusalsThatCountAreReplayed(t *testing.T) {
	t.Parallel()
	p := newKeyedHouse(t, "sqlite").process(t, "one")
	for i, row := range []struct {
		body   string
		status int
	}{
		{`{`, 400},
		{`{"model":5}`, 400},
		{`{"model":"nobody/knows","prompt":"x"}`, 404},
		{`{"model":"acme/paint","prompt":"x","n":9}`, 422},
		{`{"model":"acme/paint"}`, 422},
	} {
		key := fmt.Sprint("k", i)
		first, again := p.post(t, key, row.body), p.post(t, key, row.body)
		if first.status != row.status || !isReplay(first, again) {
			t.Errorf("%s: %d %s\nthen %d %s", row.body, first.status, first.body, again.status, again.body)
		}
		if got := p.post(t, key, order); got.status != 409 {
			t.Errorf("%s: then another body gets %d", row.body, got.status)
		}
	}
}

func TestRefusalsThatSayNothingFreeTheKey(t *testing.T) {
	t.Parallel()
	h := newKeyedHouse(t, "sqlite")
	p := h.process(t, "one")
	if got := p.post(t, "other", order); got.status != 201 {
		t.Fatal(got.body)
	}
	h.most.Store(1)
	for range 2 {
		if got := p.post(t, "k", order); got.status != 429 || !strings.Contains(got.body, `"concurrency_limit"`) || got.header.Get("Idempotency-Replayed") != "" {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	h.most.Store(9)
	if got := p.post(t, "k", strings.Replace(order, "stone", "tree", 1)); got.status != 201 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestDryRunsAreNeverKept(t *testing.T) {
	t.Parallel()
	h := newKeyedHouse(t, "sqlite")
	p := h.process(t, "one")
	dry := strings.Replace(order, "{", `{"dry_run":true,`, 1)
	for range 2 {
		got := p.post(t, "k", dry)
		if got.status != 200 || !strings.Contains(got.body, `"id":"dry_run"`) || !strings.Contains(got.body, `"dry_run":true`) ||
			!strings.Contains(got.body, `"cost_credits":4`) || got.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if got := p.post(t, "k", `{"dry_run":true}`); got.status != 422 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if n := len(h.tasks(t)); n != 0 {
		t.Errorf("%d generations of dry runs", n)
	}
	first := p.post(t, "k", order)
	if first.status != 201 {
		t.Errorf("%d %s", first.status, first.body)
	}
	if got := p.post(t, "k", dry); got.status != 200 { // nor does it look at what is kept
		t.Errorf("%d %s", got.status, got.body)
	}
	if again := p.post(t, "k", strings.Replace(order, "{", `{"dry_run":false,`, 1)); again.status != 409 {
		t.Errorf("%d %s", again.status, again.body)
	}
}

func TestOddKeysAreRefused(t *testing.T) {
	t.Parallel()
	h := newKeyedHouse(t, "sqlite")
	p := h.process(t, "one")
	for name, keys := range map[string][]string{
		"too long": {strings.Repeat("k", 256)}, "a tab": {"a\tb"}, "no text": {"a\xffb"}, "two": {"a", "b"}, "a control character of Latin-1": {"a\u0085b"},
	} {
		if got := p.postAs(t, p.key, keys, order); got.status != 400 || !strings.Contains(got.body, `"invalid_request_body"`) || !strings.Contains(got.body, `"field":"Idempotency-Key"`) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if n := len(h.tasks(t)); n != 0 {
		t.Errorf("%d generations", n)
	}
	for _, key := range []string{strings.Repeat("k", 255), "ü ☃", `"8e03978e-40d5-43dd-bc93-6894a57f9324"`} {
		if first, again := p.post(t, key, order), p.post(t, key, order); first.status != 201 || !isReplay(first, again) {
			t.Errorf("%q: %d %s", key, first.status, first.body)
		}
	}
}

func TestKeysBelongToAWorkspaceAndSortOfAPIKey(t *testing.T) {
	t.Parallel()
	h := newKeyedHouse(t, "sqlite")
	p := h.process(t, "one")
	first := p.post(t, "k", order)
	colleague := h.newKey(t, access.NewKey{Name: "colleague"})
	if got := p.postAs(t, colleague, []string{"k"}, order); !isReplay(first, got) {
		t.Errorf("same workspace: %d %s", got.status, got.body)
	}
	stranger := h.newKey(t, access.NewKey{Name: "stranger", Workspace: "elsewhere"})
	if got := p.postAs(t, stranger, []string{"k"}, order); got.status != 201 || got.body == first.body {
		t.Errorf("another workspace: %d %s", got.status, got.body)
	}
	sandbox := h.newKey(t, access.NewKey{Name: "sandbox", Sandbox: true})
	if got := p.postAs(t, sandbox, []string{"k"}, order); got.status != 409 {
		t.Errorf("a sandbox key: %d %s", got.status, got.body)
	}
}

func TestTwinsInParallelMakeOneGeneration(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h := newKeyedHouse(t, engine)
			p := h.process(t, "one")
			const keys, twins = 20, 10
			var mu sync.Mutex
			bodies := make(map[string]map[string]int)
			var wg sync.WaitGroup
			for i := range keys * twins {
				wg.Go(func() {
					key := fmt.Sprint(i % keys)
					got := p.post(t, key, order)
					for strings.Contains(got.body, "idempotency_in_progress") { // as clients do on a slow server
						got = p.post(t, key, order)
					}
					if got.status != 201 {
						t.Errorf("%d %s", got.status, got.body)
					}
					mu.Lock()
					defer mu.Unlock()
					if bodies[key] == nil {
						bodies[key] = make(map[string]int)
					}
					bodies[key][got.body]++
				})
			}
			wg.Wait()
			for key, answers := range bodies {
				if len(answers) != 1 {
					t.Errorf("%s was answered in %d ways", key, len(answers))
				}
			}
			if n := len(h.tasks(t)); n != keys {
				t.Errorf("%d generations for %d keys", n, keys)
			}
		})
	}
}

// TestACrashAfterTheOrderMakesNoSecond dies between the saved task and the kept
// answer.
func TestACrashAfterTheOrderMakesNoSecond(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h := newKeyedHouse(t, engine)
			dying := h.process(t, "one")
			dying.claim = func() error { return errors.New("killed") }
			first := dying.post(t, "k", order)
			if first.status != 201 {
				t.Fatal(first.body)
			}
			// Meanwhile it goes on.
			id := h.tasks(t)[0]
			if _, err := h.db.UpdateTask(t.Context(), "", id, func(task *generation.Task) error {
				task.State, task.Stage, task.Progress, task.Updated = media.Processing, generation.Waiting, 0.5, time.Now().Add(time.Hour)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			next := h.process(t, "two")
			if got := next.post(t, "k", strings.Replace(order, "7", "8", 1)); got.status != 409 {
				t.Errorf("another body: %d %s", got.status, got.body)
			}
			again := next.post(t, "k", order)
			if again.status != 201 || again.body != first.body {
				t.Errorf("%d %s\nwant %s", again.status, again.body, first.body)
			}
			if got := next.post(t, "k", order); got.body != first.body || got.header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%d %s", got.status, got.body)
			}
			if ids := h.tasks(t); len(ids) != 1 {
				t.Errorf("%v", ids)
			}
		})
	}
}

// TestACrashBeforeTheOrderOrdersUnderTheReservedID dies between the claim and the
// task, and then, while its successor is at work, turns out to be only slow.
func TestACrashBeforeTheOrderOrdersUnderTheReservedID(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h := newKeyedHouse(t, engine)
			slow, next := h.process(t, "one"), h.process(t, "two")
			who := access.Principal{Workspace: "default"}
			c := call{Request: httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil), who: who, route: &table[9]}
			turn, err := slow.door.Replay.Begin(t.Context(), c.withKey("k", generation.NewID(), canonical([]byte(order), 1)))
			if err != nil {
				t.Fatal(err)
			}
			got := next.post(t, "k", order)
			if got.status != 201 || !strings.Contains(got.body, turn.ID) {
				t.Fatalf("%d %s, want the id %s", got.status, got.body, turn.ID)
			}
			late, err := slow.door.orderOnce(c, turn, func(id string) (*generation.Task, error) {
				fields, err := media.Fields([]byte(order))
				if err != nil {
					return nil, err
				}
				ask, err := media.Parse(fields)
				if err != nil {
					return nil, err
				}
				return slow.door.Generations.Create(t.Context(), who, id, ask)
			})
			if err != nil || late.ID != turn.ID {
				t.Errorf("%v, %v", late, err)
			}
			if err := turn.Finish(t.Context(), replay.Answer{Status: 201}); !errors.Is(err, replay.ErrLost) {
				t.Error(err)
			}
			if ids := h.tasks(t); len(ids) != 1 {
				t.Errorf("%v", ids)
			}
		})
	}
}

func TestARepeatedUploadIsAnsweredAsTheFirst(t *testing.T) {
	t.Parallel()
	h := newKeyedHouse(t, "sqlite")
	p := h.process(t, "one")
	picture := sample(t, "a.png")
	keyed := func(key string, u upload) answered {
		u.header = map[string]string{"Idempotency-Key": key}
		return p.put(t, u)
	}
	first := keyed("k", upload{name: "a.png", body: picture, fields: map[string]string{"file_type": "image"}})
	if first.status != 201 {
		t.Fatal(first.body)
	}
	f := fileOf(t, first)
	// Another boundary, another order: the same content and fields.
	if again := keyed("k", upload{name: "a.png", body: picture, after: map[string]string{"file_type": "image", "whatever": "x"}}); !isReplay(first, again) {
		t.Errorf("%d %s", again.status, again.body)
	}
	for name, u := range map[string]upload{
		"other bytes":  {name: "a.png", body: sample(t, "a.jpg"), fields: map[string]string{"file_type": "image"}},
		"other name":   {name: "b.png", body: picture, fields: map[string]string{"file_type": "image"}},
		"other fields": {name: "a.png", body: picture},
	} {
		if got := keyed("k", u); got.status != 409 || !strings.Contains(got.body, `"idempotency_conflict"`) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if files, err := h.db.Files(t.Context(), "default", 10); err != nil || len(files) != 1 || files[0].ID != f.ID {
		t.Errorf("%v %v", files, err)
	}
	refused := upload{name: "a.png", body: picture, fields: map[string]string{"file_type": "video"}}
	if first, again := keyed("r", refused), keyed("r", refused); first.status != 415 || !isReplay(first, again) {
		t.Errorf("%d %s\nthen %d %s", first.status, first.body, again.status, again.body)
	}
	large := upload{name: "a.png", body: append(append([]byte(nil), picture...), make([]byte, small)...)}
	if first, again := keyed("l", large), keyed("l", large); first.status != 413 || again.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("%d %s\nthen %d", first.status, first.body, again.status)
	}
	if got := keyed(strings.Repeat("k", 256), upload{name: "a.png", body: picture}); got.status != 400 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if blobs := blobsIn(t, h.folder); len(blobs) != 1 {
		t.Errorf("left behind: %v", blobs)
	}
	if got := p.post(t, "k", order); got.status != 201 { // another route, another key
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestACrashedUploadIsFoundAgain(t *testing.T) {
	t.Parallel()
	h := newKeyedHouse(t, "sqlite")
	u := upload{name: "a.png", body: sample(t, "a.png"), header: map[string]string{"Idempotency-Key": "k"}}
	dying := h.process(t, "one")
	dying.claim = func() error { return errors.New("killed") }
	first := dying.put(t, u)
	next := h.process(t, "two")
	again := next.put(t, u)
	if again.status != 201 || fileOf(t, again).ID != fileOf(t, first).ID {
		t.Errorf("%d %s\nwant %s", again.status, again.body, first.body)
	}
	if got := next.put(t, u); got.body != again.body || got.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%d %s", got.status, got.body)
	}
	// Where nothing came of the first, the second is a new one.
	u.header["Idempotency-Key"] = "gone"
	lost := dying.put(t, u)
	if err := h.process(t, "three").files.Drop(t.Context(), fileOf(t, lost).ID); err != nil {
		t.Fatal(err)
	}
	made := next.put(t, u)
	if made.status != 201 || fileOf(t, made).ID == fileOf(t, lost).ID {
		t.Errorf("%d %s", made.status, made.body)
	}
	if got := next.put(t, u); !isReplay(made, got) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if blobs := blobsIn(t, h.folder); len(blobs) != 2 {
		t.Errorf("left behind: %v", blobs)
	}
}

func TestUploadingTwinsLeaveOneFile(t *testing.T) {
	t.Parallel()
	h := newKeyedHouse(t, "sqlite")
	p := h.process(t, "one")
	u := upload{name: "a.png", body: sample(t, "a.png"), header: map[string]string{"Idempotency-Key": "k"}}
	var wg sync.WaitGroup
	var mu sync.Mutex
	answers := make(map[string]bool)
	for range 10 {
		wg.Go(func() {
			got := p.put(t, u)
			mu.Lock()
			defer mu.Unlock()
			answers[fmt.Sprint(got.status, got.body)] = true
		})
	}
	wg.Wait()
	if files, err := h.db.Files(t.Context(), "default", 100); err != nil || len(files) != 1 || len(answers) != 1 {
		t.Errorf("%d files, %v, answers %v", len(files), err, answers)
	}
	if blobs := blobsIn(t, h.folder); len(blobs) != 1 {
		t.Errorf("left behind: %v", blobs)
	}
}
