package upstream

import (
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// Key is the key a server expects unless an option says otherwise.
const Key = "upstream-key"

// Server is one fake API. Its methods may be called at any time by anyone.
type Server struct {
	URL string // without a path: what the API's host would be

	api     api
	key     string
	models  []string
	secret  []byte
	lenient bool
	server  *http.Server
	closing chan struct{}
	hangups chan *Recorded

	mu       sync.Mutex // guards what follows
	queue    []Answer
	handle   func(*Recorded) Answer
	requests []*Recorded
	issued   map[string]string // anthropic: the thinking that came with a tool call
}

// api is what differs between the three.
type api interface {
	door
	voice
}

// door is who and what is let in.
type door interface {
	// route says what a request is for, or why it is for nothing.
	route(r *Recorded) (route, *Refusal)
	// admit checks the key.
	admit(r *Recorded, key string) *Refusal
	// check compares a chat request with all that the API demands.
	check(s *Server, c *chat) *Refusal
	// list is the API's list of models.
	list(models []string) Reply
}

// voice is how a request is answered.
type voice interface {
	// understand gathers what a chat request asks for. It must bear anything.
	understand(c *chat) ask
	// render says the plan, whole or streamed.
	render(x *Exchange) Reply
	// fail is the API's own error body.
	fail(f failure) Reply
	// event is one event of a stream, framed as the API does.
	event(json string) []byte
}

// route is what a path asks for.
type route struct {
	models bool   // the list of models
	model  string // gemini has it in the path
	stream bool
	array  bool // gemini: a stream as one JSON array
}

// chat is a chat request that has been read.
type chat struct {
	*Recorded
	route

	body object
}

// essence is the request without what has no part in the answer: its spacing, the
// order of its names, and how the answer is to be sent.
func (c *chat) essence() []byte {
	if c.body == nil {
		return c.Body
	}
	plain := maps.Clone(c.body)
	delete(plain, "stream")
	delete(plain, "stream_options")
	return encode(plain)
}

// Option makes a server differ from the usual.
type Option func(*Server)

// WithKey sets the key the server expects.
func WithKey(key string) Option { return func(s *Server) { s.key = key } }

// WithModels sets the models the server knows; any other is not found.
func WithModels(ids ...string) Option { return func(s *Server) { s.models = ids } }

// WithSecret sets what signatures are made with. Two servers with different secrets
// refuse each other's.
func WithSecret(secret string) Option { return func(s *Server) { s.secret = []byte(secret) } }

// Lenient takes any chat request that has the right key and path, as servers do
// that only resemble the real one, and for bytes the real one has no rule for.
func Lenient() Option { return func(s *Server) { s.lenient = true } }

// NewOpenAI starts a server that speaks Chat Completions under URL + "/v1".
func NewOpenAI(t testing.TB, options ...Option) *Server {
	t.Helper()
	return start(t, openai{}, options)
}

// NewAnthropic starts a server that speaks Messages under URL.
func NewAnthropic(t testing.TB, options ...Option) *Server {
	t.Helper()
	return start(t, anthropic{}, options)
}

// NewGemini starts a server that speaks generateContent under URL.
func NewGemini(t testing.TB, options ...Option) *Server {
	t.Helper()
	return start(t, gemini{}, options)
}

func start(t testing.TB, a api, options []Option) *Server {
	t.Helper()
	s := &Server{
		api: a, key: Key, secret: []byte("upstream"), closing: make(chan struct{}),
		hangups: make(chan *Recorded, 1<<16), issued: make(map[string]string),
	}
	for _, option := range options {
		option(s)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.URL = "http://" + listener.Addr().String()
	s.server = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- s.server.Serve(listener) }()
	t.Cleanup(func() {
		close(s.closing) // ends those who wait for a client
		s.server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return s
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	rec := record(r, body)
	defer rec.watch(s, r)()
	c := &chat{Recorded: rec}
	if err == nil {
		rec.Refusal = s.examine(c)
	}
	s.mu.Lock()
	s.requests = append(s.requests, rec)
	s.mu.Unlock()
	if err != nil {
		rec.left(s) // in the middle of its body
		panic(http.ErrAbortHandler)
	}
	rec.send(s, w, r, s.answer(c))
}

// examine fills c and says why it cannot be answered, if so.
func (s *Server) examine(c *chat) *Refusal {
	var refusal *Refusal
	if c.route, refusal = s.api.route(c.Recorded); refusal != nil {
		return refusal
	}
	if refusal = s.api.admit(c.Recorded, s.key); refusal != nil || c.models {
		return refusal
	}
	return s.read(c)
}

// answer is what a request deserves: a refusal first, then what was scripted, then
// the usual.
func (s *Server) answer(c *chat) Reply {
	switch {
	case c.Refusal != nil:
		return c.Refusal.reply
	case c.models:
		return s.api.list(s.models)
	}
	x := &Exchange{Recorded: c.Recorded, Stream: c.stream, server: s, chat: c, ask: s.api.understand(c)}
	x.ask.model, x.essence = c.model, c.essence()
	x.ask.size = len(x.essence)
	x.ask.cached = x.ask.cached || x.ask.cachesLong && x.ask.size >= 4096
	x.Plan = x.ask.plan()
	defer func() { x.billed(x.count()) }() // when the plan is settled
	if scripted := s.next(c.Recorded); scripted != nil {
		return scripted(x, s.api.render(x))
	}
	return s.api.render(x)
}

// read decodes the body and checks it.
func (s *Server) read(c *chat) *Refusal {
	v, err := decode(c.Body)
	c.body, _ = v.(object)
	if c.model == "" {
		c.model = textAt(v, "model")
	}
	c.Model = c.model
	if _, isGemini := s.api.(gemini); !isGemini {
		c.stream = boolAt(v, "stream")
	}
	switch {
	case s.lenient:
		return nil
	case err != nil || c.body == nil:
		return refuse(s.api, failure{status: http.StatusBadRequest, kind: notJSON})
	}
	if refusal := s.api.check(s, c); refusal != nil {
		return refusal
	}
	if s.models != nil && !slices.Contains(s.models, c.model) {
		return refuse(s.api, failure{status: http.StatusNotFound, kind: noModel, about: c.model})
	}
	return nil
}
