package console_test

import (
	"net/url"
	"testing"
	"time"

	"stele/internal/access"
)

func TestAKeyIsEdited(t *testing.T) {
	t.Parallel()
	h := opened(t)
	page := body(t, h.post("/console/keys", url.Values{"name": {"old"}, "scope": {"chat"}, "cidrs": {"10.0.0.0/8"}, "idle_expires": {"7d"}}, browser))
	secret := secretText.FindString(page)
	who, _, err := h.access.Admit(secret, "10.1.1.1")
	if err != nil {
		t.Fatal(err)
	}
	at := "/console/keys/" + who.Key
	wantText(t, body(t, h.get("/console/keys", browser)), "made by admin@example.com", "<code>10.0.0.0/8</code>", "or unused for 7 days")
	wantText(t, body(t, h.get(at, browser)), `value="old"`, ">10.0.0.0/8</textarea>", `value="7d" selected`, "Never (as it is)")

	good := url.Values{"name": {"new"}, "scope": {"models"}, "models": {"a/*\nb"}, "cidrs": {"192.0.2.0/24\n"}, "idle_expires": {"never"}, "expires": {"30d"}}
	res := h.post(at, good, browser)
	wantStatus(t, res, 303)
	who, _, err = h.access.Admit(secret, "192.0.2.9")
	if err != nil || who.Scope.Allows(access.GroupChat) || !who.Scope.AllowsModel("a/x") || who.Scope.AllowsModel("c") {
		t.Errorf("edited to %+v, %v", who.Scope, err)
	}
	keys, err := h.store.Keys(t.Context(), "")
	if err != nil || keys[0].Name != "new" || keys[0].Idle != 0 || !keys[0].ExpiresAt.Equal(h.clock().Add(30*24*time.Hour)) {
		t.Errorf("edited to %+v, %v", keys[0], err)
	}
	for field, bad := range map[string]string{"name": " ", "cidrs": "everywhere", "models": "a b", "idle_expires": "soon", "expires": "yesterday"} {
		form := url.Values{}
		for name, values := range good {
			form[name] = values
		}
		form.Set(field, bad)
		res := h.post(at, form, browser)
		wantStatus(t, res, 422)
		wantText(t, body(t, res), `<p class="wrong"`)
	}
	wantCode(t, h.get("/console/keys/key_none"), 404, "not_found")
	wantCode(t, h.post("/console/keys/key_none", good), 404, "not_found")
}

func TestThePolicyIsSetByAdministratorsAndSeenByOwners(t *testing.T) {
	t.Parallel()
	h := opened(t)
	form := url.Values{
		"models": {"openai/*"}, "providers": {"openai"}, "cidrs": {"192.0.2.7"}, "scope": {"chat", "models"}, "environment": {"development"},
		"life": {"90d"}, "idle_expires": {"30d"}, "end_keys": {"on"},
	}
	wantStatus(t, h.post("/console/policy", form, browser), 303)
	p, err := h.store.Policy(t.Context(), "default")
	if err != nil || p.Life() != 90*24*time.Hour || p.Idle() != 30*24*time.Hour || !p.EndWithCreator || !p.NoCapture || p.CIDRs[0] != "192.0.2.7/32" ||
		len(p.Scopes) != 2 || len(p.Environments) != 1 || p.Providers[0] != "openai" {
		t.Errorf("policy %+v, %v", p, err)
	}
	wantText(t, body(t, h.get("/console/policy", browser)), ">openai/*</textarea>", `value="90d" selected`, "Save policy")
	res := h.post("/console/keys", url.Values{"name": {"x"}, "scope": {"apps"}}, browser)
	wantStatus(t, res, 422)
	wantText(t, body(t, res), "The policy of this workspace")
	for field, bad := range map[string]string{"models": "a b", "cidrs": "x", "life": "long", "environment": "", "scope": ""} {
		wrong := url.Values{}
		for name, values := range form {
			wrong[name] = values
		}
		wrong.Set(field, bad)
		res := h.post("/console/policy", wrong, browser)
		wantStatus(t, res, 422)
		wantText(t, body(t, res), `<p class="wrong"`)
	}

	boss := access.CommandLine("default")
	if _, _, err := h.access.AddPerson(t.Context(), boss, access.NewPerson{Email: "o@example.com", Role: access.Owner, Password: password}); err != nil {
		t.Fatal(err)
	}
	_, cookie, err := h.access.SignIn(t.Context(), "o@example.com", password, access.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	h.cookie = cookie
	page := body(t, h.get("/console/policy", browser))
	wantText(t, page, "Administrators change it", "disabled")
	wantCode(t, h.post("/console/policy", form), 403, "permission_denied")
}
