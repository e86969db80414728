package studio

import (
	"cmp"
	"context"
	"path"
	"sync"

	"stele/internal/fair"
	"stele/internal/fault"
	"stele/internal/media"
	"stele/internal/studio/cores"
)

// craft makes one sort of thing.
type craft func(ctx context.Context, req media.Request, report func(progress float64)) ([]media.Output, error)

// Studio is all that can be made on this machine.
type Studio struct {
	crafts   map[string]craft // by the names that model files call them
	declares map[string]func(*media.Model)

	processors *fair.Semaphore // nil: each piece of work takes all there are
}

// Open looks what the machine has that the studio can use.
func Open(look Look) *Studio {
	s := &Studio{crafts: map[string]craft{"canvas": Canvas, "tone": Tone}, declares: make(map[string]func(*media.Model))}
	var films *Director
	var speech *Speaker
	var looking sync.WaitGroup
	looking.Go(func() { films = Motion(look) })
	looking.Go(func() { speech, _ = Voice(look) }) // none is not an error: speech is not offered then
	looking.Wait()
	s.crafts["motion"], s.declares["motion"] = films.Make, films.Declare
	if speech != nil {
		s.crafts["voice"], s.declares["voice"] = speech.Make, speech.Declare
	}
	return s
}

// Offer fits a model's declaration to the machine. It reports whether the model
// can be offered here at all.
func (s *Studio) Offer(m *media.Model) bool {
	name := craftOf(m)
	if declare := s.declares[name]; declare != nil {
		declare(m)
	}
	return s.crafts[name] != nil
}

// On is the studio on processors that workspaces share.
func (s Studio) On(processors *fair.Semaphore) *Studio {
	s.processors = processors
	return &s
}

// Make makes what a model of the studio is asked for.
func (s *Studio) Make(ctx context.Context, req media.Request, report func(progress float64)) ([]media.Output, error) {
	if s.processors != nil {
		ctx = cores.With(ctx, lender{s.processors, req.Workspace})
	}
	if work := s.crafts[craftOf(req.Model)]; work != nil {
		made, err := work(ctx, req, report)
		return made, fault.OfDisk(err)
	}
	return nil, &media.Failure{Class: media.Quota, Message: "The studio of this machine cannot make this."}
}

// lender lends a workspace's work processors of the workspace's share.
type lender struct {
	processors *fair.Semaphore
	workspace  string
}

// Most is the workspace's share.
func (l lender) Most() int { return int(l.processors.Share()) }

// Lend waits for the workspace's turn.
func (l lender) Lend(ctx context.Context) (giveBack func(), err error) {
	if err := l.processors.Acquire(ctx, l.workspace, 1); err != nil {
		return nil, err
	}
	return func() { l.processors.Release(l.workspace, 1) }, nil
}

// craftOf is the craft that a model takes: its upstream name, or the last part of
// its id.
func craftOf(m *media.Model) string { return cmp.Or(m.Upstream, path.Base(m.ID)) }
