package apps

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/console/page"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/price"
)

// runPage is one run of an app.
type runPage struct {
	ID, App  string
	Name     string
	Version  int
	Status   string
	Tone     string
	Final    bool
	Stopping bool
	Percent  int
	Began    *page.Moment
	Took     string
	Cost     string
	Held     bool // the cost is an estimate
	Who      string
	Problem  string
	Result   []runOutput
	Lead     bool // the first of it is what the rest belongs to
	Inputs   []runInput
	Same     []runValue // the form that runs it again
	Next     string     // the id of that run
	Known    bool       // the app is still offered
	Steps    []runStep
}

type runInput struct {
	Label string
	Value string
	Files []appFile
}

type runValue struct{ Name, Value string }

func (c *Room) showRun(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p, err := c.runPage(r, v)
	if err != nil {
		return err
	}
	return c.Render(w, r, http.StatusOK, "app_run", page.View{Title: "Run of " + p.Name, Active: "apps", Visitor: &v, Data: p})
}

// liveRun is the part of the page that changes while a run goes on.
func (c *Room) liveRun(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p, err := c.runPage(r, v)
	if err != nil {
		return err
	}
	return c.Fragment(w, r, http.StatusOK, "app_run", "live", page.View{Active: "apps", Visitor: &v, Data: p})
}

func (c *Room) cancelRun(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id, run := r.PathValue("app"), r.PathValue("run")
	if _, err := c.Tasks.Find(r.Context(), v.Session.Workspace, id, run); err != nil {
		return err
	}
	_, err := c.Tasks.CancelBy(r.Context(), v.Principal(), run)
	return c.Done(w, r, err, "/console/apps/"+id+"/runs/"+run)
}

func (c *Room) runPage(r *http.Request, v access.Visitor) (runPage, error) {
	ctx := r.Context()
	t, err := c.Tasks.Find(ctx, v.Session.Workspace, r.PathValue("app"), r.PathValue("run"))
	if err != nil {
		return runPage{}, err
	}
	p := runPage{
		ID: t.ID, App: t.App, Name: t.App, Version: appVersionOf(t.Order.Recipe), Status: runWord(t.State), Tone: page.StateTone(t.State),
		Final: t.State.Final(), Stopping: t.Stopping && !t.State.Final(), Percent: int(t.Progress * 100), Began: c.At(t.Created),
		Cost: price.Amount(t.Nano).Exact(), Held: !t.State.Final() && t.Nano > 0, Who: c.namesFor(ctx, v)(t), Problem: t.Message, Next: generation.NewID(),
	}
	end := t.Ended
	if !p.Final {
		end = c.Now()
	}
	p.Took = page.FormatDuration(end.Sub(t.Created))
	if t.State == media.Success {
		p.Percent = 100
		p.Result = c.appOutputs(t.Outputs)
		slices.SortStableFunc(p.Result, func(a, b runOutput) int { return cmp.Compare(outputRank(a, t), outputRank(b, t)) })
		p.Lead = len(p.Result) > 1 && p.Result[0].Kind == "video"
	}
	line, err := c.Runner.Timeline(ctx, t)
	if err != nil {
		return p, err
	}
	p.Name, p.Version = line.Recipe.Name, line.Recipe.Version
	p.Steps = c.appTimeline(line, t, end)
	form := newAppForm(line.Recipe)
	form.fill(&t.Order)
	for _, f := range c.showForm(ctx, v, form) {
		p.Inputs = append(p.Inputs, runInput{Label: f.Label, Value: f.Value, Files: f.Files})
		for _, value := range form.values[f.Name] {
			p.Same = append(p.Same, runValue{"in." + f.Name, value})
		}
	}
	p.Inputs = slices.DeleteFunc(p.Inputs, func(in runInput) bool { return in.Value == "" && len(in.Files) == 0 })
	_, gone := c.Runner.Open(v.Principal(), t.App)
	p.Known = gone == nil
	return p, nil
}

// outputRank puts what an app is for before what it makes on the way.
func outputRank(o runOutput, t *generation.Task) int {
	switch o.Kind {
	case t.MediaType:
		return 0
	case "text", "data":
		return 2
	}
	return 1
}

// runStep is a step of a run as the timeline shows it.
type runStep struct {
	ID, Kind, Model string
	State           string
	Tone            string
	Took            string
	Count           string // 3 of 5
	Bars            []runBar
	Height          int // of the drawing, in its own units
	Items           []runItem
	Problem         string
}

// runBar is when one item was worked on, in hundredths of the run.
type runBar struct {
	From, Width string
	Y           int
	Tone        string
	Live        bool
}

// runItem is one item of a step with what it made.
type runItem struct {
	Number  int // from 1; 0 where the step has no items
	State   string
	Tone    string
	Took    string
	Cost    string
	Again   int // tries before this one
	Problem string
	Outputs []runOutput
	Waits   bool
}

// runOutput is something that was made.
type runOutput struct {
	Kind          string // image, video, audio, text or data
	URL, Poster   string
	Name          string
	Width, Height int
	Text          string
	Short         bool // the text is shown unfolded
	JSON          template.HTML
	Key           string // the same for the same thing, so that a page may keep it
}

const (
	barHeight = 5
	barGap    = 2
	mostBars  = 16
)

// appTimeline draws the steps of a run that has lasted until end.
func (c *Room) appTimeline(line *app.Timeline, t *generation.Task, end time.Time) []runStep {
	whole := max(end.Sub(t.Created), time.Millisecond)
	place := func(at time.Time) float64 { return min(1, max(0, float64(at.Sub(t.Created))/float64(whole))) * 100 }
	var list []runStep
	for i := range line.Steps {
		s := &line.Steps[i]
		step := runStep{ID: s.ID, Kind: stepWord(s), Model: s.Model, State: runWord(s.State), Tone: page.StateTone(s.State)}
		if s.State == media.Canceled {
			step.State = "not done"
		}
		if s.State == media.Pending || s.State == media.Canceled && s.Began.IsZero() {
			step.Tone = ""
		}
		if !s.Began.IsZero() {
			step.Took = page.FormatDuration(until(s.Ended, end).Sub(s.Began))
		}
		done := 0
		for _, d := range s.Items {
			if d.State == app.Finished {
				done++
			}
			if d.State == app.Failed && s.State == media.Failed && step.Problem == "" {
				step.Problem = d.Message
			}
			if d.State != app.Skipped {
				step.Items = append(step.Items, c.runItemOf(s, d, end))
			}
		}
		if len(step.Items) == 1 && step.Items[0].Problem == step.Problem && step.Problem != "" {
			step.Items = nil // it failed as a whole: once is enough
		} else if s.Each && s.Total > 0 {
			step.Count = fmt.Sprintf("%d of %d", done, s.Total)
			for n := len(step.Items); n < s.Total && !t.State.Final(); n++ {
				step.Items = append(step.Items, runItem{Number: n + 1, Waits: true, State: "waiting"})
			}
		}
		step.draw(s, end, place)
		list = append(list, step)
	}
	return list
}

// draw makes a bar for every item, beneath each other.
func (r *runStep) draw(s *app.StepView, end time.Time, place func(time.Time) float64) {
	add := func(from, to time.Time, tone string, live bool) {
		if from.IsZero() || len(r.Bars) == mostBars {
			return
		}
		x := place(from)
		r.Bars = append(r.Bars, runBar{
			From: fmt.Sprintf("%.2f", x), Width: fmt.Sprintf("%.2f", max(0.6, place(to)-x)), Y: len(r.Bars) * (barHeight + barGap), Tone: tone, Live: live,
		})
	}
	for _, d := range s.Items {
		switch {
		case d.State == app.Skipped:
		case d.State == app.Started:
			add(d.Began, until(s.Ended, end), page.StateTone(s.State), s.Ended.IsZero())
		case d.State == app.Failed:
			add(d.Began, d.Saved, "bad", false)
		default:
			add(d.Began, d.Saved, "good", false)
		}
	}
	if len(r.Bars) == 0 && s.State == media.Processing {
		add(s.Began, end, "cool", true)
	}
	r.Height = max(1, len(r.Bars))*(barHeight+barGap) - barGap
}

func until(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t
}

func (c *Room) runItemOf(s *app.StepView, d app.Done, end time.Time) runItem {
	item := runItem{Again: d.Try}
	if s.Each {
		item.Number = d.Place + 1
	}
	if d.Nano > 0 {
		item.Cost = price.Amount(d.Nano).Exact()
	}
	switch d.State {
	case app.Started:
		item.State, item.Tone = "running", "cool"
		if s.State == media.Canceled {
			item.State, item.Tone = "stopped", "warn"
		}
		item.Took = page.FormatDuration(until(s.Ended, end).Sub(d.Began))
	case app.Failed:
		item.State, item.Tone, item.Problem = "failed", "bad", d.Message
	default:
		item.State, item.Tone = "done", "good"
	}
	if d.State != app.Started && !d.Began.IsZero() {
		item.Took = page.FormatDuration(d.Saved.Sub(d.Began))
	}
	item.Outputs = c.appOutputs(d.Outputs)
	if d.Said != "" {
		item.Outputs = append(item.Outputs, showAnswer(d.Said, s.Writes))
	}
	for i := range item.Outputs {
		item.Outputs[i].Key = fmt.Sprintf("%s-%d-%d", s.ID, d.Place, i)
	}
	return item
}

// appOutputs shows what was made, each with what belongs to it.
func (c *Room) appOutputs(made []generation.Made) []runOutput {
	var list []runOutput
	for place, m := range made {
		if m.Role != "" {
			continue
		}
		o := runOutput{Kind: m.Kind, Width: m.Width, Height: m.Height, Name: m.Title, Key: fmt.Sprintf("result-%d", place)}
		switch m.Kind {
		case "text":
			key := o.Key
			o = showAnswer(m.Text, false)
			o.Key = key
		case "data":
			o.JSON = appJSON(string(m.Data))
		default:
			o.URL = page.LocalAddress(c.Files.URL(m.File, m.Type))
			for _, beside := range made {
				if beside.Of == place && (beside.Role == media.Thumbnail || beside.Role == media.Cover) {
					o.Poster = page.LocalAddress(c.Files.URL(beside.File, beside.Type))
				}
			}
		}
		list = append(list, o)
	}
	return list
}

// showAnswer shows what a chat model said.
func showAnswer(text string, isJSON bool) runOutput {
	if isJSON {
		return runOutput{Kind: "data", JSON: appJSON(text)}
	}
	return runOutput{Kind: "text", Text: text, Short: len(text) < 400}
}

// appJSON is JSON as people read it; what is none stays as it is.
func appJSON(text string) template.HTML {
	v := jsontext.Value(bytes.TrimSpace([]byte(text)))
	if v.Indent(jsontext.WithIndent("  ")) == nil {
		text = string(v)
	}
	return page.Highlight(text)
}

func stepWord(s *app.StepView) string {
	switch s.Kind {
	case "generate":
		if s.Mode != "" {
			return strings.ReplaceAll(s.Mode, "_", " ")
		}
		return "make"
	case "fetch":
		return "fetch a file"
	case "convert":
		return "convert pictures"
	case "compose":
		return "compose pictures"
	}
	return s.Kind
}
