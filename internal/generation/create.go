package generation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/guard"
	"stele/internal/media"
	"stele/internal/replay"
	"stele/internal/trace"
	"stele/internal/uid"
)

// SandboxMaker is the maker that keys marked sandbox get, whatever they ask for.
const SandboxMaker = catalog.Sandbox

// BuiltIn is what the ids of models begin with that are part of the program.
const BuiltIn = catalog.BuiltIn

// DryRun is the id of what is only tried out.
const DryRun = "dry_run"

// deadlines are how long work may take where the model does not say.
var deadlines = map[string]time.Duration{"image": 15 * time.Minute, "audio": 30 * time.Minute, "video": 2 * time.Hour}

// NewID makes the id of a task to come.
func NewID() string { return uid.New("gen") }

// Create checks an order, reckons its price, and writes it down with the job that
// begins it. A dry run does all but the writing.
func (s *Service) Create(ctx context.Context, who access.Principal, id string, ask media.Ask) (*Task, error) {
	return s.CreateOnce(ctx, who, id, ask, nil)
}

// CreateOnce is Create for an order with an Idempotency-Key. claim gives the key with
// the answer to the order, which is saved together with the task. Where the key was
// used before nothing is saved, and the error is replay.ErrUsed. An order with files is not
// for it: what was used before is found out too late.
func (s *Service) CreateOnce(ctx context.Context, who access.Principal, id string, ask media.Ask, claim func(*Task) (replay.Claim, error)) (*Task, error) {
	t, operation, err := s.plan(who, id, &ask)
	if err != nil {
		return nil, err
	}
	if err := s.checkWebhook(ask.Webhook); err != nil {
		return nil, err
	}
	if err := s.checkRoom(ctx, who, s.Settings().Unfinished); err != nil {
		return nil, err
	}
	if err := s.Share.TakeRoom(ctx, t.Workspace, orderSize(t, ask.DryRun)); err != nil {
		return nil, err
	}
	taken, err := s.take(ctx, t, operation, &ask)
	if err == nil && ask.DryRun {
		t.preview, err = s.Limits.Preview(ctx, callOf(t), t.Nano)
	}
	if err != nil || ask.DryRun {
		s.drop(ctx, taken)
		return t, err
	}
	if who.User != "" {
		t.Note(s.entry(who, "generation.create", t))
	}
	if claim != nil {
		c, err := claim(t)
		if err != nil {
			return nil, err
		}
		t.Keep(c)
	}
	t.delay = s.bursts.delay(t.Workspace)
	t.Order.Trace = trace.Parent(ctx)
	if err := s.insert(ctx, t, taken); err != nil {
		return nil, err
	}
	return t, nil
}

// plan holds an order against its model and reckons its price.
func (s *Service) plan(who access.Principal, id string, ask *media.Ask) (*Task, *media.Operation, error) {
	model, err := s.Catalog.OpenMediaModel(ask.Model, who.Scope)
	if err != nil && who.Sandbox {
		model, err = s.standIn(ask, err)
	}
	if err != nil {
		return nil, nil, err
	}
	operation, err := model.Infer(ask)
	if err != nil {
		return nil, nil, err
	}
	parameters, err := operation.Check(ask)
	if err != nil {
		return nil, nil, err
	}
	now := s.Now()
	t := &Task{
		ID: id, Workspace: who.Workspace, Key: who.Key, Environment: string(who.Environment), Sandbox: who.Sandbox,
		Model: model.ID, MediaType: model.MediaType, Mode: operation.Mode, Provider: model.Provider, Webhook: ask.Webhook,
		Order: Order{Prompt: ask.Prompt, Parameters: parameters, Public: ask.Public, CopyProtected: ask.CopyProtected}.by(&who),
		State: media.Pending, Stage: Ordered, Created: now, Updated: now, Deadline: now.Add(deadline(model)), Version: 1,
		CancelAt: cancelAt(now, ask.Within),
	}
	t.Nano = operation.Nano(ask.Prompt, parameters)
	if who.Sandbox {
		t.Provider, t.Nano = SandboxMaker, 0
	}
	t.Credits = media.Credits(t.Nano, s.Settings().CreditsPerUSD)
	return t, operation, nil
}

// standIns are the sandbox's models, and words in the ids of models that they stand in for.
var standIns = []struct {
	id    string
	words []string
}{
	{SandboxMaker + "-video", []string{"video", "veo", "sora", "kling", "runway", "hailuo", "seedance", "luma", "film", "clip"}},
	{SandboxMaker + "-audio", []string{"audio", "tts", "speech", "voice", "music", "sound", "eleven", "lyria"}},
	{SandboxMaker + "-image", nil},
}

// standIn is the sandbox's model for one that is not here: the one that has the mode, or
// else that the name speaks of. A model's id that nothing can be called stays unknown.
func (s *Service) standIn(ask *media.Ask, unknown error) (*media.Model, error) {
	if ask.Model == "" {
		return nil, unknown
	}
	named := func(words []string) bool {
		return len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(ask.Model), w) })
	}
	for _, stand := range standIns {
		model, ok := s.Catalog.MediaModel(stand.id)
		if !ok {
			continue
		}
		has := slices.ContainsFunc(model.Operations, func(o media.Operation) bool { return o.Mode == ask.Mode })
		if ask.Mode != "" && has || ask.Mode == "" && named(stand.words) {
			return model, nil
		}
	}
	return nil, unknown
}

// take makes files of what the order points at. It returns the ids of those that
// were not there before.
func (s *Service) take(ctx context.Context, t *Task, o *media.Operation, ask *media.Ask) (taken []string, err error) {
	for _, given := range ask.Media {
		limit := o.Limits[given.Field]
		taken, err = s.takeFile(ctx, t, taken, given.URL, file.Want{
			Field: given.Field, Kind: media.Takes(given.Field), Formats: limit.Formats, Bytes: int64(limit.MB * (1 << 20)),
			Dry: ask.DryRun, Owed: t.Parent != "",
		})
		if err != nil {
			return taken, err
		}
	}
	return taken, nil
}

// takeFile makes a file of what is at an address for a task, and appends it to taken where it is new.
func (s *Service) takeFile(ctx context.Context, t *Task, taken []string, address string, want file.Want) ([]string, error) {
	f, err := s.Files.Take(ctx, t.Workspace, address, want)
	if err != nil {
		return taken, err
	}
	if !want.Dry && !f.Created.Before(t.Created) {
		taken = append(taken, f.ID)
	}
	t.Order.Sources = append(t.Order.Sources, Source{Field: want.Field, File: f.ID})
	return taken, nil
}

func (s *Service) drop(ctx context.Context, files []string) {
	for _, id := range files {
		if err := s.Files.Drop(context.WithoutCancel(ctx), id); err != nil {
			s.Log.WarnContext(ctx, "a file was left behind", "file", id, "error", err)
		}
	}
}

func (s *Service) checkWebhook(address string) error {
	if address == "" {
		return nil
	}
	if _, err := guard.CheckPublic(address, s.Settings().AllowPrivate); err != nil {
		return fault.New(fault.InvalidParameter, "webhook_url cannot be used: %v.", err).Field("webhook_url").With("got", address)
	}
	return nil
}

// cancelAt is when a task is canceled by itself; zero for never.
func cancelAt(now time.Time, within time.Duration) time.Time {
	if within <= 0 {
		return time.Time{}
	}
	return now.Add(within)
}

func deadline(m *media.Model) time.Duration {
	if m.Deadline > 0 {
		return m.Deadline
	}
	return deadlines[m.MediaType]
}

// NoTask says that there is no such task for the caller.
func NoTask() *fault.Error {
	return fault.New(fault.GenerationNotFound, "There is no generation with this id.")
}

// Find is a task of a workspace, and of an app where that is not "".
func (s *Service) Find(ctx context.Context, workspace, app, id string) (*Task, error) {
	t, err := s.Store.Task(ctx, workspace, id)
	if errors.Is(err, access.ErrNotFound) || err == nil && app != "" && t.App != app {
		return nil, NoTask()
	}
	return t, err
}
