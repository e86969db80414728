package keys_test

import (
	"maps"
	"net/url"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console/consoletest"
)

func TestAKeyIsEdited(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	page := consoletest.Body(t, h.Post("/console/keys", url.Values{"name": {"old"}, "scope": {"chat"}, "cidrs": {"10.0.0.0/8"}, "idle_expires": {"7d"}}, consoletest.Browser))
	secret := secretText.FindString(page)
	who, _, err := h.Access.Admit(secret, "10.1.1.1")
	if err != nil {
		t.Fatal(err)
	}
	at := "/console/keys/" + who.Key
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "made by admin@example.com", "<code>10.0.0.0/8</code>", "or unused for 7 days")
	consoletest.WantText(t, consoletest.Body(t, h.Get(at, consoletest.Browser)), `value="old"`, ">10.0.0.0/8</textarea>", `value="7d" selected`, "Never (as it is)")

	good := url.Values{"name": {"new"}, "scope": {"models"}, "models": {"a/*\nb"}, "cidrs": {"192.0.2.0/24\n"}, "idle_expires": {"never"}, "expires": {"30d"}}
	res := h.Post(at, good, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	who, _, err = h.Access.Admit(secret, "192.0.2.9")
	if err != nil || who.Scope.Allows(access.GroupChat) || !who.Scope.AllowsModel("a/x") || who.Scope.AllowsModel("c") {
		t.Errorf("edited to %+v, %v", who.Scope, err)
	}
	keys, err := h.Store.FindKeys(t.Context(), access.KeyFilter{})
	if err != nil || keys[0].Name != "new" || keys[0].Idle != 0 || !keys[0].ExpiresAt.Equal(h.Clock().Add(30*24*time.Hour)) {
		t.Errorf("edited to %+v, %v", keys[0], err)
	}
	for field, bad := range map[string]string{"name": " ", "cidrs": "everywhere", "models": "a b", "idle_expires": "soon", "expires": "yesterday"} {
		form := url.Values{}
		maps.Copy(form, good)
		form.Set(field, bad)
		res := h.Post(at, form, consoletest.Browser)
		consoletest.WantStatus(t, res, 422)
		consoletest.WantText(t, consoletest.Body(t, res), `<p class="wrong"`)
	}
	consoletest.WantCode(t, h.Get("/console/keys/key_none"), 404, "not_found")
	consoletest.WantCode(t, h.Post("/console/keys/key_none", good), 404, "not_found")
}

func TestThePolicyIsSetByAdministratorsAndSeenByOwners(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	form := url.Values{
		"models": {"openai/*"}, "providers": {"openai"}, "cidrs": {"192.0.2.7"}, "scope": {"chat", "models"}, "environment": {"development"},
		"life": {"90d"}, "idle_expires": {"30d"}, "end_keys": {"on"},
	}
	consoletest.WantStatus(t, h.Post("/console/policy", form, consoletest.Browser), 303)
	p, err := h.Store.Policy(t.Context(), "default")
	if err != nil || p.Life() != 90*24*time.Hour || p.Idle() != 30*24*time.Hour || !p.EndWithCreator || !p.NoCapture || p.CIDRs[0] != "192.0.2.7/32" ||
		len(p.Scopes) != 2 || len(p.Environments) != 1 || p.Providers[0] != "openai" {
		t.Errorf("policy %+v, %v", p, err)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/policy", consoletest.Browser)), ">openai/*</textarea>", `value="90d" selected`, "Save policy")
	res := h.Post("/console/keys", url.Values{"name": {"x"}, "scope": {"apps"}}, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "The policy of this workspace")
	for field, bad := range map[string]string{"models": "a b", "cidrs": "x", "life": "long", "environment": "", "scope": ""} {
		wrong := url.Values{}
		maps.Copy(wrong, form)
		wrong.Set(field, bad)
		res := h.Post("/console/policy", wrong, consoletest.Browser)
		consoletest.WantStatus(t, res, 422)
		consoletest.WantText(t, consoletest.Body(t, res), `<p class="wrong"`)
	}

	boss := access.CommandLine("default")
	if _, _, err := h.Access.AddPerson(t.Context(), boss, access.NewPerson{Email: "o@example.com", Role: access.Owner, Password: consoletest.Password}); err != nil {
		t.Fatal(err)
	}
	_, cookie, err := h.Access.SignIn(t.Context(), "o@example.com", consoletest.Password, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	h.Cookie = cookie
	page := consoletest.Body(t, h.Get("/console/policy", consoletest.Browser))
	consoletest.WantText(t, page, "Administrators change it", "disabled")
	consoletest.WantCode(t, h.Post("/console/policy", form), 403, "permission_denied")
}
