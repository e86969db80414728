package attack

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
)

// makerBytes is how much a provider of media sends that means harm.
const makerBytes = 200 << 20

// trap is a server at a private address that no provider may lead to.
type trap struct {
	*httptest.Server
	touched atomic.Int64
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	p := new(trap)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.touched.Add(1)
		_, _ = w.Write(rig.PlainPNG(t, 8, false))
	}))
	t.Cleanup(p.Close)
	return p
}

// enemy plays a provider of pictures, which does as the prompt of an order says. It speaks
// as Black Forest Labs do.
type enemy struct {
	*httptest.Server
	t    *testing.T
	trap *trap
}

// enemyWays are what it does, and how the order ends that asks for it; "" where it may be
// tried again for longer than a test takes.
var enemyWays = map[string]string{
	"FINE": "success", "HTML": "failed", "HTML ORDER": "failed", "NAMELESS": "failed", "LONG NAME": "failed", "ENDLESS ORDER": "failed", "ENDLESS POLL": "", "PACKED POLL": "", "WIDE POLL": "",
	"PRIVATE": "", "METADATA": "", "PRIVATE POLL": "", "MOVED": "", "MOVED AWAY": "", "PACKED": "failed", "SHORT": "", "FILE": "",
}

func newEnemy(t *testing.T) *enemy {
	t.Helper()
	e := &enemy{t: t, trap: newTrap(t)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/{model}", e.order)
	mux.HandleFunc("GET /v1/get_result", e.look)
	mux.HandleFunc("GET /out/{way}", e.output)
	e.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		e.CloseClientConnections()
		e.Close()
	})
	return e
}

func (e *enemy) order(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Prompt string }
	_ = json.NewDecoder(r.Body).Decode(&asked)
	way := strings.ReplaceAll(asked.Prompt, " ", "_")
	poll := e.URL + "/v1/get_result?id=" + way
	w.Header().Set("Content-Type", "application/json")
	switch asked.Prompt {
	case "HTML ORDER":
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>Welcome</html>")
	case "NAMELESS":
		_, _ = io.WriteString(w, `{}`)
	case "LONG NAME":
		fmt.Fprintf(w, `{"id":%q,"polling_url":%q}`, strings.Repeat("x", 1<<20), poll)
	case "ENDLESS ORDER":
		pour(w, `{"id":"`, "x")
	case "PRIVATE POLL":
		fmt.Fprintf(w, `{"id":%q,"polling_url":%q}`, way, e.trap.URL+"/v1/get_result?id=1")
	default:
		fmt.Fprintf(w, `{"id":%q,"polling_url":%q}`, way, poll)
	}
}

func (e *enemy) look(w http.ResponseWriter, r *http.Request) {
	way := r.URL.Query().Get("id")
	w.Header().Set("Content-Type", "application/json")
	sample := e.URL + "/out/" + way
	switch way {
	case "ENDLESS_POLL":
		pour(w, `{"id":"`, "x")
		return
	case "PACKED_POLL":
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		pour(packed, `{"id":"`, "x")
		return
	case "WIDE_POLL":
		pour(w, `{"id":[`, "{},")
		return
	case "PRIVATE":
		sample = e.trap.URL + "/picture.png"
	case "METADATA":
		sample = "http://169.254.169.254/latest/meta-data"
	case "FILE":
		sample = "file:///etc/passwd"
	}
	fmt.Fprintf(w, `{"id":%q,"status":"Ready","result":{"sample":%q}}`, way, sample)
}

func (e *enemy) output(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	picture := rig.PlainPNG(e.t, 8, false)
	switch r.PathValue("way") {
	case "HTML":
		_, _ = io.WriteString(w, "<html><script>alert(1)</script></html>")
	case "MOVED":
		w.Header().Set("Location", r.URL.Path+"?n="+r.URL.Query().Get("n")+"1")
		w.WriteHeader(http.StatusFound)
	case "MOVED_AWAY":
		w.Header().Set("Location", e.trap.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	case "PACKED":
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		pour(packed, "", "\x00")
		_ = packed.Close()
	case "SHORT":
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write(picture)
	default:
		_, _ = w.Write(picture)
	}
}

// pour writes the same again and again.
func pour(w io.Writer, first, again string) {
	_, err := io.WriteString(w, first)
	again = strings.Repeat(again, 64<<10/len(again))
	for sent := 0; err == nil && sent < makerBytes; sent += len(again) {
		_, err = io.WriteString(w, again)
	}
}

// A provider of media does harm in every way it can, in orders that come together.
func TestProvidersOfMediaDoHarm(t *testing.T) { //nolint:paralleltest // besiege sees to that
	e := newEnemy(t)
	s := besiege(t, "")
	models, accounts := rig.Painters(t, map[string]string{"enemy": e.URL})
	s.Configure(t, strings.Replace(s.config, "providers:\n", models+"providers:\n"+accounts, 1))
	s.Run(t, "config", "reload")
	ids := make(map[string]string)
	s.under(t, func() {
		for way := range enemyWays {
			a := s.send(t, "/api/v1/generations", "application/json", strings.NewReader(fmt.Sprintf(`{"model":"enemy/picture","prompt":%q}`, way)))
			if ids[way] = rig.Text(rig.Parse(t, a.Body), "data", "id"); a.Status != http.StatusCreated {
				t.Fatalf("%s: %d %s", way, a.Status, a.Body)
			}
		}
		<-time.After(3 * time.Second)
	})
	for way, want := range enemyWays {
		wait := "?wait=0"
		if want != "" {
			wait = "?wait=60"
		}
		a := s.Get(t, "/api/v1/generations/"+ids[way]+wait, s.bad.Key)
		got := rig.Text(rig.Parse(t, a.Body), "data", "status")
		if want != "" && got != want || want == "" && got == "success" {
			t.Errorf("%s is %s: %s", way, got, a.Body)
		}
		if got != "success" && (strings.Contains(a.Body, "169.254") || strings.Contains(a.Body, "127.0.0.1")) {
			t.Errorf("%s tells addresses: %s", way, a.Body)
		}
	}
	if n := e.trap.touched.Load(); n != 0 {
		t.Errorf("a private address was asked %d times", n)
	}
}
