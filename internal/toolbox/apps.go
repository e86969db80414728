package toolbox

import (
	"context"
	"fmt"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/client"
)

const (
	appsPerPage  = 100
	mostAppPages = 20
)

func (b *Toolbox) addApps() {
	addTool(b, mcp.Tool{
		Name: "list_apps", Annotations: hints("List apps", true),
		Description: "List the apps that the key opens, with the inputs that each takes: recipes of several steps, such as a social card, a storyboard or a narrated slideshow.",
	}, b.listApps)
	addTool(b, mcp.Tool{
		Name: "run_app", Annotations: hints("Run an app", false),
		Description: "Run an app with the inputs that list_apps names. Saves what was made and returns the paths, and texts where the app writes some.",
	}, b.runApp)
}

// app is an app as the server lists it, as far as agents need it.
type app struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	MediaType   string  `json:"media_type"`
	Inputs      []input `json:"inputs"`
	Listed      []input `json:"input_parameters,omitempty"`
}

type input struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Required    bool     `json:"required,omitzero"`
	Default     any      `json:"default,omitempty"`
	Enum        []any    `json:"enum,omitempty"`
	Min         *float64 `json:"min,omitempty"`
	Max         *float64 `json:"max,omitempty"`
	MaxItems    int      `json:"max_items,omitzero"`
	MaxLength   int      `json:"max_length,omitzero"`
	Media       string   `json:"media,omitempty"` // the kind of file that it takes
}

type listAppsIn struct {
	Search string `json:"search,omitempty" jsonschema:"only apps whose id, name or description has this text"`
}

type appList struct {
	Apps []app  `json:"apps"`
	More int    `json:"more,omitzero"` // that were left out
	Note string `json:"note,omitempty"`
}

func (b *Toolbox) listApps(ctx context.Context, _ *call, in listAppsIn) (any, error) {
	var all []app
	for page := 1; page <= mostAppPages; page++ {
		var list []app
		if err := b.server.Get(ctx, fmt.Sprintf("/api/v1/apps?limit=%d&page=%d", appsPerPage, page), &list); err != nil {
			return nil, err
		}
		for _, a := range list {
			if contains(in.Search, a.ID, a.Name, a.Description) {
				a.Inputs, a.Listed = a.Listed, nil
				all = append(all, a)
			}
		}
		if len(list) < appsPerPage {
			break
		}
	}
	var out appList
	if out.Apps, out.More = firstOf(all); out.More > 0 {
		out.Note = "Use search to see the others."
	}
	return out, nil
}

type runAppIn struct {
	App    string         `json:"app" jsonschema:"the app's id as list_apps gives it"`
	Inputs map[string]any `json:"inputs" jsonschema:"the app's inputs by name; files are paths of local files, file ids or URLs"`
	ordering
}

func (b *Toolbox) runApp(ctx context.Context, c *call, in runAppIn) (any, error) {
	var about app
	if err := b.server.Get(ctx, "/api/v1/apps/"+url.PathEscape(in.App), &about); err != nil {
		return nil, err
	}
	fields := fieldsOf(in.Inputs, nil)
	for _, one := range about.Listed {
		if one.Media == "" {
			continue
		}
		if err := b.uploadField(ctx, fields, one.Name); err != nil {
			return nil, err
		}
	}
	return b.place(ctx, c, client.AppPath(in.App), fields, in.ordering, in.App)
}
