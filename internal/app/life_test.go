package app_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/media"
)

const plan = `
app: plan
media_type: image
inputs:
  - {name: idea, type: string, required: true}
  - {name: extra, type: boolean, default: false}
steps:
  - id: think
    chat:
      model: test/chat
      prompt: "Think of ${inputs.idea}"
      schema:
        type: object
        required: [list, title]
        properties:
          title: {type: string}
          list: {type: array, items: {type: string}}
  - id: draw
    each: ${steps.think.data.list}
    parallel: 2
    generate: {model: test/paint, with: {prompt: "${inputs.idea} ${item} ${index}"}}
  - id: extra
    when: ${inputs.extra}
    generate: {model: test/paint, with: {prompt: extra}}
  - id: last
    after: [extra]
    generate: {model: test/paint, with: {prompt: last, image_urls: "${map(steps.draw, .image)}"}}
result:
  images: ${concat([steps.last.image], map(steps.draw, .image))}
  texts: ${steps.think.data.title}
  data: {count: "${len(steps.draw)}", list: "${steps.think.data.list}"}
`

func TestARunGoesFromStepToStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := open(t, w, plan)
	task := h.run("plan", `{"idea":"cats"}`)
	if task.App != "plan" || task.State != media.Pending || task.Nano != 40_000_000*(16+2) || task.Model != "test/paint" {
		t.Errorf("ordered: %+v", task)
	}
	task = h.end(task.ID)
	v := h.generations.View(task)
	if task.State != media.Success || steps(task) != "think:success draw:success:3/3 extra:skipped last:success" {
		t.Fatalf("%s %s: %s", task.State, task.Message, steps(task))
	}
	if len(v.Result.Images) != 4 || v.Result.Texts[0] != "T" || string(v.Result.Data) != `{"count":3,"list":["a","b","c"]}` {
		t.Errorf("%+v", v.Result)
	}
	if task.Nano != 4*40_000_000 || task.Credits != 16 || v.USD != "0.16" {
		t.Errorf("cost %d nano, %d credits, $%s", task.Nano, task.Credits, v.USD)
	}
	for _, prompt := range []string{"cats a 0", "cats b 1", "cats c 2", "last"} {
		if w.count(prompt) != 1 {
			t.Errorf("%q was made %d times", prompt, w.count(prompt))
		}
	}
	if w.count("extra") != 0 || w.asked["Think of cats"] != 1 || w.most > 2 {
		t.Errorf("extra %d, asked %d, %d at once", w.count("extra"), w.asked["Think of cats"], w.most)
	}
	records, err := h.store.Records(t.Context(), "default", 20)
	var nano int64
	for _, r := range records {
		nano += r.Nano
	}
	if err != nil || nano != 4*40_000_000 {
		t.Errorf("the books say %d, %v", nano, err)
	}
}

// TestARunGoesOnWhereAProcessStopped stops the process at every step and goes on
// with another one over the same database.
func TestARunGoesOnWhereAProcessStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var held string
	w.hold = func(prompt string) bool { return prompt == held }
	h := open(t, w, plan)
	id := ""
	for _, at := range []string{"cats a 0", "cats c 2", "extra", "last"} {
		w.mu.Lock()
		held = at
		w.mu.Unlock()
		if id == "" {
			id = h.run("plan", `{"idea":"cats","extra":true}`).ID
		}
		h.until(id, func(*generation.Task) bool { return w.count(at) > 0 })
		h.stop()
		h = open(t, w) // the app itself is not there any more
	}
	w.mu.Lock()
	held = ""
	w.mu.Unlock()
	if task := h.end(id); task.State != media.Success || len(task.Outputs) != 6 {
		t.Errorf("%s %s: %s, %d outputs", task.State, task.Message, steps(task), len(task.Outputs))
	}
	for _, prompt := range []string{"cats a 0", "cats b 1", "cats c 2", "extra", "last"} {
		if w.count(prompt) != 1 {
			t.Errorf("%q was made %d times", prompt, w.count(prompt))
		}
	}
	if w.asked["Think of cats"] != 1 {
		t.Errorf("asked %d times", w.asked["Think of cats"])
	}
}

func TestAFailureIsTheRunsUnlessTheAppSaysOtherwise(t *testing.T) {
	t.Parallel()
	const recipe = `
app: brittle
media_type: image
steps:
  - id: good
    generate: {model: test/paint, with: {prompt: good}}
  - id: bad
    after: [good]
    retries: %d
    optional: %v
    generate: {model: test/paint, with: {prompt: bad}}
result: {images: "${[steps.good.image, steps.bad.image]}"}
`
	for name, c := range map[string]struct {
		retries  int
		optional bool
		heals    int // the try that works
		class    media.Class
		state    media.State
		code     string
		made     int
		nano     int64
	}{
		"fails":            {0, false, 99, media.ModelFailed, media.Failed, "generation_failed", 1, 40_000_000},
		"optional":         {0, true, 99, media.ModelFailed, media.Success, "", 1, 40_000_000},
		"healed":           {1, false, 2, media.ModelFailed, media.Success, "", 2, 80_000_000},
		"fails again":      {1, false, 99, media.ModelFailed, media.Failed, "generation_failed", 2, 40_000_000},
		"not worth a try":  {3, false, 99, media.PolicyOutput, media.Failed, "content_policy", 1, 40_000_000},
		"nothing to retry": {0, false, 99, media.BadInput, media.Failed, "invalid_input", 1, 40_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fail = func(prompt string, n int) *media.Failure {
				if prompt != "bad" || n >= c.heals {
					return nil
				}
				return &media.Failure{Class: c.class, Message: "No."}
			}
			h := open(t, w, fmt.Sprintf(recipe, c.retries, c.optional))
			task := h.end(h.run("brittle", `{}`).ID)
			if task.State != c.state || task.Code != c.code || w.count("bad") != c.made || w.count("good") != 1 || task.Nano != c.nano {
				t.Errorf("%s %s, made %d times, cost %d: %s", task.State, task.Code, w.count("bad"), task.Nano, task.Message)
			}
			if task.State == media.Failed && !strings.HasPrefix(task.Message, "Step bad: ") {
				t.Errorf("the message does not say which step it was: %s", task.Message)
			}
		})
	}
}

func TestAChatThatDoesNotFitIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := 0
	w.say = func(string) (string, error) {
		switch n++; n {
		case 1:
			return "", errBroken
		case 2:
			return `{"list": "no list"}`, nil
		}
		return "```json\n{\"list\":[\"x\"],\"title\":\"T\"}\n```", nil
	}
	h := open(t, w, strings.Replace(plan, "- id: think\n", "- id: think\n    retries: 2\n", 1))
	if task := h.end(h.run("plan", `{"idea":"cats"}`).ID); task.State != media.Success || n != 3 || len(task.Outputs) != 4 {
		t.Errorf("%s %s, asked %d times, %d outputs", task.State, task.Message, n, len(task.Outputs))
	}
}

func TestARunIsStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hold = func(string) bool { return true }
	h := open(t, w, plan)
	task := h.run("plan", `{"idea":"cats"}`)
	h.until(task.ID, func(*generation.Task) bool { return w.count("cats a 0") > 0 && w.count("cats b 1") > 0 })
	// The checkpoints of both follow at once.
	var parts []string
	for len(parts) < 2 {
		parts = nil
		done, err := h.store.Steps(t.Context(), task.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range done {
			if d.Generation != "" {
				parts = append(parts, d.Generation)
			}
		}
	}
	if _, err := h.generations.Cancel(t.Context(), "default", task.ID); err != nil {
		t.Fatal(err)
	}
	if got := h.end(task.ID); got.State != media.Canceled || got.Code != "canceled" || got.Nano != 0 || got.Credits != 0 {
		t.Errorf("%s %s, cost %d", got.State, got.Code, got.Nano)
	}
	for _, id := range parts {
		if got := h.end(id); got.State != media.Canceled {
			t.Errorf("the part %s is %s", id, got.State)
		}
	}
}

func TestARunHasADeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say = func(string) (string, error) { return "wait", nil }
	h := open(t, w, strings.Replace(plan, "app: plan\n", "app: plan\ndeadline: 1s\n", 1))
	if got := h.end(h.run("plan", `{"idea":"cats"}`).ID); got.State != media.Failed || got.Code != "timeout" || got.Nano != 0 {
		t.Errorf("%s %s %s, cost %d", got.State, got.Code, got.Message, got.Nano)
	}
}

func TestInputsAreCheckedWithTheContractsCodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := open(t, w, plan, strings.NewReplacer("app: plan", "app: photo", "- {name: extra", "- {name: photo, type: array, media: image}\n  - {name: extra").Replace(plan))
	narrow := who
	narrow.Scope = access.Scope{Models: []string{"test/chat"}}
	for name, c := range map[string]struct {
		app, body string
		who       access.Principal
		code      fault.Code
	}{
		"no such app":         {"nothing", `{}`, who, fault.AppNotFound},
		"no JSON":             {"plan", `{`, who, fault.InvalidRequestBody},
		"a list":              {"plan", `[1]`, who, fault.InvalidRequestBody},
		"missing":             {"plan", `{}`, who, fault.MissingParameter},
		"missing, as PHP":     {"plan", `[]`, who, fault.MissingParameter},
		"empty":               {"plan", `{"idea":" "}`, who, fault.MissingParameter},
		"wrong type":          {"plan", `{"idea":"x","extra":"yes"}`, who, fault.InvalidParameter},
		"unknown":             {"plan", `{"idea":"x","model":"y"}`, who, fault.UnsupportedParameter},
		"bad webhook":         {"plan", `{"idea":"x","webhook_url":"ftp://a"}`, who, fault.InvalidParameter},
		"private webhook":     {"plan", `{"idea":"x","webhook_url":"http://127.0.0.1/a"}`, who, fault.InvalidParameter},
		"a model not opened":  {"plan", `{"idea":"x"}`, narrow, fault.ModelNotFound},
		"a file not there":    {"photo", `{"idea":"x","photo":["file_06gxwct4chwj5b1q133fs2v2s8"]}`, who, fault.FileNotFound},
		"a file that is none": {"photo", `{"idea":"x","photo":["hello"]}`, who, fault.InvalidMediaURL},
	} {
		_, err := h.Create(t.Context(), c.who, generation.NewID(), c.app, []byte(c.body))
		if e, ok := errors.AsType[*fault.Error](err); !ok || e.Code != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	task, err := h.Create(t.Context(), who, "gen_dry", "plan", []byte(`{"idea":"x","dry_run":true}`))
	if err != nil || task.Nano == 0 {
		t.Errorf("dry run: %+v, %v", task, err)
	}
	if _, err := h.store.Task(t.Context(), "", "gen_dry"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("a dry run was kept: %v", err)
	}
}

// TestRunsOfOthersAreNotSeen looks under another app's path and from another workspace.
func TestRunsOfOthersAreNotSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := open(t, w, plan, strings.Replace(plan, "app: plan", "app: other", 1))
	task := h.end(h.run("plan", `{"idea":"cats"}`).ID)
	for _, c := range []struct {
		workspace, app string
		found          bool
	}{{"default", "plan", true}, {"default", "", true}, {"default", "other", false}, {"elsewhere", "plan", false}, {"elsewhere", "", false}} {
		if _, err := h.generations.Find(t.Context(), c.workspace, c.app, task.ID); (err == nil) != c.found {
			t.Errorf("%+v: %v", c, err)
		}
	}
	done, err := h.store.Steps(t.Context(), task.ID)
	if err != nil || len(done) == 0 {
		t.Fatal(err)
	}
	for _, d := range done {
		if d.Generation == "" {
			continue
		}
		if _, err := h.generations.Find(t.Context(), "default", "plan", d.Generation); err == nil {
			t.Errorf("the part %s is shown as a run", d.Generation)
		}
		if _, err := h.generations.Find(t.Context(), "elsewhere", "", d.Generation); err == nil {
			t.Errorf("the part %s is shown elsewhere", d.Generation)
		}
	}
}

// TestPartsDoNotCountAgainstTheKey runs more parts than a key may have unfinished tasks.
func TestPartsDoNotCountAgainstTheKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say = func(string) (string, error) { return `{"list":["a","b","c","d","e","f"],"title":"T"}`, nil }
	h := open(t, w, strings.Replace(plan, "parallel: 2", "parallel: 6", 1))
	if task := h.end(h.run("plan", `{"idea":"cats"}`).ID); task.State != media.Success {
		t.Errorf("%s %s", task.State, task.Message)
	}
}
