package blueprint

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"stele/internal/generation"
	"stele/internal/media"
)

// suiteProvider is a maker and the stage it stands on. The suite is what every media
// provider must do, whatever it is made of.
type suiteProvider struct {
	Stage   *fakeStage
	Open    func() generation.Maker // as a fresh process would have it
	Dead    func() generation.Maker // one whose provider cannot be reached
	Request media.Request
	Outputs [][]byte
	Secret  string // that no client may read

	Refusals []media.Class // that the provider has words for
	Failures []media.Class // of accepted work
	Whole    bool          // answers only when the work is done: nothing is left to look at
	Cancels  bool          // can stop work
}

// runSuite runs the suite. Each test gets a provider of its own.
func runSuite(t *testing.T, start func(*testing.T) *suiteProvider) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, *suiteProvider){
		"makes what was ordered, once":             makes,
		"a fresh process needs the ticket only":    survives,
		"refusals have their class":                refuses,
		"a lost answer is not a refusal":           loses,
		"a bare 5xx proves nothing":                breaks,
		"what was never sent may be sent again":    unreached,
		"an input that is damaged is not sent":     damaged,
		"work that fails says why":                 fails,
		"success with nothing to show is none":     empties,
		"an unknown state is no failure":           strays,
		"a failed look says nothing of the work":   troubles,
		"what can be stopped is stopped":           cancels,
		"links that end are made anew or are gone": expires,
		"forgotten work is gone":                   forgets,
		"lost work can be found where it says so":  finds,
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			p := start(t)
			test(t, p)
			if leaks := p.Stage.Leaks(); len(leaks) > 0 {
				t.Errorf("the key was shown to strangers: %v", leaks)
			}
		})
	}
}

func makes(t *testing.T, p *suiteProvider) {
	m := p.Open()
	status := p.submit(t, m)
	end := p.await(t, m, status)
	p.check(t, end)
	if n := p.Stage.Accepted(); n != 1 {
		t.Errorf("%d orders", n)
	}
	again, err := m.Poll(t.Context(), status.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	p.check(t, again)
}

func survives(t *testing.T, p *suiteProvider) {
	status := p.submit(t, p.Open())
	p.discreet(t, string(status.Ticket))
	kept := media.Ticket(bytes.Clone(status.Ticket))
	fresh := p.Open()
	if p.Whole {
		if _, err := fresh.Poll(t.Context(), kept); media.ToFailure(err).Class != media.Gone {
			t.Errorf("another process: %v", err)
		}
		return
	}
	p.check(t, p.await(t, fresh, media.Status{State: media.Pending, Ticket: kept}))
}

func refuses(t *testing.T, p *suiteProvider) {
	m := p.Open()
	for _, class := range p.Refusals {
		p.Stage.Refuses(class)
		_, err := m.Submit(t.Context(), p.Request)
		p.failure(t, err, class)
		if wait := media.ToFailure(err).RetryAfter; class == media.Rate && wait != 7*time.Second {
			t.Errorf("asked to wait for %s", wait)
		}
	}
	if n := p.Stage.Accepted(); n != 0 {
		t.Errorf("%d orders were taken", n)
	}
	p.check(t, p.await(t, m, p.submit(t, m))) // the same key, once it is not refused
}

func loses(t *testing.T, p *suiteProvider) {
	p.Stage.Loses()
	_, err := p.Open().Submit(t.Context(), p.Request)
	p.failure(t, err, media.SubmitUnknown)
	if n := p.Stage.Accepted(); n != 1 {
		t.Errorf("%d orders: sent again", n)
	}
}

func breaks(t *testing.T, p *suiteProvider) {
	m := p.Open()
	for _, status := range []int{500, 502, 503, 504} {
		p.Stage.Breaks(status)
		_, err := m.Submit(t.Context(), p.Request)
		p.failure(t, err, media.SubmitUnknown)
	}
	if n := p.Stage.Accepted(); n != 0 {
		t.Errorf("%d orders: sent again", n)
	}
}

func unreached(t *testing.T, p *suiteProvider) {
	_, err := p.Dead().Submit(t.Context(), p.Request)
	p.failure(t, err, media.Transient)
}

// damaged has each input end before its last byte, as files do whose bytes are not those that were kept.
func damaged(t *testing.T, p *suiteProvider) {
	for i, good := range p.Request.Sources {
		req := p.Request
		req.Sources = slices.Clone(p.Request.Sources)
		req.Sources[i].Open = func(ctx context.Context) (io.ReadCloser, error) {
			r, err := good.Open(ctx)
			return io.NopCloser(io.MultiReader(io.LimitReader(r, good.Size-1), iotest.ErrReader(&media.Failure{Class: media.BadInput, Message: "It is damaged."}))), err
		}
		_, err := p.Open().Submit(t.Context(), req)
		p.failure(t, err, media.BadInput)
		if n := p.Stage.Accepted(); n != 0 {
			t.Fatalf("%d orders were taken", n)
		}
	}
}

func fails(t *testing.T, p *suiteProvider) {
	for _, class := range p.Failures {
		m := p.Open()
		p.Stage.Fails(class)
		end := p.await(t, m, p.submit(t, m))
		if end.State != media.Failed || end.Failure == nil {
			t.Fatalf("%s: %+v", class, end)
		}
		p.failure(t, end.Failure, class)
	}
}

func empties(t *testing.T, p *suiteProvider) {
	p.Stage.Live("empty")
	m := p.Open()
	status, err := m.Submit(t.Context(), p.Request)
	if p.Whole && err != nil {
		p.failure(t, err, media.ModelFailed)
		if !media.ToFailure(err).Charged {
			t.Error("the provider's success is free")
		}
		return
	}
	if end := p.await(t, m, status); end.State != media.Failed || end.Failure.Class != media.ModelFailed || !end.Failure.Charged {
		t.Errorf("%+v", end)
	}
}

func strays(t *testing.T, p *suiteProvider) {
	if p.Whole {
		t.Skip("has no states")
	}
	m := p.Open()
	status := p.submit(t, m)
	p.Stage.Live("odd")
	for range 3 {
		got, err := m.Poll(t.Context(), status.Ticket)
		if err != nil || got.State.Final() {
			t.Errorf("%+v, %v", got, err)
		}
	}
	p.Stage.Live("ready")
	p.check(t, p.await(t, m, status))
}

func troubles(t *testing.T, p *suiteProvider) {
	if p.Whole {
		t.Skip("is never looked at")
	}
	m := p.Open()
	status := p.submit(t, m)
	for _, trouble := range []int{500, 502, 503} {
		p.Stage.Troubles(trouble)
		_, err := m.Poll(t.Context(), status.Ticket)
		p.failure(t, err, media.Transient)
	}
	p.Stage.Troubles(429)
	if _, err := m.Poll(t.Context(), status.Ticket); err == nil || !media.ToFailure(err).CanTryAgain() {
		t.Errorf("too many looks: %v", err)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	_, err := m.Poll(gone, status.Ticket)
	p.failure(t, err, media.Transient)
	p.check(t, p.await(t, m, status))
}

func cancels(t *testing.T, p *suiteProvider) {
	if p.Whole {
		t.Skip("goes on once it is asked")
	}
	m := p.Open()
	p.Stage.Live("stays")
	status := p.submit(t, m)
	err := m.Cancel(t.Context(), status.Ticket)
	if !p.Cancels {
		if err == nil {
			t.Error("says that it stopped what goes on")
		}
		p.Stage.Live("ready")
		p.check(t, p.await(t, m, status))
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	end := p.await(t, m, status)
	if end.Failure == nil || end.Failure.Class != media.Stopped {
		t.Errorf("%+v", end)
	}
}

func expires(t *testing.T, p *suiteProvider) {
	m := p.Open()
	end := p.await(t, m, p.submit(t, m))
	p.Stage.Expire()
	p.check(t, end)
	if p.Whole {
		return
	}
	p.Stage.Expire()
	p.Stage.Forget()
	for _, o := range end.Outputs {
		_, err := o.Open(t.Context())
		p.failure(t, err, media.Gone)
	}
}

func forgets(t *testing.T, p *suiteProvider) {
	if p.Whole {
		t.Skip("remembers nothing")
	}
	m := p.Open()
	status := p.submit(t, m)
	p.Stage.Forget()
	_, err := m.Poll(t.Context(), status.Ticket)
	p.failure(t, err, media.Gone)
	_, err = m.Poll(t.Context(), media.Ticket(`{"v":1}`))
	p.failure(t, err, media.Gone)
}

func finds(t *testing.T, p *suiteProvider) {
	m := p.Open()
	finder, ok := m.(generation.Finder)
	if !ok {
		t.Skip("finds nothing")
	}
	since := time.Now()
	if _, found, err := finder.Find(t.Context(), p.Request.Key, since); found || err != nil {
		t.Errorf("before the order: found %t, %v", found, err)
	}
	p.Stage.Loses()
	if _, err := m.Submit(t.Context(), p.Request); media.ToFailure(err).Class != media.SubmitUnknown {
		t.Fatal(err)
	}
	fresh, _ := p.Open().(generation.Finder)
	ticket, found, err := fresh.Find(t.Context(), p.Request.Key, since)
	if !found || err != nil {
		t.Fatalf("found %t, %v", found, err)
	}
	p.check(t, p.await(t, p.Open(), media.Status{State: media.Pending, Ticket: ticket}))
	if _, found, err := fresh.Find(t.Context(), "another key", since); found || err != nil {
		t.Errorf("another key: found %t, %v", found, err)
	}
	if finder.SettledAfter() <= 0 {
		t.Error("says that its record is complete at once")
	}
}

func (p *suiteProvider) submit(t *testing.T, m generation.Maker) media.Status {
	t.Helper()
	status, err := m.Submit(t.Context(), p.Request)
	if err != nil {
		t.Fatalf("submit: %v", err)
	}
	if len(status.Ticket) == 0 {
		t.Fatal("no ticket")
	}
	return status
}

// await looks at work until it ends.
func (p *suiteProvider) await(t *testing.T, m generation.Maker, status media.Status) media.Status {
	t.Helper()
	ticket, last := status.Ticket, 0.0
	for looks := 0; !status.State.Final(); looks++ {
		next, err := m.Poll(t.Context(), ticket)
		if err != nil {
			t.Fatalf("poll: %v", err)
		}
		if looks > 50 && !p.Whole {
			t.Fatalf("never ends: %+v", next)
		}
		if !p.Whole && !next.State.Final() && next.Wait <= 0 {
			t.Error("does not say when to look again")
		}
		if next.Progress < 0 || next.Progress > 1 {
			t.Errorf("progress %g after %g", next.Progress, last)
		}
		status, last = next, next.Progress
	}
	return status
}

// check compares what was made with what should have been.
func (p *suiteProvider) check(t *testing.T, end media.Status) {
	t.Helper()
	if end.State != media.Success || len(end.Outputs) != len(p.Outputs) {
		t.Fatalf("%d outputs: %+v, %v", len(end.Outputs), end, end.Failure)
	}
	for i, o := range end.Outputs {
		if o.Kind != p.Request.Model.MediaType {
			t.Errorf("output %d is called %q", i, o.Kind)
		}
		body, err := o.Open(t.Context())
		if err != nil {
			t.Fatalf("open output %d: %v", i, err)
		}
		got, err := io.ReadAll(body)
		_ = body.Close()
		if err != nil || !bytes.Equal(got, p.Outputs[i]) {
			t.Errorf("output %d: %d bytes of %d, %v", i, len(got), len(p.Outputs[i]), err)
		}
	}
}

// failure checks the class of a failure, and that it says nothing that it should
// not.
func (p *suiteProvider) failure(t *testing.T, err error, class media.Class) {
	t.Helper()
	f := media.ToFailure(err)
	if err == nil || f.Class != class {
		t.Fatalf("want %s, got %v", class, err)
	}
	if f.Message == "" || strings.Contains(f.Message, "://") || strings.Contains(f.Message, "127.0.0.1") || strings.Contains(f.Code, "://") {
		t.Errorf("the client reads %q (%q)", f.Message, f.Code)
	}
	p.discreet(t, f.Message+f.Code)
	p.discreet(t, f.Error())
}

func (p *suiteProvider) discreet(t *testing.T, text string) {
	t.Helper()
	if p.Secret != "" && strings.Contains(text, p.Secret) {
		t.Errorf("the secret is in %q", text)
	}
}
