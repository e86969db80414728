package keys

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// choice is an option of a select, with the duration it stands for.
type choice struct {
	Value, Label string
	length       time.Duration
}

func lifetimes() []choice {
	return []choice{
		{"never", "Never", 0},
		{"24h", "In 24 hours", page.Day},
		{"7d", "In 7 days", 7 * page.Day},
		{"30d", "In 30 days", 30 * page.Day},
		{"90d", "In 90 days", 90 * page.Day},
		{"365d", "In 365 days", 365 * page.Day},
	}
}

func graces() []choice {
	return []choice{
		{"none", "ends when the new one is first used", 0},
		{"1h", "works for 1 more hour", time.Hour},
		{"24h", "works for 24 more hours", page.Day},
		{"7d", "works for 7 more days", 7 * page.Day},
		{atOnce, "ends now: it has leaked", 0},
	}
}

// atOnce is the grace of a secret that ends whether the new one is used or not.
const atOnce = "now"

func idles() []choice {
	return []choice{
		{"never", "Never", 0},
		{"7d", "7 days", 7 * page.Day},
		{"30d", "30 days", 30 * page.Day},
		{"90d", "90 days", 90 * page.Day},
	}
}

// addLength adds a length that was chosen elsewhere to the choices, and gives its value.
func addLength(list []choice, length time.Duration) ([]choice, string) {
	i := slices.IndexFunc(list, func(c choice) bool { return c.length == length && c.Value != atOnce })
	if i >= 0 {
		return list, list[i].Value
	}
	text := length.String()
	return append(list, choice{text, lengthOf(length), length}), text
}

// lengthOf is a length of time in words.
func lengthOf(d time.Duration) string {
	if d >= 2*page.Day && d%page.Day == 0 {
		return strconv.Itoa(int(d/page.Day)) + " days"
	}
	if d%time.Hour == 0 && d > time.Hour {
		return strconv.Itoa(int(d/time.Hour)) + " hours"
	}
	return d.String()
}

// keyForm is the form for a new key, as it was filled in.
type keyForm struct {
	Name        string
	Environment string
	Scopes      []scopeBox
	Models      string
	Expires     string
	Idle        string
	CIDRs       string
	Sandbox     bool
	Problems    map[string]string // field → sentence
	Lifetimes   []choice
	Idles       []choice
}

type scopeBox struct {
	Name, About string
	Ticked      bool
}

func newKeyForm() keyForm {
	f := keyForm{Environment: string(access.Development), Expires: "never", Idle: "never", Lifetimes: lifetimes(), Idles: idles(), Scopes: scopeBoxes()}
	for i := range f.Scopes {
		f.Scopes[i].Ticked = true
	}
	return f
}

func readKeyForm(v url.Values) keyForm {
	f := keyForm{
		Name: v.Get("name"), Environment: v.Get("environment"), Models: v.Get("models"), Expires: v.Get("expires"),
		Idle: v.Get("idle_expires"), CIDRs: v.Get("cidrs"), Sandbox: v.Has("sandbox"),
		Lifetimes: lifetimes(), Idles: idles(), Scopes: scopeBoxes(),
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
	n.Scope.Models, n.CIDRs = page.Lines(f.Models), page.Lines(f.CIDRs)
	var err error
	if n.Scope.Groups, err = readTicked(f.Scopes); err != nil {
		return n, err
	}
	if f.Idle != "" {
		if n.Idle, err = readChoice(f.Idles, f.Idle, "idle_expires"); err != nil {
			return n, err
		}
	}
	if f.Expires != "" {
		n.Lifetime, err = readChoice(f.Lifetimes, f.Expires, "expires")
	}
	return n, err
}

// readTicked reads the groups of ticked boxes; all of them are none, which means all.
func readTicked(boxes []scopeBox) ([]access.Group, error) {
	var groups []access.Group
	for _, box := range boxes {
		if box.Ticked {
			groups = append(groups, access.Group(box.Name))
		}
	}
	switch len(groups) {
	case 0:
		return nil, fault.New(fault.InvalidParameter, "Tick at least one: a key that opens nothing is of no use.").Field("scope")
	case len(boxes):
		return nil, nil
	}
	return groups, nil
}

// rotationOf reads how long the secrets before a rotation live on; "" is until the
// new one is used.
func rotationOf(value string) (access.Rotation, error) {
	if value == "" {
		return access.Rotation{}, nil
	}
	grace, err := readChoice(graces(), value, "grace")
	return access.Rotation{Grace: grace, AtOnce: value == atOnce}, err
}

func readChoice(from []choice, value, field string) (time.Duration, error) {
	i := slices.IndexFunc(from, func(c choice) bool { return c.Value == value })
	if i < 0 {
		return 0, fault.New(fault.InvalidParameter, "%q is not one of the choices.", value).Field(field)
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

// keyPage is where a key is edited.
type keyPage struct {
	Key    keyRow
	Form   keyForm
	Limits []page.LimitBar // those about this key alone
}

// keep is the choice that leaves when a key expires as it is.
const keep = "keep"

func (c *Room) showKey(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	k, err := c.key(r, v)
	if err != nil {
		return err
	}
	return c.keyPage(w, r, v, http.StatusOK, k, c.formOf(k))
}

func (c *Room) updateKey(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	k, err := c.key(r, v)
	if err != nil {
		return err
	}
	form := readKeyForm(r.PostForm)
	offered := c.formOf(k)
	form.Lifetimes, form.Idles = offered.Lifetimes, offered.Idles
	edit, err := form.edit()
	if err == nil {
		if _, err = c.Access.EditKey(r.Context(), v.Principal(), k.ID, edit); err == nil {
			return c.Redirect(w, r, "/console/keys")
		}
	}
	if field, sentence, ok := page.FieldProblem(err); ok {
		form.Problems = map[string]string{field: sentence}
		return c.keyPage(w, r, v, http.StatusUnprocessableEntity, k, form)
	}
	return refuseNoKey(err)
}

// key finds a key that the visitor may change.
func (c *Room) key(r *http.Request, v access.Visitor) (access.Key, error) {
	k, err := c.Access.Key(r.Context(), v.Principal(), r.PathValue("id"))
	if err != nil {
		return access.Key{}, refuseNoKey(err)
	}
	if k.Workspace != v.Session.Workspace || !v.Principal().MayChange(&k) || !k.RevokedAt.IsZero() {
		return access.Key{}, refuseNoKey(access.ErrNotFound)
	}
	return k, nil
}

func (c *Room) keyPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, k access.Key, form keyForm) error {
	p := keyPage{Key: c.row(k, v), Form: form}
	if c.Limits != nil {
		list, err := c.Limits.OfKey(r.Context(), v.Principal(), k.Workspace, k.ID)
		if err != nil {
			return err
		}
		for _, st := range list {
			st.Subject = "" // the page is about nothing else
			p.Limits = append(p.Limits, c.LimitBar(st, nil))
		}
	}
	return c.Render(w, r, status, "key", page.View{Title: k.Name, Active: "keys", Visitor: &v, Data: p})
}

// formOf is the form as the key is now.
func (c *Room) formOf(k access.Key) keyForm {
	f := newKeyForm()
	f.Name, f.Models, f.CIDRs = k.Name, strings.Join(k.Scope.Models, "\n"), strings.Join(k.CIDRs, "\n")
	own := access.Scope{Groups: k.Scope.Groups}
	for i := range f.Scopes {
		f.Scopes[i].Ticked = own.Allows(access.Group(f.Scopes[i].Name))
	}
	now := "Never"
	if !k.ExpiresAt.IsZero() {
		now = c.At(k.ExpiresAt).Exact
	}
	f.Lifetimes = append([]choice{{Value: keep, Label: now + " (as it is)"}}, f.Lifetimes...)
	f.Expires = keep
	f.Idles, f.Idle = addLength(f.Idles, k.Idle)
	return f
}

// edit is what the form asks for.
func (f keyForm) edit() (access.KeyEdit, error) {
	models, cidrs := page.Lines(f.Models), page.Lines(f.CIDRs)
	edit := access.KeyEdit{Name: &f.Name, Models: &models, CIDRs: &cidrs}
	groups, err := readTicked(f.Scopes)
	if err != nil {
		return edit, err
	}
	idle, err := readChoice(f.Idles, f.Idle, "idle_expires")
	if err != nil {
		return edit, err
	}
	edit.Groups, edit.Idle = &groups, &idle
	if f.Expires == keep {
		return edit, nil
	}
	life, err := readChoice(f.Lifetimes, f.Expires, "expires")
	edit.Lifetime = &life
	return edit, err
}
