package console_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/console/consoletest"
)

// slowly is a body of two halves, between which something happens.
func slowly(first, second string, between func()) io.Reader {
	return io.MultiReader(strings.NewReader(first), &pausing{between}, strings.NewReader(second))
}

type pausing struct{ do func() }

func (p *pausing) Read([]byte) (int, error) {
	p.do()
	return 0, io.EOF
}

// multipartRoutes read parts themselves.
var multipartRoutes = append([]string{
	"/console/apps/new", "/console/apps/check", "/console/apps/{app}/price", "/console/apps/{app}/runs", "/console/apps/{app}/edit", "/console/money/reconcile",
}, uploads...)

// A body that was begun before its sender was signed out changes nothing when its end
// comes, whatever the route and however it is written.
func TestASlowBodyEndsWithItsSession(t *testing.T) {
	t.Parallel()
	h, _ := everyRoom(t)
	form := [3]string{"application/x-www-form-urlencoded", "name=x&sco", "pe=chat"}
	parts := [3]string{
		"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nwor",
		"ds\r\n--b\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nx\r\n--b--\r\n",
	}
	asked, heard := 0, 0
	for _, route := range console.Routes() {
		if route.Method != http.MethodPost || route.Need == "" {
			continue
		}
		bodies := [][3]string{form}
		if slices.Contains(multipartRoutes, route.Pattern) {
			bodies = append(bodies, parts)
		}
		if strings.HasPrefix(route.Pattern, "/console/playground/") {
			bodies = append(bodies, [3]string{"application/json", `{"model":"stele/sa`, `ndbox"}`})
		}
		for _, body := range bodies {
			v, secret, err := h.Access.SignIn(t.Context(), consoletest.Email, consoletest.Password, access.Browser{Remote: "192.0.2.1"})
			if err != nil {
				t.Fatal(err)
			}
			h.Cookie = secret
			came := false
			res := h.SendBody(route, body[0], slowly(body[1], body[2], func() {
				came = true
				h.Pass(2 * time.Second)
				if err := h.Access.SignOut(t.Context(), v); err != nil {
					t.Fatal(err)
				}
			}), -1)
			if asked++; came { // others lack what they change, and read nothing
				heard++
				t.Run(route.Pattern+" "+body[0], func(t *testing.T) { consoletest.WantCode(t, res, 401, "session_required") })
			}
		}
	}
	if heard < asked*2/3 {
		t.Errorf("%d of %d bodies were read", heard, asked)
	}
}

// What a person was when the body began is not what counts at its end.
func TestASlowBodyEndsWithItsRole(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	admin := access.CommandLine("default")
	for _, test := range []struct {
		name  string
		after func(id string) error
		want  int
	}{
		{"demoted", func(id string) error { _, err := h.Access.SetRole(t.Context(), admin, id, access.Member); return err }, 403},
		{"removed", func(id string) error { _, err := h.Access.Remove(t.Context(), admin, id); return err }, 401},
		{"deleted", func(id string) error { _, err := h.Access.Delete(t.Context(), admin, id); return err }, 401},
		{"as before", func(string) error { return nil }, 200},
	} {
		cookie, id := h.As(strings.ReplaceAll(test.name, " ", "")+"@example.com", "default", access.Owner)
		h.With(cookie, func() {
			route := console.Route{Method: http.MethodPost, Pattern: "/console/people"}
			res := h.SendBody(route, "application/x-www-form-urlencoded", slowly("email=friend-of-"+id, "%40example.com&role=owner", func() {
				h.Pass(2 * time.Second)
				if err := test.after(id); err != nil {
					t.Fatal(err)
				}
			}), -1)
			consoletest.WantStatus(t, res, test.want)
			list, err := h.Access.Accounts(t.Context(), admin)
			if err != nil {
				t.Fatal(err)
			}
			added := slices.ContainsFunc(list, func(p access.Person) bool { return strings.HasPrefix(p.Email, "friend-of-"+strings.ToLower(id)) })
			if added != (test.want == 200) {
				t.Errorf("%s: they were let in: %t", test.name, added)
			}
		})
	}
}
