package apps

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/price"
	"stele/internal/uid"
)

// appPrice is what a run will cost at most, or why that is not known yet.
type appPrice struct {
	Known   bool
	USD     string
	Credits page.Count
	Free    bool
	Chats   bool // what chats cost comes on top
	Waits   string
}

// priceApp tells what a run would cost with what is in the form now.
func (c *Room) priceApp(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	recipe, err := c.openToRun(w, r, v)
	if err != nil {
		return err
	}
	p := c.appPriceOf(r.Context(), v, &recipe, readAppForm(&recipe, r.PostForm))
	return c.Fragment(w, r, http.StatusOK, "app", "price", page.View{Visitor: &v, Data: p})
}

// appPriceOf tries a run out. Only files that are here already are looked at: a price
// is asked for too often to fetch anything for it.
func (c *Room) appPriceOf(ctx context.Context, v access.Visitor, recipe *app.Recipe, f *appForm) appPrice {
	_, talkers := recipe.Models()
	p := appPrice{Chats: len(talkers) > 0}
	for _, in := range recipe.Inputs {
		if in.Media != "" && slices.ContainsFunc(f.values[in.Name], func(id string) bool { return id != "" && !uid.Is("file", id) }) {
			p.Waits = "The price shows when the run begins."
			return p
		}
	}
	p.Waits = "The price shows when the form is filled in."
	body, err := f.body(true)
	if err != nil {
		return p
	}
	t, err := c.Runner.Create(ctx, v.Principal(), generation.DryRun, recipe.ID, body)
	if err != nil {
		if e := fault.From(err); e.Code != fault.Internal && e.Code != fault.MissingParameter {
			p.Waits = e.Message
		}
		return p
	}
	p.Waits = ""
	p.Known, p.USD, p.Credits, p.Free = true, price.GroupThousands(price.Amount(t.Nano).String()), page.Count(t.Credits), t.Nano == 0
	return p
}

func runWord(s media.State) string {
	words := map[media.State]string{media.Pending: "waiting", media.Processing: "running", media.Success: "done"}
	return cmp.Or(words[s], string(s))
}

// appGist is the longest text among what a run was given, cut: people know runs by it.
func appGist(values map[string]any) string {
	best := ""
	for _, v := range values {
		if text, ok := v.(string); ok && (len(text) > len(best) || len(text) == len(best) && text < best) {
			best = text
		}
	}
	return page.Shorten(strings.Join(strings.Fields(best), " "), 60)
}

// appVersionOf finds the version in the text of an app.
func appVersionOf(source string) int {
	for line := range strings.Lines(source) {
		if value, ok := strings.CutPrefix(line, "version:"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(value))
			return n
		}
	}
	return 0
}

// appCurl is a command that runs an app as pasted, with a key in its place.
func appCurl(root string, recipe *app.Recipe) string {
	var given []string
	for i := range recipe.Inputs {
		in := &recipe.Inputs[i]
		if !in.Required {
			continue
		}
		value := `"…"`
		switch {
		case in.Media != "" && in.Type == "array":
			value = `["file_…"]`
		case in.Media != "":
			value = `"file_…"`
		case in.Type == "array":
			value = `["…"]`
		case in.Type == "boolean":
			value = "true"
		case in.Type != "string":
			value = "1"
		}
		given = append(given, `"`+in.Name+`": `+value)
	}
	return page.Curl(root+"/api/v1/apps/"+recipe.ID+"/generations", "{"+strings.Join(given, ", ")+"}")
}
