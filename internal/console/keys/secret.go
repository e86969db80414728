package keys

import (
	"fmt"
	"net/http"
	"slices"

	"stele/internal/access"
	"stele/internal/console/page"
)

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
			return "curl " + root + try.path + " \\\n  " + auth
		}
	}
	if slices.Contains(scopes, string(access.GroupFiles)) {
		return "curl " + root + "/api/v1/files \\\n  " + auth + " \\\n  -F file=@picture.png"
	}
	return "curl " + root + "/api/v1/chat/completions \\\n  " + auth + " \\\n" +
		`  -d '{"model": "MODEL", "messages": [{"role": "user", "content": "Hello"}]}'`
}
