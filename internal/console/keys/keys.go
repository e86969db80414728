package keys

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// How many keys a page has: of ten thousand the browser would show nothing for seconds, and each of
// them costs the server as much as a chat does. Below a form that was refused no person reads so many.
const (
	keysShown   = 100
	besideAForm = 10
)

type keysPage struct {
	Form    keyForm
	Open    bool   // the form is shown unfolded
	Problem string // what went wrong outside the form
	Text    string // what names are searched for
	Live    []keyRow
	Ended   []keyRow
	Older   string // the query of the page that goes on; "" on the last one
	Newest  bool   // this is not the first
	Graces  []choice
}

// keyRow is a key as the table shows it.
type keyRow struct {
	ID, Name    string
	Workspace   string // "" for the visitor's own
	Environment string
	Sandbox     bool
	Status      string
	Scopes      []string // none: all
	Models      []string // none: all
	Created     *page.Moment
	LastUsed    *page.Moment
	Expires     *page.Moment
	Revoked     *page.Moment
	Creator     string
	CIDRs       []string     // none: any address
	Idle        string       // how long it may go unused; "": for ever
	Secrets     int          // that open it
	Fresh       bool         // the newest of them has not been used yet
	OldUntil    *page.Moment // the secrets before the newest work until then
	Mine        bool         // the visitor may change it,
	Edit        string       // and that is where; "" where there is no way back
}

func (c *Room) showKeys(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.keysPage(w, r, v, http.StatusOK, keysPage{Form: newKeyForm()})
}

func (c *Room) createKey(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	form := readKeyForm(r.PostForm)
	key, err := form.key()
	if err == nil {
		var k access.Key
		var secret string
		if k, secret, err = c.Access.CreateKey(r.Context(), v.Principal(), key); err == nil {
			return c.secretPage(w, r, v, secretPage{Key: c.row(k, v), Secret: secret})
		}
	}
	if field, sentence, ok := page.FieldProblem(err); ok {
		form.Problems = map[string]string{field: sentence}
		return c.keysPage(w, r, v, http.StatusUnprocessableEntity, keysPage{Form: form, Open: true})
	}
	return err
}

func (c *Room) rotateKey(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	rotation, err := rotationOf(r.PostForm.Get("grace"))
	if err != nil {
		return err
	}
	k, secret, err := c.Access.RotateKey(r.Context(), v.Principal(), r.PathValue("id"), rotation)
	if _, sentence, ok := page.FieldProblem(err); ok {
		return c.keysPage(w, r, v, http.StatusUnprocessableEntity, keysPage{Form: newKeyForm(), Problem: sentence})
	}
	if err != nil {
		return refuseNoKey(err)
	}
	return c.secretPage(w, r, v, secretPage{Key: c.row(k, v), Secret: secret, Rotated: true})
}

func (c *Room) revokeKey(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	_, err := c.Access.RevokeKey(r.Context(), v.Principal(), r.PathValue("id"))
	return c.Done(w, r, refuseNoKey(err), "/console/keys")
}

func (c *Room) keysPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p keysPage) error {
	filter, err := keyFilter(r.URL.Query())
	if err != nil {
		return err
	}
	shown := keysShown
	if p.Form.Problems != nil {
		shown = besideAForm
	}
	filter.Workspace, filter.Limit = v.Session.Workspace, shown+1
	keys, err := c.Access.FindKeys(r.Context(), v.Principal(), filter)
	if err != nil {
		return err
	}
	if len(keys) > shown {
		keys = keys[:shown]
		last := keys[shown-1]
		p.Older = "?" + url.Values{"q": {filter.Text}, "before": {page.CursorText(access.Cursor{At: last.CreatedAt, ID: last.ID})}}.Encode()
	}
	p.Text, p.Newest = filter.Text, filter.Before.ID != ""
	for _, k := range keys {
		if row := c.row(k, v); row.Status == "active" {
			p.Live = append(p.Live, row)
		} else {
			p.Ended = append(p.Ended, row)
		}
	}
	p.Graces = graces()
	p.Open = p.Open || len(p.Live) == 0 && p.Text == "" && !p.Newest
	return c.Render(w, r, status, "keys", page.View{Title: "API keys", Active: "keys", Visitor: &v, Data: p})
}

// keyFilter is what the address of the page asks for.
func keyFilter(q url.Values) (f access.KeyFilter, err error) {
	f.Text = strings.TrimSpace(q.Get("q"))
	f.Before, err = page.ReadBefore(q)
	return f, err
}

func (c *Room) row(k access.Key, v access.Visitor) keyRow {
	row := keyRow{
		ID: k.ID, Name: k.Name, Environment: string(k.Environment), Sandbox: k.Sandbox, Status: k.Status(c.Now()),
		Models: few(k.Scope.Models), Created: c.At(k.CreatedAt), LastUsed: c.At(k.LastUsedAt),
		Expires: c.At(k.End()), Revoked: c.At(k.RevokedAt), Creator: creatorOf(k), CIDRs: few(k.CIDRs), Mine: v.Principal().MayChange(&k),
	}
	if row.Mine && k.RevokedAt.IsZero() {
		row.Edit = c.Base() + "/console/keys/" + k.ID
	}
	if idle := k.IdleAfter(); idle > 0 {
		row.Idle = lengthOf(idle)
	}
	if k.Workspace != v.Session.Workspace {
		row.Workspace = k.Workspace
	}
	for _, g := range k.Scope.Groups {
		row.Scopes = append(row.Scopes, string(g))
	}
	secrets := k.WorkingSecrets(c.Now())
	row.Secrets = len(secrets)
	if len(secrets) > 1 {
		var until int64
		for _, old := range secrets[1:] {
			until = max(until, old.Until)
		}
		row.Fresh, row.OldUntil = !secrets[0].Used, c.At(time.UnixMilli(until))
	}
	return row
}

// few is the beginning of a list, and how many more there are: a page has many keys, and
// the form of each has all.
func few(list []string) []string {
	const shown = 10
	if len(list) <= shown {
		return slices.Clone(list)
	}
	return append(slices.Clone(list[:shown]), fmt.Sprintf("and %d more", len(list)-shown))
}

// creatorOf names the maker of a key.
func creatorOf(k access.Key) string {
	switch {
	case k.CreatorName != "":
		return k.CreatorName
	case k.Creator == "command-line":
		return "the command line"
	}
	return k.Creator
}

func refuseNoKey(err error) error {
	if errors.Is(err, access.ErrNotFound) {
		return fault.New(fault.NotFound, "There is no such key.")
	}
	return err
}

// secretPage shows the text of a key, once: it is the answer to the form
// itself, so it is in no address, no cookie and no history.
type secretPage struct {
	Key     keyRow
	Secret  string
	Rotated bool
	Curl    string
}

func (c *Room) secretPage(w http.ResponseWriter, r *http.Request, v access.Visitor, p secretPage) error {
	p.Curl = firstCall(c.Root(), p.Secret, p.Key.Scopes)
	title := "Your new key"
	if p.Rotated {
		title = "Your new secret"
	}
	return c.Render(w, r, http.StatusOK, "key_secret", page.View{Title: title, Active: "keys", Visitor: &v, Data: p})
}

// firstCall is a command that works as pasted with a key of these scopes.
func firstCall(root, secret string, scopes []string) string {
	auth := fmt.Sprintf(`-H "Authorization: Bearer %s"`, secret)
	for _, try := range []struct {
		scope access.Group
		path  string
	}{
		{access.GroupModels, "/api/v1/models"},
		{access.GroupMedia, "/api/v1/media_models"},
		{access.GroupApps, "/api/v1/apps"},
	} {
		if len(scopes) == 0 || slices.Contains(scopes, string(try.scope)) {
			return "curl " + page.QuoteShell(root+try.path) + " \\\n  " + auth
		}
	}
	if slices.Contains(scopes, string(access.GroupFiles)) {
		return "curl " + page.QuoteShell(root+"/api/v1/files") + " \\\n  " + auth + " \\\n  -F file=@picture.png"
	}
	return "curl " + page.QuoteShell(root+"/api/v1/chat/completions") + " \\\n  " + auth + " \\\n" +
		`  -d '{"model": "MODEL", "messages": [{"role": "user", "content": "Hello"}]}'`
}
