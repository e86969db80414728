package keys

import (
	"net/http"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/console/page"
)

// keyPage is where a key is edited.
type keyPage struct {
	Key  keyRow
	Form keyForm
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
	return noSuchKey(err)
}

// key finds a key that the visitor may change.
func (c *Room) key(r *http.Request, v access.Visitor) (access.Key, error) {
	keys, err := c.Access.Keys(r.Context(), v.Principal(), v.Session.Workspace)
	if err != nil {
		return access.Key{}, err
	}
	i := slices.IndexFunc(keys, func(k access.Key) bool { return k.ID == r.PathValue("id") })
	if i < 0 || !v.Principal().MayChange(&keys[i]) || !keys[i].RevokedAt.IsZero() {
		return access.Key{}, noSuchKey(access.ErrNotFound)
	}
	return keys[i], nil
}

func (c *Room) keyPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, k access.Key, form keyForm) error {
	return c.Render(w, r, status, "key", page.View{Title: k.Name, Active: "keys", Visitor: &v, Data: keyPage{Key: c.row(k, v), Form: form}})
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
	f.Idles, f.Idle = including(f.Idles, k.Idle)
	return f
}

// edit is what the form asks for.
func (f keyForm) edit() (access.KeyEdit, error) {
	models, cidrs := page.Lines(f.Models), page.Lines(f.CIDRs)
	edit := access.KeyEdit{Name: &f.Name, Models: &models, CIDRs: &cidrs}
	groups, err := ticked(f.Scopes)
	if err != nil {
		return edit, err
	}
	idle, err := chosen(f.Idles, f.Idle, "idle_expires")
	if err != nil {
		return edit, err
	}
	edit.Groups, edit.Idle = &groups, &idle
	if f.Expires == keep {
		return edit, nil
	}
	life, err := chosen(f.Lifetimes, f.Expires, "expires")
	edit.Lifetime = &life
	return edit, err
}
