package sdk

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// client is an official Go SDK, unmodified and with its retries off.
type client struct {
	name    string
	dialect string
	open    func(t *testing.T, s *stage, w manner) talk
	failed  func(error) (failure, bool) // the error of the SDK's own class
	terms   map[string]string           // what the SDK calls what can go wrong
}

func clients() []client {
	return []client{openAIMatrix(), anthropicMatrix(), geminiMatrix()}
}

// talk is a conversation over an SDK, held and kept the way its users do it.
type talk interface {
	// say says something to the model and returns what it answers.
	say(ctx context.Context, w words) (answer, error)
	// give tells the model what the tools said that it has called.
	give(ctx context.Context, results ...result) (answer, error)
	// move goes on with another model, all that was said included.
	move(t *testing.T, model string)
	// heard is the header of the last answer.
	heard() http.Header
}

// manner is how a conversation is to be.
type manner struct {
	model   string // as the client names it
	stream  bool   // by way of the SDK's own helper for streams, where there is one
	system  string
	tools   []tool
	choice  string         // "", any, none or the name of a tool
	schema  map[string]any // of the answer
	think   bool
	quiet   bool     // the model that thinks shall not show it
	most    int      // tokens of the answer; 0 is enough for all
	stops   []string // what ends the answer
	cool    bool     // with a temperature
	strict  bool     // in strict mode
	private bool     // with options that no other dialect has
	watch   func()   // called for every piece of a stream
}

// tool is a function that the model may call.
type tool struct {
	name, description string
	schema            map[string]any
}

// words is what a user says.
type words struct {
	text  string
	image []byte // PNG
	pdf   []byte
}

// toolCall is a tool that the model wants to be called.
type toolCall struct {
	id, name string
	args     map[string]any
}

// result is what a tool has said.
type result struct {
	toolCall

	text   string
	failed bool
	image  []byte // PNG, where the dialect has images in results
}

// answer is what the model has said, in the same words for every SDK.
type answer struct {
	text    string
	thought string
	calls   []toolCall
	stop    string // end, tools, length, refusal
	in, out int64
	thinks  int64 // tokens
	cached  int64 // tokens
	model   string
}

// mustFail says what must end in an error, by itself: a client that has to be torn away
// from an answer that never ends has not heard one.
func mustFail(t *testing.T, k talk, w words) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a, err := k.say(ctx, w)
	switch {
	case ctx.Err() != nil:
		t.Errorf("the answer does not end: %v", err)
	case err == nil:
		t.Errorf("no error after %+v", a)
	}
	return err
}

// tape hears what an SDK is answered with.
type tape struct {
	t  *testing.T
	mu sync.Mutex // guards h
	h  http.Header
}

func newTape(t *testing.T) (*tape, *http.Client) {
	t.Helper()
	tape := &tape{t: t}
	return tape, &http.Client{Transport: tape, Timeout: 2 * time.Minute}
}

// RoundTrip implements http.RoundTripper.
func (p *tape) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.h = response.Header
	for name, values := range response.Header {
		if text := strings.Join(values, ","); strings.Contains(text, "org-of-the-operator") {
			p.t.Errorf("the header %s tells %s", name, text)
		}
	}
	if response.Header.Get("X-Request-Id") == "" {
		p.t.Error("no X-Request-Id")
	}
	return response, nil
}

func (p *tape) heard() http.Header {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.h
}
