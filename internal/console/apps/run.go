package apps

import (
	"cmp"
	"net/http"
	"slices"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/generation"
	"stele/internal/media"
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
	if _, err := c.Tasks.CancelBy(r.Context(), v.Principal(), run); err != nil {
		return err
	}
	return c.Redirect(w, r, "/console/apps/"+id+"/runs/"+run)
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
		Cost: appMoney(t.Nano), Held: !t.State.Final() && t.Nano > 0, Who: c.namesFor(ctx, v)(t), Problem: t.Message, Next: generation.NewID(),
	}
	end := t.Ended
	if !p.Final {
		end = c.Now()
	}
	p.Took = appLength(end.Sub(t.Created))
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
