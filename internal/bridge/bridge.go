// Package bridge is a door on a developer's own loopback. It speaks what the server's
// routes do not, OpenAI's Responses API above all, and asks those routes with the
// developer's key. It must not know rooms or the database: of the server it knows the
// address.
package bridge

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"stele/internal/fault"
	"stele/internal/uid"
)

// Options are what a bridge is made of.
type Options struct {
	Server string       // the server's address, without a slash at its end
	Key    string       // the developer's key: clients of the bridge need none
	Client *http.Client // the way to the server
	Kept   *Kept        // responses that later ones may refer to
	Log    *slog.Logger // one line for each request
}

// Bridge answers clients. It is safe for concurrent use.
type Bridge struct {
	Options

	proxy      http.Handler
	runs       runs
	unthinking sync.Map // by their ids, models that do not think where they have tools
}

// New makes a bridge.
func New(o Options) *Bridge {
	b := &Bridge{Options: o, runs: runs{byID: make(map[string]*run)}}
	b.proxy = b.newProxy()
	return b
}

const (
	headerTime = 10 * time.Second // for a client to send its header
	idleTime   = 2 * time.Minute  // a connection waits for the next request
	drainTime  = 10 * time.Second // open answers may go on when the bridge ends
)

// Serve answers at a listener until the context ends. Answers that are open then may go
// on for a moment.
func (b *Bridge) Serve(ctx context.Context, at net.Listener) error {
	server := &http.Server{Handler: b, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, ErrorLog: slog.NewLogLogger(b.Log.Handler(), slog.LevelDebug)}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(at) }()
	defer b.runs.stop()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	drain, stop := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer stop()
	err := server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-ended
	return err
}

// call is one request to the bridge, and what its log line says of it.
type call struct {
	*http.Request

	path    string // below the base URL of any client: /v1/… or /v1beta/…
	id      string
	dropped []string // what of it is not carried
}

// ServeHTTP answers one request.
func (b *Bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start, c, out := time.Now(), &call{Request: r, path: pathOf(r), id: uid.New("req")}, &written{ResponseWriter: w, codex: isCodex(r.Header)}
	defer func() {
		b.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("request_id", c.id), slog.String("method", r.Method), slog.String("path", c.path),
			slog.Int("status", out.status), slog.Duration("took", time.Since(start)), slog.String("dropped", strings.Join(c.dropped, ", ")))
	}()
	out.Header().Set("X-Request-Id", c.id)
	err := admit(r)
	if err == nil {
		err = b.route(out, c)
	}
	if err != nil {
		fail(out, c, err)
	}
}

// pathOf is the path as all clients mean it, however much of it their base URL has: with
// the server's own /api or not, with a version twice or for OpenAI's and Anthropic's clients
// with none, with slashes too many, and for Google's in whichever version of its API. Before
// it may stand whose API it is: Groq's SDK and Azure's clients write /openai/v1, the AI SDK's
// provider for DeepInfra /v1/openai, and Google has OpenAI's API at /v1beta/openai.
func pathOf(r *http.Request) string {
	segments := slices.DeleteFunc(strings.Split(r.URL.EscapedPath(), "/"), func(s string) bool { return s == "" })
	for len(segments) > 0 && (isPrefix(segments[0]) || isVersion(segments[0]) && len(segments) > 1 && (isPrefix(segments[1]) || isVersion(segments[1]))) {
		segments = segments[1:]
	}
	path := "/" + strings.Join(segments, "/")
	for _, root := range []string{"/responses", "/conversations", "/chat/completions", "/models", "/messages"} {
		if within(path, root) {
			path = "/v1" + path
		}
	}
	for _, version := range []string{"/v1", "/v1alpha", "/v1beta1"} {
		if id, ok := strings.CutPrefix(path, version+"/models"); ok && within(path, version+"/models") && (version != "/v1" || ofGoogle(r)) {
			return "/v1beta/models" + id
		}
	}
	return path
}

func isPrefix(segment string) bool {
	return slices.Contains([]string{"api", "openai", "anthropic", "gemini", "google"}, segment)
}

func isVersion(segment string) bool {
	return segment == "v1" || strings.HasPrefix(segment, "v1alpha") || strings.HasPrefix(segment, "v1beta")
}

// ofGoogle tells a request for models at /v1 of Google's client from one of OpenAI's, which
// posts nothing there.
func ofGoogle(r *http.Request) bool {
	return r.Method == http.MethodPost || r.Header.Get("X-Goog-Api-Client")+r.Header.Get("X-Goog-Api-Key") != ""
}

func within(path, prefix string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || rest[0] == '/')
}

// route answers what the bridge speaks itself and passes on the rest.
func (b *Bridge) route(w http.ResponseWriter, c *call) error {
	if model, ok := deploymentOf(c.path); ok && c.Method == http.MethodPost {
		return b.passDeployment(w, c, model)
	}
	switch method, path := c.Method, c.path; {
	case path == "/":
		_, err := io.WriteString(w, "stele bridge\n")
		return err
	case within(path, "/v1/responses"):
		return b.responses(w, c, strings.Trim(strings.TrimPrefix(path, "/v1/responses"), "/"))
	case within(path, "/v1/conversations"):
		return b.conversations(w, c, strings.Trim(strings.TrimPrefix(path, "/v1/conversations"), "/"))
	case method == http.MethodGet && strings.HasPrefix(path, "/v1/models/"):
		return b.oneModel(w, c, strings.TrimPrefix(path, "/v1/models/"))
	case method == http.MethodPost && path == "/v1/messages/count_tokens":
		return b.countMessages(w, c)
	case method == http.MethodGet && within(path, "/v1beta/models"):
		return b.geminiModels(w, c, strings.Trim(strings.TrimPrefix(path, "/v1beta/models"), "/"))
	case method == http.MethodPost && strings.HasPrefix(path, "/v1beta/models/") && strings.HasSuffix(path, ":countTokens"):
		return b.countContents(w, c)
	case within(path, "/v1"), within(path, "/v1beta"):
		b.pass(w, c)
		return nil
	}
	return fault.New(fault.NotFound, "There is nothing at %s. A base URL for this bridge ends in /v1 for OpenAI's clients and has no path for Anthropic's and Google's.", c.path)
}

// responses answers what is under /v1/responses.
func (b *Bridge) responses(w http.ResponseWriter, c *call, rest string) error {
	id, tail, _ := strings.Cut(rest, "/")
	switch {
	case rest == "" && c.Method == http.MethodPost:
		return b.respond(w, c)
	case rest == "" && strings.EqualFold(c.Header.Get("Upgrade"), "websocket"):
		// Codex takes this status as the word to go on over HTTP.
		w.WriteHeader(http.StatusUpgradeRequired)
		return nil
	case rest == "compact" && c.Method == http.MethodPost:
		return b.compact(w, c)
	case rest == "input_tokens" && c.Method == http.MethodPost:
		return b.countResponse(w, c)
	case tail == "input_items" && c.Method == http.MethodGet:
		return b.listInput(w, c, id)
	case tail == "cancel" && c.Method == http.MethodPost:
		return b.cancelResponse(w, c, id)
	case tail == "" && rest != "" && c.Method == http.MethodGet:
		return b.showResponse(w, c, id)
	case tail == "" && rest != "" && c.Method == http.MethodDelete:
		return b.deleteResponse(w, id)
	}
	return refuseUnserved(c)
}

// written remembers the status of an answer.
type written struct {
	http.ResponseWriter
	status int
	codex  bool // the client is Codex
}

func (w *written) WriteHeader(status int) {
	if w.codex {
		status = finalFor(status, w.Header())
	}
	w.status = cmp.Or(w.status, status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *written) Write(b []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Unwrap lets an http.ResponseController flush.
func (w *written) Unwrap() http.ResponseWriter { return w.ResponseWriter }
