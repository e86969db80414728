package generation_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/media"
)

// severed is a store that a process can be cut off from.
type severed struct {
	generation.Store
	cut atomic.Bool
}

func (s *severed) away() error {
	if s.cut.Load() {
		return fault.NewAway(errBroken)
	}
	return nil
}

func (s *severed) Task(ctx context.Context, workspace, id string) (*generation.Task, error) {
	if err := s.away(); err != nil {
		return nil, err
	}
	return s.Store.Task(ctx, workspace, id)
}

func (s *severed) UpdateTask(ctx context.Context, workspace, id string, change func(*generation.Task) error) (*generation.Task, error) {
	if err := s.away(); err != nil {
		return nil, err
	}
	return s.Store.UpdateTask(ctx, workspace, id, change)
}

func (s *severed) Beat(ctx context.Context, node string, now time.Time) error {
	if err := s.away(); err != nil {
		return err
	}
	return s.Store.Beat(ctx, node, now)
}

// adopter is a store that has something done when a task is adopted, before the process that adopts it hears of it.
type adopter struct {
	generation.Store
	then   atomic.Pointer[func()]
	breaks atomic.Bool // after it has adopted some
	deaf   atomic.Bool // then it does not say which
	stuck  atomic.Bool // the next change is not saved
}

func (a *adopter) UpdateTask(ctx context.Context, workspace, id string, change func(*generation.Task) error) (*generation.Task, error) {
	if a.stuck.Swap(false) {
		return nil, fault.NewAway(errBroken)
	}
	return a.Store.UpdateTask(ctx, workspace, id, change)
}

func (a *adopter) Adopt(ctx context.Context, node string, silentSince time.Time, limit int) ([]*generation.Task, error) {
	adopted, err := a.Store.Adopt(ctx, node, silentSince, limit)
	if then := a.then.Load(); then != nil && len(adopted) > 0 {
		(*then)()
	}
	if len(adopted) > 0 && a.breaks.Load() {
		err = errBroken
	}
	if len(adopted) > 0 && a.deaf.Load() {
		return nil, errBroken
	}
	return adopted, err
}

// The names of two processes on one database.
const cutNode, otherNode = "node_cut", "node_other"

// peers are those processes, the first of which can be cut off from it. Jobs are done by
// the test.
type peers struct {
	*house
	line       *severed
	adopter    *adopter // the other's
	cut, other *generation.Service
}

// newPeers starts both. The makers are their own: what a call of one does the other does not see.
func newPeers(t *testing.T, h *house, others generation.Maker) *peers {
	t.Helper()
	p := &peers{house: h, line: &severed{Store: h.store}, adopter: &adopter{Store: h.store}}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var minding sync.WaitGroup
	begin := func(node string, store generation.Store, maker generation.Maker) *generation.Service {
		o := h.Options
		o.Node, o.Alone, o.Store = node, false, store
		o.Makers = func(string) (generation.Maker, bool) { return maker, true }
		s := generation.New(o)
		drained := make(chan struct{})
		close(drained)
		minding.Go(func() { s.Supervise(ctx, drained) })
		return s
	}
	p.cut, p.other = begin(cutNode, p.line, h.maker), begin(otherNode, p.adopter, others)
	t.Cleanup(func() {
		p.line.cut.Store(false)
		cancel()
		minding.Wait()
	})
	p.eventually("both live", func() bool {
		living, err := h.store.LivingNodes(t.Context(), time.Time{})
		return err == nil && slices.Contains(living, cutNode) && slices.Contains(living, otherNode)
	})
	return p
}

func (p *peers) eventually(what string, holds func() bool) {
	p.t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("not seen: %s", what)
		}
	}
}

func (p *peers) task(id string) *generation.Task {
	p.t.Helper()
	t, err := p.store.Task(p.t.Context(), "", id)
	if err != nil {
		p.t.Fatal(err)
	}
	return t
}

// sever cuts the first process off until the other one has adopted its task.
func (p *peers) sever(id string) {
	p.t.Helper()
	p.line.cut.Store(true)
	p.ahead.Add(int64(20 * time.Second))
	p.eventually("the task is adopted", func() bool { return p.task(id).Owner == otherNode })
}

// comesBy has a job of a task come by in the middle of its adoption: the store says already whose the task is now, and its
// new owner does not know yet whose it was.
func (p *peers) comesBy(id string) (came <-chan error) {
	ended, over := make(chan struct{}), make(chan error, 1)
	then := func() {
		p.adopter.then.Store(nil)
		go func() {
			_, err := p.other.Run(context.WithoutCancel(p.t.Context()), generation.Run{ID: id})
			close(ended)
			over <- err
		}()
		select {
		case <-ended:
		case <-time.After(100 * time.Millisecond): // it waits, as it should
		}
	}
	p.adopter.then.Store(&then)
	return over
}

// works has a process do the task's job, and says how the task is then.
func (p *peers) works(by *generation.Service, id string) *generation.Task {
	p.t.Helper()
	if _, err := by.Run(p.t.Context(), generation.Run{ID: id}); err != nil {
		p.t.Fatal(err)
	}
	return p.task(id)
}

// sends has the first process send a task, and returns when its maker is asked; back tells
// that the answer was dealt with.
func (p *peers) sends(prompt string) (id string, back <-chan error) {
	p.t.Helper()
	id = p.order(prompt).ID
	over := make(chan error, 1)
	go func() {
		_, err := p.cut.Run(context.WithoutCancel(p.t.Context()), generation.Run{ID: id})
		over <- err
	}()
	maker := p.maker.(interface{ counts() (int, int, int) })
	p.eventually("the maker is asked", func() bool { submitted, _, _ := maker.counts(); return submitted > 0 })
	return id, over
}

// TestAnAnswerThatComesBackIsHeard cuts a process off from the database while its maker
// is being asked. Another one adopts the task and cannot know what came of it.
func TestAnAnswerThatComesBackIsHeard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(p *peers, id string)
		answer    func(int) (media.Status, error)
		poll      func(int) (media.Status, error)
		state     media.State // at the end
		stage     generation.Stage
		nano      int64
	}{
		"accepted":          {func(*peers, string) {}, working, working, media.Processing, generation.Waiting, price},
		"refused for good":  {func(*peers, string) {}, refuse(media.BadInput), done, media.Failed, generation.Ended, 0},
		"to be sent again":  {func(*peers, string) {}, refuse(media.Rate), done, media.Pending, generation.Ordered, price},
		"after it was lost": {func(p *peers, id string) { p.ahead.Add(int64(3 * time.Minute)); p.works(p.other, id) }, working, done, media.Failed, generation.Ended, price},
		"after its process is known to be dead": {func(p *peers, id string) {
			if err := p.store.ForgetNode(p.t.Context(), cutNode); err != nil {
				p.t.Fatal(err)
			}
			p.works(p.other, id)
		}, working, done, media.Failed, generation.Ended, price},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEngines(t, func() generation.Maker { return new(script) }, func(t *testing.T, h *house) {
				answered, maker := make(chan struct{}), h.maker.(*script)
				maker.poll = c.poll
				maker.submit = func(n int) (media.Status, error) {
					<-answered
					return c.answer(n)
				}
				p := newPeers(t, h, maker)
				id, back := p.sends(name)
				came := p.comesBy(id)
				p.sever(id)
				if err := <-came; err != nil {
					t.Fatal(err)
				}
				if task := p.works(p.other, id); task.State.Final() {
					t.Fatalf("it is %s: %s", task.State, task.Message)
				}
				c.meanwhile(p, id)
				close(answered)
				p.line.cut.Store(false)
				if err := <-back; err != nil {
					t.Fatal(err)
				}
				task := p.task(id)
				if submitted, _, _ := maker.counts(); task.State != c.state || task.Stage != c.stage || submitted != 1 {
					t.Errorf("%s %s, sent %d times", task.State, task.Stage, submitted)
				}
				if task.Stage == generation.Waiting {
					living, err := h.store.LivingNodes(t.Context(), h.now().Add(-10*time.Second))
					if err != nil || task.Owner != cutNode || task.Ticket == nil || !slices.Contains(living, cutNode) { // else it is adopted once more
						t.Errorf("it is %q's, of %v who are heard of, %v", task.Owner, living, err)
					}
				}
				p.eventually("its price is known", func() bool {
					task = p.task(id)
					return !task.Unsettled && task.Nano == c.nano
				})
			})
		})
	}
}

// TestWorkOfACallThatGoesOnIsKept cuts a process off from the database whose own call does
// the work. Another one adopts the task, whatever becomes of those it would have adopted with it, and sees nothing of that.
func TestWorkOfACallThatGoesOnIsKept(t *testing.T) {
	t.Parallel()
	onEngines(t, func() generation.Maker { return &holder{script: script{submit: working}} }, func(t *testing.T, h *house) {
		maker, others := h.maker.(*holder), &script{submit: done, poll: refuse(media.Gone)}
		var over atomic.Bool
		maker.poll = func(n int) (media.Status, error) {
			if over.Load() {
				return done(n)
			}
			return working(n)
		}
		p := newPeers(t, h, others)
		id, back := p.sends("made by a call")
		if err := <-back; err != nil {
			t.Fatal(err)
		}
		p.adopter.breaks.Store(true)
		p.sever(id)
		p.eventually("the other one looks", func() bool { _, polled, _ := others.counts(); return polled > 0 })
		if task := p.task(id); task.State.Final() {
			t.Fatalf("it is %s: %s", task.State, task.Message)
		}
		over.Store(true)
		p.line.cut.Store(false)
		p.eventually("its outputs are to be copied", func() bool { return p.task(id).Stage == generation.Collecting })
		if task := p.works(p.cut, id); task.State != media.Success {
			t.Errorf("it is %s %s: %s", task.State, task.Stage, task.Message)
		}
	})
}

// TestATaskIsAdoptedThoughThatWasNotHeard loses the answer to an adoption, or fails right after it, at every stage: the owner of a task
// goes on with it, by looking or with a job.
func TestATaskIsAdoptedThoughThatWasNotHeard(t *testing.T) {
	t.Parallel()
	for _, stage := range []generation.Stage{generation.Submitting, generation.Waiting, generation.Collecting} {
		for name, breaks := range map[string]func(*adopter){
			"not heard":   func(a *adopter) { a.deaf.Store(true) },
			"not gone on": func(a *adopter) { a.stuck.Store(stage != generation.Waiting) },
		} {
			t.Run(string(stage)+" "+name, func(t *testing.T) {
				t.Parallel()
				onEngines(t, func() generation.Maker { return new(script) }, func(t *testing.T, h *house) {
					others := &script{submit: done, poll: working}
					p := newPeers(t, h, others)
					p.line.cut.Store(true) // the other one is to adopt it
					breaks(p.adopter)
					id := h.left(stage, `"ticket"`, 1).ID
					p.eventually("the task is adopted", func() bool { return p.task(id).Owner == otherNode })
					p.eventually("its owner goes on with it", func() bool {
						_, polled, _ := others.counts()
						return polled > 0 || h.jobs() > 1 // its order has the first
					})
				})
			})
		}
	}
}

// jobs counts what the queue has to do.
func (h *house) jobs() (n int) {
	h.t.Helper()
	if err := h.store.Writer().QueryRowContext(h.t.Context(), `SELECT COUNT(*) FROM river_job`).Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	return n
}
