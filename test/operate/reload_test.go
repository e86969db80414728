package operate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"stele/test/rig"
)

// offering is a configuration with these chat models.
func offering(models ...string) string {
	var b strings.Builder
	b.WriteString("providers:\n  dummy: {kind: openai, base_url: http://127.0.0.1:9/v1}\nmodels:\n")
	for _, m := range models {
		fmt.Fprintf(&b, "  %s: {targets: [dummy/any]}\n", m)
	}
	return b.String()
}

// offered are the models a client sees.
func offered(t *testing.T, h *rig.House, key string) []string {
	t.Helper()
	a := h.Get(t, "/api/v1/models", key)
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(a.Body), &list); err != nil || a.Status != http.StatusOK {
		t.Fatalf("the model list: %d %s (%v)", a.Status, a.Body, err)
	}
	var ids []string
	for _, m := range list.Data {
		ids = append(ids, m.ID)
	}
	return ids
}

// ways are how a running server is told to read its configuration again. Each
// returns what the operator then reads about it, success or not.
var ways = []struct {
	name   string
	reload func(*testing.T, *rig.House) (told string, ok bool)
}{
	{"SIGHUP", func(t *testing.T, h *rig.House) (string, bool) {
		t.Helper()
		isNews := func(l rig.Line) bool { return strings.HasPrefix(l.Text("msg"), "configuration ") }
		before := count(h.Log(t), isNews)
		h.Signal(t, syscall.SIGHUP)
		var news rig.Line
		rig.Eventually(t, "the log tells of the reload", func() bool {
			lines := slices.DeleteFunc(h.Log(t), func(l rig.Line) bool { return !isNews(l) })
			if len(lines) > before {
				news = lines[before]
			}
			return news != nil
		})
		return news.Text("error"), news.Text("level") == "INFO"
	}},
	{"command", func(t *testing.T, h *rig.House) (string, bool) {
		t.Helper()
		r := h.Try(t, "config", "reload")
		return r.Stdout + r.Stderr, r.Code == 0
	}},
}

func count(lines []rig.Line, fits func(rig.Line) bool) int {
	n := 0
	for _, l := range lines {
		if fits(l) {
			n++
		}
	}
	return n
}

func TestReloadNeedsNoRestart(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			h := rig.Start(t, rig.Options{Config: offering("one", "two")})
			key := h.CreateKey(t, "--allow-model", "one", "--allow-model", "two", "--allow-model", "three", "--allow-model", "acme/*").Key // and nothing built in
			h.Await(t, key, http.StatusOK)
			pid := h.PID()
			for _, models := range [][]string{{"one", "two"}, {"three"}, {"two", "acme/four"}} {
				h.Configure(t, offering(models...))
				if told, ok := way.reload(t, h); !ok {
					t.Errorf("not reloaded: %s", told)
				}
				if got := offered(t, h, key); !slices.Equal(got, models) {
					t.Errorf("offered %v, want %v", got, models)
				}
			}
			if h.PID() != pid {
				t.Error("the server was restarted")
			}
		})
	}
}

// TestReloadOfABrokenFileChangesNothing breaks the file itself, and then a file it names.
func TestReloadOfABrokenFileChangesNothing(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			h := rig.Start(t, rig.Options{Config: offering("one")})
			key := h.CreateKey(t, "--allow-model", "one", "--allow-model", "two", "--allow-model", "three", "--allow-model", "acme/*").Key // and nothing built in
			h.Await(t, key, http.StatusOK)

			media := filepath.Join(filepath.Dir(h.Config), "canvas.yaml")
			if err := os.WriteFile(media, []byte("model: acme/canvas\nmedia_type: picture\noperations: []\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, broken := range []struct{ name, config, place string }{
				{"an unknown field", offering("two") + "  three: {target: [dummy/any]}\n", h.Config + ":5:11"},
				{"a target that is not there", offering("two") + "  three: {targets: [dumy/any]}\n", h.Config + ":5:21"},
				{"no YAML", "models: [\n", h.Config + ":1:9"},
				{"a broken model file", offering("two") + "media_models: [./canvas.yaml]\n", media + ":2:13"},
			} {
				h.Configure(t, broken.config)
				told, ok := way.reload(t, h)
				if ok || !strings.Contains(told, broken.place) {
					t.Errorf("%s: reloaded %v, told %q, want the place %s", broken.name, ok, told, broken.place)
				}
				if got := offered(t, h, key); !slices.Equal(got, []string{"one"}) {
					t.Errorf("%s: offered %v now", broken.name, got)
				}
			}
		})
	}
}

// TestReloadTellsWhatNeedsARestart changes a setting that only a restart can take.
func TestReloadTellsWhatNeedsARestart(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{Config: offering("one")})
	h.Configure(t, "public_url: https://ai.example.com\n"+offering("two"))
	if told := h.Run(t, "config", "reload"); !strings.Contains(told, "a restart is needed for: public_url") {
		t.Errorf("told %q", told)
	}
	h.Stop(t)
	if r := h.Try(t, "config", "reload"); r.Code == 0 || !strings.Contains(r.Stderr, "no server is running") {
		t.Errorf("without a server: exit code %d, %s", r.Code, r.Stderr)
	}
}

// TestHangUpAtTheGreetingIsHeard sends SIGHUP, which by itself ends a process, at
// the moment the server says that it serves.
func TestHangUpAtTheGreetingIsHeard(t *testing.T) {
	t.Parallel()
	h := rig.New(t, rig.Options{Config: offering("one")})
	for range 10 {
		h.Launch(t)
		h.Signal(t, syscall.SIGHUP)
		h.AwaitLine(t, "that it has reloaded", func(l rig.Line) bool { return l.Text("msg") == "configuration reloaded" })
		h.Stop(t)
	}
}
