package console

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
)

// choice is an option of a select, with the duration it stands for.
type choice struct {
	Value, Label string
	length       time.Duration
}

const day = 24 * time.Hour

func lifetimes() []choice {
	return []choice{
		{"never", "Never", 0},
		{"24h", "24 hours", day},
		{"7d", "7 days", 7 * day},
		{"30d", "30 days", 30 * day},
		{"90d", "90 days", 90 * day},
		{"365d", "365 days", 365 * day},
	}
}

func graces() []choice {
	return []choice{
		{"none", "ends at once", 0},
		{"1h", "works for 1 more hour", time.Hour},
		{"24h", "works for 24 more hours", day},
		{"7d", "works for 7 more days", 7 * day},
	}
}

// keyForm is the form for a new key, as it was filled in.
type keyForm struct {
	Name        string
	Environment string
	Scopes      []scopeBox
	Models      string
	Expires     string
	Sandbox     bool
	Problems    map[string]string // field → sentence
	Lifetimes   []choice
}

type scopeBox struct {
	Name, About string
	Ticked      bool
}

func newKeyForm() keyForm {
	f := keyForm{Environment: string(access.Development), Expires: "never", Lifetimes: lifetimes(), Scopes: scopeBoxes()}
	for i := range f.Scopes {
		f.Scopes[i].Ticked = true
	}
	return f
}

func readKeyForm(v url.Values) keyForm {
	f := keyForm{
		Name: v.Get("name"), Environment: v.Get("environment"), Models: v.Get("models"), Expires: v.Get("expires"),
		Sandbox: v.Has("sandbox"), Lifetimes: lifetimes(), Scopes: scopeBoxes(),
	}
	for i := range f.Scopes {
		f.Scopes[i].Ticked = slices.Contains(v["scope"], f.Scopes[i].Name)
	}
	return f
}

// key is what the form asks for. Every box ticked means every route, later ones
// included; none ticked is refused, because access would take it for all.
func (f keyForm) key() (access.NewKey, error) {
	n := access.NewKey{
		Name: f.Name, Environment: access.Environment(f.Environment), Sandbox: f.Sandbox,
	}
	for line := range strings.Lines(f.Models) {
		if glob := strings.TrimSpace(line); glob != "" {
			n.Scope.Models = append(n.Scope.Models, glob)
		}
	}
	for _, box := range f.Scopes {
		if box.Ticked {
			n.Scope.Groups = append(n.Scope.Groups, access.Group(box.Name))
		}
	}
	switch len(n.Scope.Groups) {
	case 0:
		return n, fault.New(fault.InvalidParameter, "Tick at least one: a key that opens nothing is of no use.").With("field", "scope")
	case len(f.Scopes):
		n.Scope.Groups = nil
	}
	if f.Expires == "" {
		return n, nil
	}
	var err error
	n.Lifetime, err = chosen(lifetimes(), f.Expires, "expires")
	return n, err
}

// graceOf reads how long the secret before a rotation lives on; "" is not at all.
func graceOf(value string) (time.Duration, error) {
	if value == "" {
		return 0, nil
	}
	return chosen(graces(), value, "grace")
}

func chosen(from []choice, value, field string) (time.Duration, error) {
	i := slices.IndexFunc(from, func(c choice) bool { return c.Value == value })
	if i < 0 {
		return 0, fault.New(fault.InvalidParameter, "%q is not one of the choices.", value).With("field", field)
	}
	return from[i].length, nil
}

func scopeBoxes() []scopeBox {
	about := map[access.Group]string{
		access.GroupChat:   "Conversations in all three dialects",
		access.GroupModels: "The list of chat models",
		access.GroupFiles:  "Uploads",
		access.GroupMedia:  "Images, video and sound",
		access.GroupApps:   "Apps and their results",
	}
	var boxes []scopeBox
	for _, g := range access.Groups() {
		boxes = append(boxes, scopeBox{Name: string(g), About: about[g]})
	}
	return boxes
}
