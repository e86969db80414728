package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/app"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/race"
)

// greedy are expressions that want more than an evaluation may have, with an input of
// 60 KB.
var greedy = map[string]string{
	"text":    `${reduce(1..16, #acc + #acc, inputs.text)}`,
	"join":    `${reduce(1..16, join([#acc, #acc], "-"), inputs.text)}`,
	"map":     `${join(map(1..5000, inputs.text))}`,
	"toJSON":  `${toJSON(map(1..5000, inputs.text))}`,
	"replace": `${replace(inputs.text, "x", inputs.text)}`,
	"pieces":  strings.Repeat("${inputs.text}", 100),
	"sums":    `${string(sum(1..1000, sum(1..1000, sum(1..1000, sum(1..1000, sum(1..1000, 1))))))}`,
	"lists":   `${string(reduce(1..40, [#acc, #acc], 1))}`,
}

// places are where an expression may stand.
var places = map[string]string{
	"prompt": "steps: [{id: a, retries: 3, chat: {model: test/chat, prompt: '%s'}}]\nresult: {texts: '${steps.a.text}'}\n",
	"with":   "steps: [{id: z, chat: {model: test/chat, prompt: hi}}, {id: a, after: [z], retries: 3, generate: {model: test/paint, with: {prompt: '%s'}}}]\nresult: {images: '${steps.a.image}'}\n",
	"each":   "steps: [{id: a, each: '${split(steps.z.text + words, \",\")}', chat: {model: test/chat, prompt: hi}}, {id: z, chat: {model: test/chat, prompt: hi}}]\nresult: {texts: hi}\n",
	"when":   "steps: [{id: z, chat: {model: test/chat, prompt: hi}}, {id: a, after: [z], when: '${len(words) > 3}', chat: {model: test/chat, prompt: hi}}]\nresult: {texts: hi}\n",
	"texts":  "steps: [{id: z, chat: {model: test/chat, prompt: hi}}]\nresult: {texts: '%s'}\n",
	"data":   "steps: [{id: z, chat: {model: test/chat, prompt: hi}}]\nresult: {data: {a: ['%s']}}\n",
}

func greedyApp(id, place, text string) string {
	source := places[place]
	if strings.Contains(source, "words") {
		inner := strings.TrimSuffix(strings.TrimPrefix(text, "${"), "}")
		if strings.HasPrefix(text, "${inputs.text}${") {
			inner = strings.Repeat("inputs.text + ", 60) + "inputs.text"
		}
		source = strings.Replace(source, "words", inner, 1)
	} else {
		source = fmt.Sprintf(source, text)
	}
	return "app: " + id + "\nmedia_type: image\ninputs: [{name: text, type: string, required: true}]\n" + source
}

// TestWhatIsTooMuchFailsOnce runs every greedy expression, and one at every place, and
// starts the process anew: the run has failed, with a sentence, and is not tried again.
func TestWhatIsTooMuchFailsOnce(t *testing.T) {
	t.Parallel()
	race.Skip(t, "expressions take ten times as long")
	w := newWorld(t)
	var sources, ids []string
	for name, text := range greedy {
		for place := range places {
			if place != "prompt" && name != "text" && name != "sums" {
				continue // each expression once, and each place
			}
			id := strings.ToLower(name) + "-" + place
			ids, sources = append(ids, id), append(sources, greedyApp(id, place, text))
		}
	}
	h := open(t, w, sources...)
	body := `{"text":"` + strings.Repeat("x", 60_000) + `"}`
	runs := make(map[string]string)
	for _, id := range ids {
		task, err := h.Create(t.Context(), who, generation.NewID(), id, []byte(body))
		if err != nil { // told before it begins, where the price depends on it
			if !strings.HasSuffix(id, "-with") {
				t.Errorf("%s: %v", id, err)
			}
			wantFault(t, err, fault.InvalidParameter, "this ")
			continue
		}
		runs[task.ID] = id
		task = h.endsAnyhow(task.ID)
		if task.State != media.Failed || task.Code != "invalid_input" || !strings.Contains(task.Message, "this ") || len(task.Message) > 500 {
			t.Errorf("%s: %s %s %.200s", id, task.State, task.Code, task.Message)
		}
	}
	h.stop()
	h = open(t, w, sources...)
	for run, id := range runs {
		if task := h.endsAnyhow(run); task.State != media.Failed {
			t.Errorf("%s is %s after a restart", id, task.State)
		}
	}
}

// endsAnyhow waits for the end of a run, whatever it is.
func (h *house) endsAnyhow(id string) *generation.Task {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	for version := int64(0); ; {
		task, err := h.generations.Watch(ctx, "default", "", id, version, 50*time.Millisecond)
		if err != nil {
			h.t.Fatalf("%s: %v", id, err)
		}
		if task.State.Final() {
			return task
		}
		version = task.Version
	}
}

// TestThePriceFormTakesLittle asks for prices again and again.
func TestThePriceFormTakesLittle(t *testing.T) { //nolint:paralleltest // memory is measured
	h := open(t, newWorld(t), greedyApp("double", "with", greedy["text"]))
	body := []byte(`{"text":"` + strings.Repeat("x", 60_000) + `","dry_run":true}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		_, err := h.Create(t.Context(), who, generation.DryRun, "double", body)
		wantFault(t, err, fault.InvalidParameter, "1024 KB")
	}
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 100<<20 {
		t.Errorf("%d MB were made", made>>20)
	}
}

// looked is a context that calls back while an expression is evaluated with it.
type looked struct {
	context.Context //nolint:containedctx // it is one

	during func()
}

func (l *looked) Err() error {
	if bytes.Contains(debug.Stack(), []byte("internal/formula.")) {
		l.during()
	}
	return l.Context.Err()
}

// TestNothingIsHeldWhileAnExpressionIsEvaluated: others' runs go on meanwhile.
func TestNothingIsHeldWhileAnExpressionIsEvaluated(t *testing.T) {
	t.Parallel()
	h := open(t, newWorld(t),
		"app: slow\nmedia_type: image\nsteps: [{id: a, chat: {model: test/chat, prompt: '${string(sum(1..300, sum(1..300, 1)))}'}}]\nresult: {texts: '${steps.a.text}'}\n")
	task := h.run("slow", `{}`)
	h.end(task.ID)
	if _, err := h.store.Writer().ExecContext(t.Context(), `DELETE FROM app_steps WHERE run = $1`, task.ID); err != nil {
		t.Fatal(err)
	}
	seen := 0
	ctx := &looked{Context: t.Context()}
	ctx.during = sync.OnceFunc(func() {
		seen++
		free := make(chan struct{})
		go func() {
			h.Forget(media.Ticket(`{"run":"another"}`))
			close(free)
		}()
		select {
		case <-free:
		case <-time.After(3 * time.Minute):
			t.Error("the lock of all runs is held")
		}
	})
	if _, err := h.Poll(ctx, media.Ticket(`{"run":"`+task.ID+`"}`)); err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("the context is not looked at while an expression is evaluated")
	}
}

// TestAWorkspaceFillsHalfOfThePool: five hundred of one workspace wait, and one of
// another is served at once.
func TestAWorkspaceFillsHalfOfThePool(t *testing.T) {
	t.Parallel()
	pool := app.NewPool()
	_, share := pool.Places()
	ctx, cancel := context.WithCancel(t.Context())
	inside, release := make(chan struct{}, 500), make(chan struct{})
	var all sync.WaitGroup
	for range 500 {
		all.Go(func() {
			_ = pool.Enter(ctx, "greedy", func() {
				inside <- struct{}{}
				<-release
			})
		})
	}
	for range share {
		<-inside
	}
	served := false
	if err := pool.Enter(t.Context(), "other", func() { served = true }); err != nil || !served {
		t.Errorf("another workspace waits: %v", err)
	}
	if len(inside) > 0 {
		t.Error("one workspace has more than its share")
	}
	cancel()
	close(release)
	all.Wait()
}

// TestARunWaitsWhileOthersEvaluate: a look that finds no place changes nothing.
func TestARunWaitsWhileOthersEvaluate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hold = func(prompt string) bool { return prompt == "last" }
	h := open(t, w, plan)
	task := h.run("plan", `{"idea":"cats"}`)
	task = h.until(task.ID, func(t *generation.Task) bool { return strings.Contains(steps(t), "draw:success") })
	_, share := h.Pool.Places()
	release := make(chan struct{})
	var held sync.WaitGroup
	inside := make(chan struct{})
	for range share {
		held.Go(func() {
			_ = h.Pool.Enter(t.Context(), "default", func() {
				inside <- struct{}{}
				<-release
			})
		})
		<-inside
	}
	status, err := h.Poll(t.Context(), media.Ticket(`{"run":"`+task.ID+`"}`))
	if err != nil || status.State != media.Processing || status.Wait <= 0 || len(status.Steps) != 4 {
		t.Errorf("%+v, %v", status, err)
	}
	close(release)
	held.Wait()
	w.mu.Lock()
	w.hold = func(string) bool { return false }
	w.mu.Unlock()
	if task = h.end(task.ID); task.State != media.Success {
		t.Errorf("%s %s", task.State, task.Message)
	}
}

// TestAStoredAppThatCannotBeReadIsLeftOut: it stops neither the start nor the others.
func TestAStoredAppThatCannotBeReadIsLeftOut(t *testing.T) {
	t.Parallel()
	h := open(t, newWorld(t))
	e := h.editor()
	made(t, e, writer, "good", small, false)
	bad := strings.Replace(small, "${inputs.idea}", "${"+strings.Repeat("(", 40_000)+"}", 1)
	for i, source := range []string{bad, strings.Repeat("x", 1<<20), "steps: [", strings.Replace(small, "inputs.idea", strings.Repeat("sort(", 50)+"inputs.idea"+strings.Repeat(")", 50), 1)} {
		id := fmt.Sprintf("bad%d", i)
		made(t, e, writer, id, small, false)
		_, err := h.store.Writer().ExecContext(t.Context(), `UPDATE app_versions SET source = $1 WHERE app = $2`, source, id)
		if err != nil {
			t.Fatal(err)
		}
	}
	fresh := &app.Editor{Store: h.store, Library: app.NewLibrary(), Catalog: h.Catalog, Now: time.Now}
	if err := fresh.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, _ := fresh.Library.Page("default", 1, 100, func(*app.Recipe) bool { return true }); len(list) != 1 || list[0].ID != "good" {
		t.Errorf("offered: %v", list)
	}
	if left := fresh.LeftOut(); len(left) != 4 || len(strings.Join(left, "")) > 2000 {
		t.Errorf("left out: %q", left)
	}
}

// TestARunOfAnAppThatIsNotUnderstoodFails instead of being looked at for ever.
func TestARunOfAnAppThatIsNotUnderstoodFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hold = func(string) bool { return true }
	h := open(t, w, small)
	task := h.run("small", `{"idea":"cats"}`)
	h.stop()
	h = open(t, w, small)
	bad := strings.Replace(small, "${inputs.idea}", "${"+strings.Repeat("[", 4000)+"}", 1)
	broken := *task
	broken.Order.Recipe = bad
	status, err := h.Look(t.Context(), &broken)
	if err != nil || status.State != media.Failed || status.Failure == nil || status.Failure.Class != media.BadInput {
		t.Errorf("%+v, %v", status, err)
	}
}

// TestMostOfEverythingIsBounded is about what a file may hold.
func TestMostOfEverythingIsBounded(t *testing.T) {
	t.Parallel()
	many := func(n int, one string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(one, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	head := "app: a\nmedia_type: image\n"
	step := "steps: [{id: a, chat: {model: test/chat, prompt: hi}}]\nresult: {texts: hi}\n"
	for name, c := range map[string]struct{ source, want string }{
		"bytes":       {head + step + "# " + strings.Repeat("x", 300_000), "at most 256 KB"},
		"steps":       {head + "steps:\n" + many(51, "  - {id: s#, chat: {model: m, prompt: hi}}\n") + "result: {texts: hi}\n", "at most 50 steps"},
		"inputs":      {head + "inputs:\n" + many(101, "  - {name: i#, type: string}\n") + step, "at most 100 inputs"},
		"expressions": {head + "steps: [{id: a, chat: {model: m, prompt: '" + strings.Repeat("${1}", 501) + "'}}]\nresult: {texts: hi}\n", "more than 500 expressions"},
		"length":      {head + strings.Replace(step, "texts: hi", "texts: '${1"+strings.Repeat(" + 1", 2000)+"}'", 1), "at most 4 KB"},
		"nodes":       {head + strings.Replace(step, "texts: hi", "texts: '${string(1"+strings.Repeat("+1", 500)+")}'", 1), "maximum allowed nodes"},
		"depth":       {head + strings.Replace(step, "texts: hi", "texts: '${"+strings.Repeat("(", 100)+"'}", 1) + "", ""},
		"pattern":     {head + strings.Replace(step, "prompt: hi", "prompt: hi, schema: {type: string, pattern: '"+strings.Repeat(".{900}", 50)+"'}", 1), "no JSON Schema"},
	} {
		_, err := app.Read("a.yaml", []byte(c.source))
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 2000 {
			t.Errorf("%s: %.300v", name, err)
		}
	}
	if _, err := app.Read("a.yaml", []byte(head+step)); err != nil {
		t.Error(err)
	}
}

// TestInputsOfARunAreBounded together, beside each of them.
func TestInputsOfARunAreBounded(t *testing.T) {
	t.Parallel()
	h := open(t, newWorld(t), "app: long\nmedia_type: image\ninputs: [{name: list, type: array, max_items: 100}]\nsteps: [{id: a, chat: {model: test/chat, prompt: hi}}]\nresult: {texts: hi}\n")
	long := `"` + strings.Repeat("x", 90_000) + `"`
	_, err := h.Create(t.Context(), who, generation.NewID(), "long", []byte(`{"list":[`+strings.Repeat(long+",", 59)+long+`]}`))
	wantFault(t, err, fault.InvalidParameter, "at most 4 MB")
	if _, err := h.Create(t.Context(), who, generation.NewID(), "long", []byte(`{"list":[`+strings.Repeat(long+",", 9)+long+`]}`)); err != nil {
		t.Error(err)
	}
}

var errLeft = errors.New("the browser has left")

// TestAPriceEndsWithItsCaller does not reckon for a browser that has left.
func TestAPriceEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	h := open(t, newWorld(t), greedyApp("sums", "with", greedy["sums"]))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errLeft)
	if _, err := h.Create(ctx, who, generation.DryRun, "sums", []byte(`{"text":"x"}`)); !errors.Is(err, errLeft) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
