package studio

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/media"
)

// generationPage is everything about one generation.
type generationPage struct {
	Tile     tile
	Title    string
	Outputs  []outputView
	Data     string // of apps that make data, as JSON
	Facts    []studioFact
	Settings []studioFact
	Inputs   []givenFile
	Advice   string
	Code     string
	Parent   string
	JSON     template.HTML
	Curl     template.HTML
	Newer    string // ids of those beside it in the gallery
	Older    string
	Again    bool // its model can still be asked
}

type outputView struct {
	Kind, Source, Type, Small string
	File                      string
	Width, Height             int
	Shape                     string
	About                     string // size, length, bytes
	Title                     string
	Text                      string
	Save                      string // name to save it under
	Usable                    bool   // some model takes it as its input
	Gone                      bool
}

func (c *Room) showGeneration(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	t, err := c.Generations.Find(r.Context(), v.Session.Workspace, "", r.PathValue("id"))
	if err != nil {
		return noSuchGeneration(err)
	}
	p := generationPage{
		Tile: c.tile(t), Title: generationTitle(t), Facts: c.generationFacts(r.Context(), v, t), Settings: orderSettings(t), Advice: taskAdvice(t.Code), Code: t.Code,
		Parent: t.Parent,
	}
	p.Outputs = c.studioOutputs(r.Context(), v, t)
	for _, o := range t.Outputs {
		if o.Kind == "data" {
			p.Data = string(o.Data)
		}
	}
	for _, s := range t.Order.Sources {
		if f, err := c.Files.File(r.Context(), t.Workspace, s.File); err == nil {
			p.Inputs = append(p.Inputs, c.givenInput(f))
		}
	}
	body := string(exactRequest(t))
	p.JSON, p.Curl = page.Highlight(body), page.Highlight(c.orderCurl(t, body))
	_, err = c.Catalog.OpenMediaModel(t.Model, studioPrincipal(v).Scope)
	p.Again = err == nil && t.App == "" && t.Parent == ""
	if p.Newer, p.Older, err = c.neighbours(r.Context(), t); err != nil {
		return err
	}
	return c.Render(w, r, http.StatusOK, "generation", page.View{Title: p.Title, Active: "studio", Visitor: &v, Data: p})
}

func (c *Room) cancelGeneration(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	t, err := c.Generations.Find(r.Context(), v.Session.Workspace, "", r.PathValue("id"))
	if err == nil {
		t, err = c.Generations.CancelBy(r.Context(), studioPrincipal(v), t.ID)
	}
	if err != nil {
		return noSuchGeneration(err)
	}
	return c.Redirect(w, r, "/console/studio/"+t.ID)
}

func (c *Room) deleteGeneration(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if err := c.Generations.Delete(r.Context(), studioPrincipal(v), r.PathValue("id")); err != nil {
		return noSuchGeneration(err)
	}
	return c.Redirect(w, r, "/console/studio")
}

func noSuchGeneration(err error) error {
	if fault.From(err).Code == fault.GenerationNotFound {
		return fault.New(fault.GenerationNotFound, "There is no such generation. It may have been deleted.")
	}
	return err
}

// neighbours are the generations beside one in the gallery.
func (c *Room) neighbours(ctx context.Context, t *generation.Task) (newer, older string, err error) {
	wanted := generation.Wanted{Workspace: t.Workspace, Limit: 1, Before: t.Cursor()}
	list, err := c.Generations.Store.List(ctx, wanted)
	if err != nil {
		return "", "", err
	}
	if len(list) > 0 {
		older = list[0].ID
	}
	wanted.Before, wanted.After = access.Cursor{}, t.Cursor()
	if list, err = c.Generations.Store.List(ctx, wanted); len(list) > 0 {
		newer = list[0].ID
	}
	return newer, older, err
}

func generationTitle(t *generation.Task) string {
	text, _, _ := strings.Cut(strings.TrimSpace(t.Order.Prompt), "\n")
	text = cmp.Or(text, modeLabel(t.Mode))
	if t.App != "" {
		text = t.App
	}
	return page.Shorten(text, 80)
}

// studioOutputs are all that was made, but for what only belongs to something else.
func (c *Room) studioOutputs(ctx context.Context, v access.Visitor, t *generation.Task) []outputView {
	var list []outputView
	models := c.Catalog.Media(studioPrincipal(v).Scope, "")
	for place, o := range t.Outputs {
		if o.Role != "" || o.Kind == "data" {
			continue
		}
		if o.Kind == "text" {
			list = append(list, outputView{Kind: "text", Text: o.Text})
			continue
		}
		out := outputView{
			Kind: o.Kind, Source: c.fileAddress(o.File, o.Type), Type: o.Type, File: o.File, Width: o.Width, Height: o.Height, Title: o.Title,
			Small: c.picture(t.Outputs, place), About: aboutOutput(o), Usable: takenByAny(models, o.Kind),
		}
		if o.Width > 0 && o.Height > 0 {
			out.Shape = shapeClass(float64(o.Width) / float64(o.Height))
		}
		f, err := c.Files.File(ctx, t.Workspace, o.File)
		if err != nil {
			out.Gone = true
		} else {
			out.Save = f.Name
		}
		list = append(list, out)
	}
	return list
}

func aboutOutput(o generation.Made) string {
	var facts []string
	if o.Width > 0 {
		facts = append(facts, fmt.Sprintf("%d × %d", o.Width, o.Height))
	}
	if length := clockTime(o.Duration); length != "" {
		facts = append(facts, length)
	}
	return strings.Join(append(facts, shortTypes([]string{o.Type}), page.Bytes(o.Size)), " · ")
}

// takenByAny reports whether any model takes such a file.
func takenByAny(models []media.Model, kind string) bool {
	return slices.ContainsFunc(models, func(m media.Model) bool {
		return slices.ContainsFunc(m.Operations, func(o media.Operation) bool {
			_, ok := o.Accepts(kind)
			return ok
		})
	})
}

// studioFact is a line of what is known of a generation.
type studioFact struct {
	Name, Value string
	Link        string // a path of ours that tells more
	Code        bool
	At          *page.Moment
}

// orderCurl is the order as a command.
func (c *Room) orderCurl(t *generation.Task, body string) string {
	path := "/api/v1/generations"
	if t.App != "" {
		path = "/api/v1/apps/" + t.App + "/generations"
	}
	return page.Curl(c.Root()+path, body)
}

// orderSettings are the parameters of the order.
func orderSettings(t *generation.Task) []studioFact {
	var list []studioFact
	for name, value := range t.Order.Parameters {
		list = append(list, studioFact{Name: page.InWords(name), Value: strings.Join(page.FormTexts(value), ", ")})
	}
	slices.SortFunc(list, func(a, b studioFact) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// generationFacts are what is known of a generation beside what it made.
func (c *Room) generationFacts(ctx context.Context, v access.Visitor, t *generation.Task) []studioFact {
	list := []studioFact{{Name: "Model", Value: t.Model, Code: true}, {Name: "Mode", Value: modeLabel(t.Mode)}}
	if t.App != "" {
		list = append([]studioFact{{Name: "App", Value: t.App, Code: true, Link: c.MadeAt(t.ID, t.App)}}, list...)
	}
	price := studioPrice(t.Nano)
	if t.Credits > 0 {
		price += " · " + page.Many(t.Credits, "credit", "credits")
	}
	if !t.State.Final() && t.Nano > 0 {
		price += " (estimated)"
	}
	list = append(list, studioFact{Name: "Cost", Value: price}, studioFact{Name: "Created", At: c.At(t.Created)})
	if !t.Ended.IsZero() {
		list = append(list, studioFact{Name: "Took", Value: page.FormatDuration(t.Ended.Sub(t.Created))})
	}
	list = append(list, studioFact{Name: "Provider", Value: t.Provider, Code: true}, studioFact{Name: "Ordered by", Value: c.ordererOf(ctx, v, t)})
	if t.Environment != "" {
		list = append(list, studioFact{Name: "Environment", Value: t.Environment})
	}
	list = append(list, studioFact{Name: "Id", Value: t.ID, Code: true})
	if !t.Ended.IsZero() && c.Has("requests") {
		list = append(list, studioFact{Name: "Request", Value: "Tries, timings and price", Link: "/console/requests/" + t.ID})
	}
	return list
}

// ordererOf is the name of the key, or the console.
func (c *Room) ordererOf(ctx context.Context, v access.Visitor, t *generation.Task) string {
	if t.Key == "" {
		return "Console"
	}
	if k, err := c.Access.Key(ctx, v.Principal(), t.Key); err == nil {
		return k.Name
	}
	return t.Key
}
