package generation

import (
	"context"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/media"
	"stele/internal/meter"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// succeed ends a task with what was made.
func (s *Service) succeed(ctx context.Context, t *Task, made []Made, last media.Status) error {
	return s.end(ctx, t, func(t *Task) {
		t.State, t.Outputs, t.Progress = media.Success, made, 1
		s.settle(t, last)
	})
}

// fail ends a task without an output. Nothing is owed for it but what its parts have
// cost, and what its maker says. Where the maker may charge and does not say yet, its
// estimate stays, and is held, until it is settled.
func (s *Service) fail(ctx context.Context, t *Task, f *media.Failure) error {
	spent, known := s.spentCost(ctx, t)
	unsure := s.mayHaveCost(t, f)
	if unsure {
		if spent, known = s.price(ctx, t); !known && t.Stage == Collecting {
			spent, known = t.Nano, true // its maker has said before that it is made
		}
	}
	err := s.end(ctx, t, func(t *Task) {
		t.Unsettled = unsure && !known
		t.failWith(f, s.Now())
		if f.Charged {
			return // the price stays
		}
		if known || t.Stage == Ordered {
			t.Nano, t.Credits = spent, media.Credits(spent, s.Settings().CreditsPerUSD)
		}
	})
	if err == nil {
		s.letGo(t, unsure && !known)
	}
	return err
}

// failWith is how a task ends without an output. One that its client wants stopped is
// canceled, whichever word of it comes first.
func (t *Task) failWith(f *media.Failure, now time.Time) {
	if t.Stopping && f.Class == media.ModelFailed {
		f = canceledFailure()
	}
	if f.Class == media.Stopped && !t.CancelAt.IsZero() && !now.Before(t.CancelAt) {
		f = &media.Failure{Class: media.Stopped, Message: "The generation was canceled: it was not finished in the time that Cancel-After gave it."}
	}
	t.State, t.Code, t.Message = media.Failed, f.TaskCode(), f.Message
	if f.Class == media.Stopped {
		t.State = media.Canceled
	}
}

// spentCost is what a task that ends early has cost. Where that cannot be learned its
// estimate stays: a price too high is seen, one that is forgotten is not.
func (s *Service) spentCost(ctx context.Context, t *Task) (nano int64, known bool) {
	if t.App == "" {
		return 0, true
	}
	maker, failure := s.maker(t)
	biller, ok := maker.(Biller)
	if failure != nil || !ok {
		return 0, false
	}
	nano, err := biller.CostSoFar(context.WithoutCancel(ctx), t.ID)
	if err != nil {
		s.logFailure(ctx, t, "what a run has cost cannot be learned", media.ToFailure(err))
	}
	return nano, err == nil
}

// settle makes an estimate the price that is owed, where the maker knows it.
func (s *Service) settle(t *Task, last media.Status) {
	t.bill(last)
	if last.Steps != nil {
		t.Steps = last.Steps
	}
	if last.Settled {
		t.Credits = media.Credits(t.Nano, s.Settings().CreditsPerUSD)
	}
}

// end saves the end of a task together with all that follows from it. What it cost was
// found out at its stage: one that has gone on meanwhile is left.
func (s *Service) end(ctx context.Context, t *Task, change func(*Task)) error {
	stage := t.Stage
	saved, err := s.insist(ctx, t, func(t *Task) error {
		if t.Stage != stage {
			return errMoved
		}
		change(t)
		t.Stage, t.Owner, t.Ended = Ended, "", s.Now()
		if t.Unsettled {
			t.leaveUnsettled()
		} else {
			t.records = append(t.records, t.settle())
		}
		s.announce(t)
		return nil
	})
	if saved != nil && saved.State == media.Success && saved.App == "" {
		s.pace.add(Took{saved.Model, saved.Mode, saved.Ended.Sub(saved.Created)})
	}
	s.successes.Delete(t.ID)
	s.former.Delete(t.ID)
	if t.Parent != "" {
		s.schedule.hasten(t.Parent) // a run goes on at once where it is in this process
	}
	return err
}

// announce tells the client's own server, and the endpoints of the workspace. It is
// saved with the task. The steps of a run are no events of their own.
func (s *Service) announce(t *Task) {
	at := *t
	at.Updated = s.Now()
	if t.Webhook != "" {
		kind := "generation." + ending[t.State]
		t.Announce(webhook.Delivery{
			ID: uid.New("msg"), Workspace: t.Workspace, Subject: t.ID, Type: kind, URL: t.Webhook,
			Body: s.message(kind, &at), State: webhook.Pending, Created: s.Now(),
		})
	}
	if t.Parent != "" {
		return
	}
	kind := "generation." + ending[t.State]
	if t.App != "" {
		kind = "app." + ending[t.State]
	}
	t.Publish(webhook.Event{
		Workspace: t.Workspace, Type: kind, Subject: t.ID, At: s.Now(), Body: func() []byte { return s.message(kind, &at) },
	})
}

var ending = map[media.State]string{media.Success: "succeeded", media.Failed: "failed", media.Canceled: "canceled"}

// ownCost is what a task cost beside its parts, which have records of their own.
func ownCost(t *Task) int64 {
	if t.App != "" {
		return 0
	}
	return t.Nano
}

// recordOf is what the task used, for the books. Its id sorts by time, as all of
// them must: the oldest are forgotten first.
func recordOf(t *Task) meter.Record {
	status := 200
	if t.State != media.Success {
		status = 500
	}
	route, model := "generations", t.Model
	if t.App != "" {
		route, model = "apps", t.App
	}
	return meter.Record{
		ID: "use_" + strings.TrimPrefix(t.ID, "gen_"), At: t.Ended, Request: t.ID, Workspace: t.Workspace, Key: t.Key, Environment: t.Environment,
		Route: route, Model: model, Provider: t.Provider, Target: t.Mode, Status: status, Code: t.Code,
		Tries: t.Tries, Nano: ownCost(t), Priced: true, PriceSource: catalog.FromModel, Took: t.Ended.Sub(t.Created),
		Person: t.Order.Person, User: t.Order.EndUser, Tags: access.TagsText(t.Order.Tags),
	}
}
