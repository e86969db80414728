package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

// onEngines runs a test on a house with each database.
func onEngines(t *testing.T, config string, run func(t *testing.T, h *rig.House)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		run(t, rig.New(t, rig.Options{Config: config}))
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		run(t, rig.New(t, rig.Options{Config: config, Flags: []string{"--database-url", rig.NewDatabase(t)}}))
	})
}

func make1(t *testing.T, h *rig.House, key, prompt, webhook string) string {
	t.Helper()
	body := fmt.Sprintf(`{"model":"stele/sandbox-image","prompt":%q,"webhook_url":%q}`, prompt, webhook)
	if webhook == "" {
		body = fmt.Sprintf(`{"model":"stele/sandbox-image","prompt":%q}`, prompt)
	}
	req, err := http.NewRequest(http.MethodPost, h.URL+"/api/v1/generations", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	a, err := h.Send(req)
	var made struct{ Data struct{ ID string } }
	if err != nil || json.Unmarshal([]byte(a.Body), &made) != nil || a.Status != http.StatusCreated {
		t.Fatalf("%d %s, %v", a.Status, a.Body, err)
	}
	return made.Data.ID
}

type shown struct {
	Data struct {
		Status string
		Error  struct{ Code, Message string }
	}
}

func show(t *testing.T, h *rig.House, key, id string) (got shown) {
	t.Helper()
	a := h.Get(t, "/api/v1/generations/"+id+"?wait=20", key)
	if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.Status != http.StatusOK {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	return got
}

// TestAGenerationThatKillsTheProcessTwiceIsSetAside kills the program while it is at one
// generation, twice. The others are made. Where both deaths met the other one as well, each
// is worked on alone from then on, and the third death tells.
func TestAGenerationThatKillsTheProcessTwiceIsSetAside(t *testing.T) {
	t.Parallel()
	onEngines(t, config, func(t *testing.T, h *rig.House) {
		h.Start(t)
		key := h.CreateKey(t).Key
		h.Await(t, key, http.StatusOK)
		innocent := make1(t, h, key, "[[sandbox: work=6s poll=2s]]", "")
		rig.Eventually(t, "the other one is being made", func() bool {
			return strings.Contains(h.Get(t, "/api/v1/generations/"+innocent, key).Body, `"status":"processing"`)
		})
		bad := make1(t, h, key, "[[sandbox: silence]]", "") // each look takes its time: there is the process killed
		working := func(id string) bool {
			raw, err := os.ReadFile(filepath.Join(h.Data, "working"))
			return err == nil && bytes.Contains(raw, []byte(id))
		}
		met, both := 0, 0 // deaths that met it, and those that met the other one as well
		for met < 2 || both == met {
			rig.Eventually(t, fmt.Sprintf("it is at the generation before death %d", met+1), func() bool { return working(bad) })
			h.Kill(t)
			if working(bad) {
				met++
				if working(innocent) {
					both++
				}
			}
			if both > 2 {
				t.Fatal("what was met by two deaths is not worked on alone")
			}
			h.Start(t)
		}
		if got := show(t, h, key, bad); got.Data.Status != "failed" || got.Data.Error.Code != "generation_failed" ||
			!strings.Contains(got.Data.Error.Message, "died twice") {
			t.Errorf("after two deaths it is %+v", got)
		}
		if got := show(t, h, key, innocent); got.Data.Status != "success" {
			t.Errorf("another one is %+v", got)
		}
	})
}

// TestAWebhookThatKillsTheProcessTwiceIsSetAside kills the program whenever a message
// arrives. It is not sent a third time, before an owner wants it.
func TestAWebhookThatKillsTheProcessTwiceIsSetAside(t *testing.T) {
	t.Parallel()
	onEngines(t, config+"egress: {allow_private: [127.0.0.0/8]}\n", func(t *testing.T, h *rig.House) {
		arrived, answer := make(chan string, 10), make(chan struct{})
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			arrived <- r.Header.Get("webhook-id")
			select {
			case <-answer:
			case <-r.Context().Done():
			}
		}))
		t.Cleanup(receiver.Close)
		h.Start(t)
		key := h.CreateKey(t).Key
		h.Await(t, key, http.StatusOK)
		make1(t, h, key, "plain", receiver.URL)
		var id string
		for range 2 {
			select {
			case id = <-arrived:
			case <-time.After(2 * time.Minute):
				t.Fatal("the message does not arrive")
			}
			h.Kill(t)
			h.Start(t)
		}
		var list []struct{ ID, State, Problem string }
		if err := json.Unmarshal([]byte(h.Run(t, "webhooks", "list", "--json")), &list); err != nil {
			t.Fatal(err)
		}
		if len(list) != 1 || list[0].ID != id || list[0].State != "set_aside" || !strings.Contains(list[0].Problem, "died twice") {
			t.Errorf("after two deaths: %+v", list)
		}
		if len(arrived) > 0 {
			t.Error("it was sent a third time")
		}
		close(answer)
		h.Run(t, "webhooks", "replay", id)
		select {
		case again := <-arrived:
			if again != id {
				t.Errorf("%s arrived, want %s", again, id)
			}
		case <-time.After(time.Minute):
			t.Error("what was sent again does not arrive")
		}
	})
}
