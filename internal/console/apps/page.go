package apps

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/price"
	"stele/internal/uid"
)

const runsShown = 20

// appPage is an app: its form, what it is made of, and its runs.
type appPage struct {
	appCard

	Run     string // the id that the next run will have: one form, one run
	Fields  []appField
	Problem string // of the form as a whole
	Price   appPrice
	Plan    []appStep
	Models  []string
	Runs    []runRow
	Older   string // the query of the page with older runs, "" where there are none
	Mine    bool   // it is written in this workspace
	Shared  bool
	Changed bool // the draft is not what is offered
	Curl    string
}

// appStep is a step as a list shows it.
type appStep struct{ ID, Kind, Model, Note string }

// runRow is a run as the table shows it.
type runRow struct {
	ID      string
	Status  string
	Tone    string
	Began   *page.Moment
	Took    string
	Cost    string
	Who     string
	Version int
	What    string // the first words it was given
}

func (c *Room) showApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	recipe, err := c.Runner.Open(v.Principal(), r.PathValue("app"))
	if err != nil {
		if _, mine := c.Editor.Draft(r.Context(), v.Principal(), r.PathValue("app")); mine == nil {
			return c.Redirect(w, r, "/console/apps/"+url.PathEscape(r.PathValue("app"))+"/edit")
		}
		return refuseNoApp(err)
	}
	form := newAppForm(&recipe)
	if again := r.URL.Query().Get("again"); again != "" {
		t, err := c.Tasks.Find(r.Context(), v.Session.Workspace, recipe.ID, again)
		if err != nil {
			return err
		}
		form.fill(&t.Order)
	}
	return c.appPage(w, r, v, http.StatusOK, &recipe, form, "")
}

// appPage shows an app with a form that was filled in.
func (c *Room) appPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, recipe *app.Recipe, form *appForm, problem string) error {
	ctx := r.Context()
	p := appPage{appCard: c.card(recipe), Run: generation.NewID(), Problem: problem, Plan: appPlan(recipe), Curl: appCurl(c.Root(), recipe)}
	makers, talkers := recipe.Models()
	p.Models = slices.Compact(slices.Sorted(slices.Values(append(makers, talkers...))))
	p.Fields = c.showForm(ctx, v, form)
	p.Price = c.appPriceOf(ctx, v, recipe, form)
	if recipe.Origin == app.FromConsole {
		if d, err := c.Editor.Draft(ctx, v.Principal(), recipe.ID); err == nil {
			p.Mine, p.Shared = true, d.Shared
			offered, err := c.Editor.Version(ctx, v.Principal(), d.ID, d.Offered)
			p.Changed = err == nil && offered.Source != d.Source
		}
	}
	if err := c.listRuns(r, v, &p); err != nil {
		return err
	}
	return c.Render(w, r, status, "app", page.View{Title: recipe.Name, Active: "apps", Visitor: &v, Data: p})
}

// listRuns lists runs, the newest first, from where the page says on.
func (c *Room) listRuns(r *http.Request, v access.Visitor, p *appPage) error {
	wanted := generation.Wanted{Workspace: v.Session.Workspace, App: p.ID, Limit: runsShown + 1}
	if before := r.URL.Query().Get("before"); before != "" {
		t, err := c.Tasks.Find(r.Context(), v.Session.Workspace, p.ID, before)
		if err != nil {
			return err
		}
		wanted.Before = t.Cursor()
	}
	tasks, err := c.Books.List(r.Context(), wanted)
	if err != nil {
		return err
	}
	if len(tasks) > runsShown {
		tasks = tasks[:runsShown]
		p.Older = "?before=" + tasks[runsShown-1].ID
	}
	names := c.namesFor(r.Context(), v)
	for i := range tasks {
		p.Runs = append(p.Runs, c.runRow(&tasks[i], names))
	}
	return nil
}

func (c *Room) runRow(t *generation.Task, who func(*generation.Task) string) runRow {
	row := runRow{
		ID: t.ID, Status: runWord(t.State), Tone: page.StateTone(t.State), Began: c.At(t.Created), Cost: price.Amount(t.Nano).Exact(),
		Who: who(t), Version: appVersionOf(t.Order.Recipe), What: appGist(t.Order.Parameters),
	}
	if !t.Ended.IsZero() {
		row.Took = page.FormatDuration(t.Ended.Sub(t.Created))
	}
	return row
}

// namesFor finds by what name people know the one who ordered a run.
func (c *Room) namesFor(ctx context.Context, v access.Visitor) func(*generation.Task) string {
	known := map[string]string{"": "", v.User.ID: v.User.Email}
	keys := sync.OnceFunc(func() {
		names, err := page.KeyNames(ctx, c.Access, v)
		if err != nil {
			return // their ids have to do
		}
		maps.Copy(known, names)
	})
	return func(t *generation.Task) string {
		if t.Key != "" {
			if keys(); known[t.Key] != "" {
				return known[t.Key]
			}
			return t.Key
		}
		id := t.Order.User
		if _, seen := known[id]; !seen {
			known[id] = c.emailOf(ctx, id)
		}
		return known[id]
	}
}

func (c *Room) emailOf(ctx context.Context, id string) string {
	email, err := c.Books.EmailOf(ctx, id)
	if err != nil {
		return "somebody who left"
	}
	return email
}

// openToRun finds an app and reads what is to go into it.
func (c *Room) openToRun(w http.ResponseWriter, r *http.Request, v access.Visitor) (app.Recipe, error) {
	recipe, err := c.Runner.Open(v.Principal(), r.PathValue("app"))
	if err != nil {
		return recipe, refuseNoApp(err)
	}
	return recipe, readParts(w, r)
}

// runApp runs an app. The form brings the id of its run, so that sending it twice
// is one run.
func (c *Room) runApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	recipe, err := c.openToRun(w, r, v)
	if err != nil {
		return err
	}
	id := r.PostForm.Get("run")
	if !uid.Is("gen", id) {
		return fault.New(fault.InvalidRequestBody, "The form is not whole: open the app's page again.")
	}
	form := readAppForm(&recipe, r.PostForm)
	body, err := form.body(false)
	if err != nil {
		return err
	}
	_, err = c.Runner.Create(r.Context(), v.Principal(), id, recipe.ID, body)
	if errors.Is(err, access.ErrExists) {
		_, err = c.Tasks.Find(r.Context(), v.Session.Workspace, recipe.ID, id)
	}
	if e := fault.From(err); err != nil && e.Code.Status() < http.StatusInternalServerError && e.Code.Status() != http.StatusNotFound {
		status, sentence := http.StatusUnprocessableEntity, form.blame(e)
		return c.appPage(w, r, v, status, &recipe, form, sentence)
	}
	return c.Done(w, r, err, "/console/apps/"+recipe.ID+"/runs/"+id)
}

func refuseNoApp(err error) error {
	if fault.From(err).Code == fault.AppNotFound {
		return fault.New(fault.NotFound, "There is no such app, or not one that this workspace may see.")
	}
	return err
}

func appPlan(recipe *app.Recipe) []appStep {
	var list []appStep
	for i := range recipe.Steps {
		s := &recipe.Steps[i]
		step := appStep{ID: s.ID, Kind: "file"}
		switch {
		case s.Chat != nil:
			step.Kind, step.Model = "chat", s.Chat.Model
		case s.Generate != nil:
			step.Kind, step.Model = strings.ReplaceAll(s.Generate.Mode, "_", " "), s.Generate.Model
		case s.File.Fetch != "":
			step.Kind = "fetch a file"
		case s.File.Convert != nil:
			step.Kind = "convert pictures"
		default:
			step.Kind = "compose pictures"
		}
		var notes []string
		if s.Each != "" {
			notes = append(notes, "for each item")
		}
		if s.When != "" {
			notes = append(notes, "if wanted")
		}
		if s.Optional {
			notes = append(notes, "may fail")
		}
		step.Note = strings.Join(notes, ", ")
		list = append(list, step)
	}
	return list
}
