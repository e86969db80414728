package studio

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/generation"
)

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
	return "curl " + page.QuoteShell(c.Root()+path) + " \\\n  -H \"Authorization: Bearer $STELE_API_KEY\" \\\n  -H 'Content-Type: application/json' \\\n  -d " +
		page.QuoteShell(body)
}

// orderSettings are the parameters of the order.
func orderSettings(t *generation.Task) []studioFact {
	var list []studioFact
	for name, value := range t.Order.Parameters {
		list = append(list, studioFact{Name: inWords(name), Value: strings.Join(formTexts(value), ", ")})
	}
	slices.SortFunc(list, func(a, b studioFact) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// generationFacts are what is known of a generation beside what it made.
func (c *Room) generationFacts(ctx context.Context, v access.Visitor, t *generation.Task) []studioFact {
	list := []studioFact{{Name: "Model", Value: t.Model, Code: true}, {Name: "Mode", Value: modeLabel(t.Mode)}}
	if t.App != "" {
		list = append([]studioFact{{Name: "App", Value: t.App, Code: true, Link: c.appRunAddress(t)}}, list...)
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
		list = append(list, studioFact{Name: "Took", Value: page.Spent(t.Ended.Sub(t.Created))})
	}
	list = append(list, studioFact{Name: "Provider", Value: t.Provider, Code: true}, studioFact{Name: "Ordered by", Value: c.orderedBy(ctx, v, t)})
	if t.Environment != "" {
		list = append(list, studioFact{Name: "Environment", Value: t.Environment})
	}
	list = append(list, studioFact{Name: "Id", Value: t.ID, Code: true})
	if !t.Ended.IsZero() && c.Has("requests") {
		list = append(list, studioFact{Name: "Request", Value: "Tries, timings and price", Link: "/console/requests/" + t.ID})
	}
	return list
}

// appRunAddress is where the run of an app is shown step by step, "" where there
// is no such room.
func (c *Room) appRunAddress(t *generation.Task) string {
	if !c.Has("apps") {
		return ""
	}
	return "/console/apps/" + url.PathEscape(t.App) + "/runs/" + t.ID
}

// orderedBy is the name of the key, or the console.
func (c *Room) orderedBy(ctx context.Context, v access.Visitor, t *generation.Task) string {
	if t.Key == "" {
		return "Console"
	}
	keys, err := c.Access.Keys(ctx, v.Principal(), "")
	if err == nil {
		for _, k := range keys {
			if k.ID == t.Key {
				return k.Name
			}
		}
	}
	return t.Key
}
