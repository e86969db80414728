package apps

import (
	"cmp"
	"context"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/generation"
)

// Options is what the room of apps stands on.
type Options struct {
	Runner   *app.Runner
	Editor   *app.Editor
	Tasks    *generation.Service
	Books    Books
	Files    *file.Service
	Models   *catalog.Catalog
	Audit    func(ctx context.Context, e access.Entry) error // writes down what no transaction of a room does
	Pictures fs.FS                                           // of what built-in apps make: social-card.webp; nil: none
}

// Books is what is looked up beside runs.
type Books interface {
	List(ctx context.Context, w generation.Wanted) ([]generation.Task, error)
	EmailOf(ctx context.Context, user string) (string, error)
	Files(ctx context.Context, workspace string, limit int) ([]file.File, error)
}

const mostApps = 500 // in the catalogue

type appsPage struct {
	Cards []appCard
	Kinds []appKind
	Kind  string // image, video or audio; "" for all
}

type appKind struct{ Name, Label string }

// appCard is an app as the catalogue shows it.
type appCard struct {
	ID, Name, About string
	Makes           string
	Origin          string
	Version         int  // 0: never published
	Draft           bool // it is not offered
	Picture         bool
	Steps           int
	Inputs          int
}

// Value and Label make it an option of what a new app begins with.
func (c appCard) Value() string { return c.ID }

// Label says that it is copied.
func (c appCard) Label() string { return "A copy of " + c.Name }

func (c *Room) showApps(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := appsPage{Kind: r.URL.Query().Get("makes"), Kinds: []appKind{{"image", "Pictures"}, {"video", "Clips"}, {"audio", "Sounds"}}}
	var err error
	if p.Cards, err = c.cards(r.Context(), v); err != nil {
		return err
	}
	if p.Kind != "" {
		p.Cards = slices.DeleteFunc(p.Cards, func(a appCard) bool { return a.Makes != p.Kind })
	}
	return c.Render(w, r, http.StatusOK, "apps", page.View{Title: "Apps", Active: "apps", Visitor: &v, Data: p})
}

// cards are the apps that are offered, and the drafts of those that are not.
func (c *Room) cards(ctx context.Context, v access.Visitor) ([]appCard, error) {
	var list []appCard
	recipes, _ := c.Runner.Page(v.Principal(), 1, mostApps)
	for i := range recipes {
		list = append(list, c.card(&recipes[i]))
	}
	drafts, err := c.Editor.Drafts(ctx, v.Principal())
	if err != nil {
		return nil, err
	}
	drafts = slices.DeleteFunc(drafts, func(d app.Draft) bool {
		return slices.ContainsFunc(list, func(a appCard) bool { return a.ID == d.ID })
	})
	read := latest(drafts, mostRead)
	for _, d := range drafts {
		card := appCard{ID: d.ID, Name: d.ID, Origin: string(app.FromConsole), Version: d.Latest, Draft: true}
		if read[d.ID] {
			if card, err = c.draftCard(ctx, v, d.ID); err != nil && fault.From(err).Code == fault.AppNotFound {
				continue // it was deleted since
			} else if err != nil {
				return nil, err
			}
		}
		list = append(list, card)
	}
	return list, nil
}

// mostRead is how many drafts are read for the catalogue: a workspace may have hundreds of long ones. Of
// others it shows what they are called.
const mostRead = 40

// latest are the ids of the drafts that were changed last.
func latest(drafts []app.Draft, most int) map[string]bool {
	sorted := slices.SortedFunc(slices.Values(drafts), func(a, b app.Draft) int { return b.Updated.Compare(a.Updated) })
	ids := make(map[string]bool)
	for _, d := range sorted[:min(len(sorted), most)] {
		ids[d.ID] = true
	}
	return ids
}

func (c *Room) card(r *app.Recipe) appCard {
	return appCard{
		ID: r.ID, Name: r.Name, About: r.Description, Makes: r.MediaType, Origin: string(r.Origin), Version: r.Version,
		Picture: c.appPicture(r) != "", Steps: len(r.Steps), Inputs: len(r.Inputs),
	}
}

// draftCard shows an app that is not offered, as far as its text can be read.
func (c *Room) draftCard(ctx context.Context, v access.Visitor, id string) (appCard, error) {
	d, err := c.Editor.Draft(ctx, v.Principal(), id)
	if err != nil {
		return appCard{}, err
	}
	r, _, err := c.Editor.Check(ctx, v.Principal(), d.ID, d.Source)
	if err != nil {
		return appCard{}, err
	}
	r.ID, r.Version, r.Origin = d.ID, d.Latest, app.FromConsole
	r.Name = cmp.Or(r.Name, d.ID)
	card := c.card(&r)
	card.Draft = true
	return card, nil
}

// appPicture is the file with a picture of what an app makes, "" where there is none.
func (c *Room) appPicture(r *app.Recipe) string {
	name := r.ID + ".webp"
	if c.Pictures == nil || r.Origin != app.FromProgram || strings.Contains(name, "/") {
		return ""
	}
	if _, err := fs.Stat(c.Pictures, name); err != nil {
		return ""
	}
	return name
}

func (c *Room) showAppPicture(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	recipe, err := c.Runner.Open(v.Principal(), r.PathValue("app"))
	if err != nil {
		return err
	}
	name := c.appPicture(&recipe)
	if name == "" {
		return page.NoPage()
	}
	w.Header().Set("Cache-Control", "private, max-age=3600")
	w.Header().Set("Content-Type", "image/webp")
	http.ServeFileFS(w, r, c.Pictures, name) //nolint:gosec // the name is that of an app there is, in a folder of the program
	return nil
}
