// Package attack is what an enemy of Stele does: strangers, tenants and members
// that take more than their part. Routes come from routes.txt, which a test of the
// program holds against its tables, so that a new route is attacked without its author
// thinking of it. `make attack` runs it with the full counts.
package attack

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// siege is a house with two tenants: one that attacks and one that goes on working.
type siege struct {
	*rig.House

	bad, good rig.Key      // keys of two workspaces
	browser   *http.Client // signed in as the administrator
	roots     *x509.CertPool
	config    string
	up        *upstream
	neighbour *neighbour
	idle      int64
	most      int64 // how far the process may grow over that
}

// card is an app of one step, with a picture of so many dots.
const card = `
app: card
media_type: image
inputs: [{name: headline, type: string, required: true}]
steps:
  - id: card
    generate: {model: stele/canvas, mode: text_to_image, with: {prompt: "${inputs.headline}", style: card, size: %d, seed: 7}}
result: {images: "${steps.card.images}"}
`

// besiege starts a house, warms it up and looks at its size.
func besiege(t *testing.T, extra string) *siege {
	t.Helper()
	return besiegeWith(t, extra, nil)
}

// besiegeSecure is besiege for a house that serves TLS.
func besiegeSecure(t *testing.T) *siege {
	t.Helper()
	folder, roots := t.TempDir(), x509.NewCertPool()
	rig.Certificate(t, folder, 1, roots)
	return besiegeWith(t, fmt.Sprintf("tls: {cert_file: %[1]s/cert.pem, key_file: %[1]s/key.pem}\n", folder), roots)
}

func besiegeWith(t *testing.T, extra string, roots *x509.CertPool) *siege {
	t.Helper()
	return besiegeOn(t, extra, roots)
}

// besiegeOn is besiegeWith for a house that is started with flags.
func besiegeOn(t *testing.T, extra string, roots *x509.CertPool, flags ...string) *siege {
	t.Helper()
	besideOthers(t)
	s := &siege{up: newUpstream(t), roots: roots, most: mostOver}
	app := filepath.Join(t.TempDir(), "card.yaml")
	if err := os.WriteFile(app, fmt.Appendf(nil, card, picture), 0o600); err != nil {
		t.Fatal(err)
	}
	s.config = fmt.Sprintf(`
apps: [%[6]q]
metrics: {listen: "127.0.0.1:0"}
egress: {allow_private: [%[5]s/32], ca_file: %[7]q}
providers:
  far: {kind: vllm, base_url: %[8]q, models: ["*"]}
  self: {kind: vllm, base_url: %[1]q, models: ["*"]}
  gem: {kind: gemini, base_url: %[2]q, api_key: secret, models: ["*"]}
  ant: {kind: anthropic, base_url: %[2]q, api_key: secret, models: ["*"]}
models:
  shared: {targets: [self/steady], retries: 0}
%[3]s%[4]s`, s.up.URL+"/v1", s.up.URL, bounds, extra, receivers, app, s.up.authority(t), s.up.far.URL+"/v1")
	s.House = rig.Start(t, rig.Options{Config: s.config, Roots: roots, Flags: flags})
	s.browser = rig.Settle(t, s.House).Client
	s.Run(t, "workspaces", "create", "victim")
	s.bad, s.good = s.CreateKey(t), s.CreateKey(t, "--workspace", "victim")
	s.Await(t, s.good.Key, http.StatusOK)
	s.neighbour = newNeighbour(t, s)
	s.idle = rig.AtRest(t, s.PID())
	return s
}

// attack is something that an enemy does, and what must be true of it.
type attack struct {
	name string
	do   func(*testing.T, *siege)
}

// onOneHouse makes attacks on the same house, one after the other.
func onOneHouse(t *testing.T, all ...attack) {
	t.Helper()
	onOne(t, func(t *testing.T) *siege {
		t.Helper()
		return besiege(t, "")
	}, all...)
}

// onOne is onOneHouse for one that is besieged in another way. Where times and memory are judged, each attack has a house
// of its own.
func onOne(t *testing.T, besiege func(*testing.T) *siege, all ...attack) {
	t.Helper()
	if judged {
		for _, a := range all {
			t.Run(a.name, func(t *testing.T) { a.do(t, besiege(t)) })
		}
		return
	}
	s := besiege(t)
	for _, a := range all {
		t.Run(a.name, func(t *testing.T) { a.do(t, s.again(t)) })
	}
}

// again is the house after an attack: what it holds now is what it has before the next, and its visitor must not have
// lost the session, since that would find nothing.
func (s *siege) again(t *testing.T) *siege {
	t.Helper()
	if status, _ := s.page(t, "/console/keys"); status != http.StatusOK {
		t.Fatalf("the administrator's page after the attack before: %d", status)
	}
	next := *s
	next.idle = rig.AtRest(t, s.PID())
	s.up.heard()
	return &next
}

// greet is what the good tenant does all day.
func (s *siege) greet(t testing.TB) {
	t.Helper()
	if err := s.tryGreet(t.Context()); err != nil {
		t.Error(err)
	}
}

func (s *siege) tryGreet(ctx context.Context) error {
	const hello = `{"model":"stele/sandbox","messages":[{"role":"user","content":"Good morning"}]}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v1/chat/completions", strings.NewReader(hello))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.good.Key)
	a, err := s.Send(r)
	if err == nil && a.Status != http.StatusOK {
		err = fmt.Errorf("the good tenant was answered %d: %.200s", a.Status, a.Body)
	}
	return err
}

// under makes an attack while the good tenant goes on working, and then sees what
// the attack has cost: no other client may have noticed.
func (s *siege) under(t *testing.T, attack func()) {
	t.Helper()
	s.watch(t, attack, true)
}

// beside lets the good tenant do its work beside an attack that goes on by itself.
func (s *siege) beside(t *testing.T) {
	t.Helper()
	s.watch(t, func() { s.neighbour.wait(t) }, false)
}

func (s *siege) watch(t *testing.T, attack func(), over bool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var good sync.WaitGroup
	good.Go(func() { s.neighbour.work(t, ctx) })
	before := s.processor(t)
	attack()
	stop()
	good.Wait()
	grown, computed := s.memory(t, "VmHWM")-s.idle, s.processor(t)-before
	s.neighbour.judge(t, over)
	t.Logf("%d MB over idle; %s of processor", grown>>20, computed)
	if grown > s.most {
		t.Errorf("the process grew by %d MB", grown>>20)
	}
	s.greet(t)
}

// memory reads a figure of the process, in bytes: VmRSS now, VmHWM at its highest.
func (s *siege) memory(t *testing.T, name string) int64 {
	t.Helper()
	return rig.Memory(t, name, s.PID())
}

// processor is how long the process has computed so far.
func (s *siege) processor(t *testing.T) time.Duration {
	t.Helper()
	return rig.CPUTime(t, s.PID())
}

// post sends something as the browser does and gives the answer, whatever it is.
func (s *siege) post(t testing.TB, path, kind string, body io.Reader) rig.Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	response, err := s.browser.Do(r)
	if err != nil {
		return rig.Answer{Body: err.Error()}
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	return rig.Answer{Status: response.StatusCode, Header: response.Header, Body: string(text)}
}

// chat sends a chat of the bad tenant.
func (s *siege) chat(t testing.TB, body string) rig.Answer {
	t.Helper()
	return s.send(t, "/api/v1/chat/completions", "application/json", strings.NewReader(body))
}

// send sends a request of the bad tenant. A connection that is broken off is an
// answer, too.
func (s *siege) send(t testing.TB, path, kind string, body io.Reader) rig.Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.bad.Key)
	r.Header.Set("Content-Type", kind)
	a, err := s.Send(r)
	if err != nil {
		return rig.Answer{Body: err.Error()}
	}
	return a
}

// upstream is a self-hosted model server that believes all it is told.
type upstream struct {
	*httptest.Server

	far *httptest.Server // the same one over TLS and HTTP/2, as providers are reached

	mu    sync.Mutex // guards what follows
	paths []string
	said  []string // bodies, the beginning of each
	bytes int64    // of all bodies
}

func newUpstream(t *testing.T) *upstream {
	u := new(upstream)
	u.Server, u.far = httptest.NewServer(http.HandlerFunc(u.serve)), httptest.NewUnstartedServer(http.HandlerFunc(u.serve))
	u.far.EnableHTTP2 = true
	u.far.StartTLS()
	t.Cleanup(func() {
		for _, s := range []*httptest.Server{u.Server, u.far} {
			s.CloseClientConnections()
			s.Close()
		}
	})
	return u
}

// authority is a file with what the far server's certificate is trusted by.
func (u *upstream) authority(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: u.far.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (u *upstream) serve(w http.ResponseWriter, r *http.Request) {
	head, _ := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	rest, _ := io.Copy(io.Discard, r.Body)
	u.mu.Lock()
	u.paths = append(u.paths, r.URL.EscapedPath())
	u.said = append(u.said, string(head))
	u.bytes += int64(len(head)) + rest
	u.mu.Unlock()
	var asked struct{ Model string }
	_ = json.Unmarshal(head, &asked)
	_, way, without := strings.Cut(string(head), "ENDLESS ")
	switch {
	case without:
		endlessly(w, r, strings.TrimRight(way[:min(len(way), strings.IndexByte(way+`"`, '"'))], " "))
	case strings.Contains(string(head), "BREAK"):
		w.WriteHeader(http.StatusInternalServerError)
	case strings.Contains(string(head), "SILENCE"):
		<-r.Context().Done()
	case strings.HasSuffix(r.URL.Path, "/models"):
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"steady","object":"model"}]}`)
	case strings.HasSuffix(r.URL.Path, "/messages"):
		fmt.Fprintf(w, `{"id":"m","type":"message","role":"assistant","model":%q,"content":[{"type":"text","text":"yes"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`, asked.Model)
	case strings.Contains(r.URL.Path, "enerateContent"):
		_, _ = io.WriteString(w, `{"candidates":[{"content":{"role":"model","parts":[{"text":"yes"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`)
	default:
		fmt.Fprintf(w, `{"id":"c","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`, asked.Model)
	}
}

// heard gives what the upstream was told so far, and forgets it.
func (u *upstream) heard() (paths, said []string, bytes int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	paths, said, bytes = u.paths, u.said, u.bytes
	u.paths, u.said, u.bytes = nil, nil, 0
	return paths, said, bytes
}
