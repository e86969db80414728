package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/crash"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/formula"
	"stele/internal/generation"
	"stele/internal/pause"
	"stele/internal/scope"
)

// attempt is one try of one item of a step.
type attempt struct {
	run, step string
	at, try   int
}

const (
	longestSaid = 512 << 10 // bytes of one answer
	mostSaid    = 2 << 20   // bytes of all answers of a run, after which no more is asked
)

// usualCall is how long a chat or a fetch may take.
const usualCall = 10 * time.Minute

// call asks a chat model, or fetches a file, beside the polls: it may take longer
// than one of them. A call that dies with its process is made again, as no client has
// seen its answer.
func (r *Runner) call(ctx context.Context, run *run, s *Step, d *Done, item any) (*Done, error) {
	at := attempt{d.Run, d.Step, d.Place, d.Try}
	r.mu.Lock()
	begun := r.resting || r.jobs[at] != nil
	r.mu.Unlock()
	if begun { // no other worker begins it meanwhile: a run is looked at by one at a time
		return nil, nil
	}
	if run.answeredBytes() > mostSaid {
		d.State, d.Code, d.Message = Failed, "invalid_input", fmt.Sprintf("The chats of one run answer at most %d MB together.", mostSaid>>20)
		return d, r.save(ctx, run, d)
	}
	do, size, err := r.prepare(ctx, run, s, d, item)
	if err != nil {
		if !final(err) {
			return nil, err
		}
		d.keepEvaluationFailure(err)
		return d, r.save(ctx, run, d)
	}
	if !r.hold(run.task, size) {
		return nil, errBusy
	}
	r.begin(run.task, s, d, at, do, size)
	return nil, nil
}

// begin makes a call, and holds what it needs until it is done.
func (r *Runner) begin(task *generation.Task, s *Step, d *Done, at attempt, do func(context.Context, *Done), size int64) {
	within := min(cmp.Or(s.Timeout, usualCall), task.Deadline.Sub(r.Now()))
	bounded, cancel := context.WithTimeout(r.ctx, within)
	r.mu.Lock()
	r.jobs[at] = cancel
	r.mu.Unlock()
	r.calls.Go(func() {
		defer cancel()
		defer r.letGo(task, size)
		do(bounded, d)
		if bounded.Err() == nil || errors.Is(bounded.Err(), context.DeadlineExceeded) {
			r.checkpoint(d)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.jobs, at)
	})
}

// checkpoint keeps the answer, however long the database takes.
func (r *Runner) checkpoint(d *Done) {
	crash.Point("step answered")
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		d.Saved = r.Now()
		err := r.Store.SaveStep(context.WithoutCancel(r.ctx), d)
		if err == nil {
			crash.Point("step " + string(d.State))
			return
		}
		r.Log.LogAttrs(r.ctx, slog.LevelWarn, "a step could not be saved", slog.String("run", d.Run), slog.String("step", d.Step), slog.Any("error", err))
		if pause.For(r.ctx, wait) != nil {
			return
		}
	}
}

// prepare evaluates what a call needs, so that the call itself needs nothing of the
// run. size is how many bytes that has.
func (r *Runner) prepare(ctx context.Context, run *run, s *Step, d *Done, item any) (do func(context.Context, *Done), size int64, err error) {
	values := make(map[string]any)
	err = r.evaluate(ctx, run, func(b *formula.Budget, env map[string]any) error {
		env["item"], env["index"] = item, d.Place
		for name, t := range s.parts {
			v, err := t.value(b, env)
			if err != nil {
				return err
			}
			if values[name] = v; name != "files" {
				values[name] = toText(v)
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	for _, v := range values {
		text, _ := v.(string)
		size += int64(len(text))
	}
	task := run.task
	for _, id := range texts(values["files"]) {
		if f, err := r.Files.File(ctx, task.Workspace, id); err == nil { // one that is not there fails the call itself
			size += 2 * f.Size // as it is read, and as it is sent
		}
	}
	if s.Chat != nil {
		return func(ctx context.Context, d *Done) { r.talk(ctx, task, s, values, d) }, size, nil
	}
	return func(ctx context.Context, d *Done) { r.fetch(ctx, task, s, toText(values["fetch"]), d) }, size, nil
}

// fetch copies a file into this installation.
func (r *Runner) fetch(ctx context.Context, task *generation.Task, s *Step, address string, d *Done) {
	f, err := r.Files.Take(ctx, task.Workspace, address, file.Want{Field: "fetch", Kind: s.File.Media, Owed: true})
	if err != nil {
		d.keepFailure(ctx, err)
		return
	}
	d.State = Finished
	d.Outputs = []generation.Made{{
		File: f.ID, Kind: f.Kind, Type: f.Type, Size: f.Size, Width: f.Width, Height: f.Height, Duration: f.Duration,
	}}
}

// talk asks a chat model.
func (r *Runner) talk(ctx context.Context, task *generation.Task, s *Step, values map[string]any, d *Done) {
	talk, err := r.conversation(ctx, task, s, values)
	if err != nil {
		d.keepFailure(ctx, err)
		return
	}
	request := &scope.Request{ID: task.ID}
	request.SetRoute("apps")
	who := generation.PrincipalNow(task, r.Rights)
	began := time.Now()
	reply, err := r.Chat.Do(scope.With(ctx, request), who, chat.NewRequest(s.Chat.Model, false, chat.Origin{}, func() (*chat.Conversation, error) { return talk, nil }))
	if err == nil && reply.Whole == nil {
		reply.Whole, err = chat.Collect(reply.Stream)
	}
	if err != nil {
		d.keepFailure(ctx, err)
		return
	}
	if model, err := r.Catalog.Model(s.Chat.Model, who.Scope); err == nil && !who.Sandbox {
		d.Nano = r.Catalog.Cost(model, catalog.Target{Provider: reply.Provider, Model: reply.Target}, reply.Whole.Usage, began).Nano
	}
	d.State = Finished
	for _, a := range reply.Whole.Answers {
		for i := range a.Parts {
			if a.Parts[i].Kind == chat.Text {
				d.Said += a.Parts[i].Text
				if len(d.Said) > longestSaid {
					d.State, d.Said, d.Code = Failed, "", "generation_failed"
					d.Message = fmt.Sprintf("The model said more than %d KB.", longestSaid>>10)
					return
				}
			}
		}
		if a.Stop.Reason == chat.Refused {
			d.State, d.Code, d.Message = Failed, "content_policy", "The model declined to answer."
			return
		}
	}
	if s.Chat.Schema == nil {
		return
	}
	err = r.Pool.do(ctx, task.Workspace, usualCall, func(*formula.Budget) error {
		return checkAnswer(d.Said, s.Chat.Schema)
	})
	if ctx.Err() != nil {
		d.keepFailure(ctx, err)
		return
	}
	if err != nil {
		d.State, d.Code, d.Message = Failed, "generation_failed", sentence(err.Error())
	}
}

// conversation is the one question that a chat step asks.
func (r *Runner) conversation(ctx context.Context, task *generation.Task, s *Step, values map[string]any) (*chat.Conversation, error) {
	talk := &chat.Conversation{Messages: []chat.Message{{Role: chat.User}}}
	if text := toText(values["system"]); text != "" {
		talk.System = []chat.Part{{Kind: chat.Text, Text: text}}
	}
	parts := &talk.Messages[0].Parts
	for _, id := range texts(values["files"]) {
		f, err := r.Files.File(ctx, task.Workspace, id)
		if err != nil {
			return nil, err
		}
		kinds := map[string]chat.Kind{file.Image: chat.Image, file.Video: chat.Video, file.Audio: chat.Audio, file.Document: chat.Document}
		*parts = append(*parts, chat.Part{Kind: kinds[f.Kind], Media: &chat.Media{FileID: f.ID, Type: f.Type}, At: len(*parts)})
	}
	*parts = append(*parts, chat.Part{Kind: chat.Text, Text: toText(values["prompt"]), At: len(*parts)})
	if s.Chat.MaxTokens > 0 {
		n := int64(s.Chat.MaxTokens)
		talk.Sampling.MaxTokens = &n
	}
	talk.Sampling.Temperature = s.Chat.Temperature
	if s.Chat.Schema != nil {
		talk.Format = &chat.Format{Kind: chat.JSONSchema, Name: s.ID, Schema: encodeSchema(s.Chat.Schema)}
	}
	return talk, nil
}

// keepFailure keeps why a call failed.
func (d *Done) keepFailure(ctx context.Context, err error) {
	d.State, d.Code, d.Message = Failed, "provider_unavailable", "The model could not be asked."
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		d.Code, d.Message = "timeout", "The step was not finished in time."
		return
	}
	if told, ok := errors.AsType[*fault.Error](err); ok {
		d.Message = told.Message
		switch told.Code.Status() {
		case 400, 404, 413, 415, 422:
			d.Code = "invalid_input"
		}
	}
}

// sentence makes one of the words of an error.
func sentence(text string) string {
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		text = string(text[0]-'a'+'A') + text[1:]
	}
	return strings.TrimSuffix(text, ".") + "."
}
