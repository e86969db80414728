package console_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"testing"

	"stele/internal/access"
	"stele/internal/console/consoletest"
)

// An owner lets a viewer in, who looks around, gets more rights and is shown out.
// Not parallel: one browser is enough for a small machine.
//
//nolint:paralleltest // see above
func TestAnOwnerAndAViewerWalkThroughTheConsole(t *testing.T) {
	for _, room := range everyScreen {
		t.Run(fmt.Sprint(room.width), func(t *testing.T) {
			h := consoletest.Open(t, "http://127.0.0.1"+room.base)
			owner, viewer := launch(t, room.width), launch(t, room.width)
			server := httptest.NewServer(h.Serve)
			t.Cleanup(server.Close)
			h.Public, _ = url.Parse(server.URL + room.base)
			peopleWalk(owner, viewer, h)
		})
	}
}

func peopleWalk(owner, viewer *tab, h *consoletest.House) {
	root := h.Public.String()
	h.SignIn()
	_, err := h.Access.CreateWorkspace(owner.Context(), access.CommandLine("default"), "acme", "Acme")
	if err != nil {
		owner.Fatal(err)
	}
	owner.visit(root + "/console/signin")
	owner.fill("#email", consoletest.Email)
	owner.fill("#password", consoletest.Password)
	owner.submit("form.stack button")

	owner.visit(root + "/console/people")
	owner.click(".maker > summary")
	owner.fill("#email", "viewer@example.com")
	owner.click("#new-person input[value=viewer]")
	owner.look("add person")
	owner.axe()
	owner.submit("#new-person button")
	owner.shows("Copy it now.")
	owner.look("person link")
	owner.axe()
	link := owner.text("#link")

	viewer.visit(link)
	viewer.look("welcome")
	viewer.axe()
	viewer.fill("#password", consoletest.Password)
	viewer.fill("#again", consoletest.Password)
	viewer.submit("form.stack button")
	viewer.visit(root + "/console/keys")
	viewer.shows("first key")
	if n := viewer.count("main form, main button"); n != 0 {
		viewer.Errorf("a viewer is offered %d changes", n)
	}
	viewer.look("keys as viewer")
	refused := func(path string) int {
		return evaluate[int](viewer, fmt.Sprintf(`(() => { const x = new XMLHttpRequest(); x.open("POST", %q, false);
			x.setRequestHeader("Content-Type", "application/x-www-form-urlencoded"); x.send("name=x&scope=chat"); return x.status })()`, h.Base+path))
	}
	for _, path := range []string{"/console/keys", "/console/people", "/console/people/usr_1/role"} {
		if status := refused(path); status != 403 {
			viewer.Errorf("POST %s by a viewer: %d", path, status)
		}
	}
	viewer.visit(root + "/console/people")
	viewer.shows("Not allowed")

	owner.visit(root + "/console/people")
	owner.shows("viewer@example.com")
	owner.look("people")
	owner.axe()
	owner.click("tr:nth-child(2) button[popovertarget^=manage]")
	owner.look("manage person")
	owner.axe()
	owner.click(".ask:popover-open input[value=member]")
	owner.submit(".ask:popover-open form:first-of-type .primary")
	owner.shows("The role was changed.")
	viewer.visit(root + "/console/keys")
	if viewer.count(".maker") != 1 {
		viewer.Error("the new role does not count at once")
	}

	viewer.visit(root + "/console/sessions")
	viewer.shows("Chrome on Linux", "this one")
	viewer.look("sessions")
	viewer.axe()
	viewer.visit(root + "/console/password")
	viewer.look("password")
	viewer.axe()
	viewer.fill("#current", consoletest.Password)
	viewer.fill("#password", consoletest.Password+" 2")
	viewer.fill("#again", consoletest.Password+" 2")
	viewer.submit("form.narrow .primary")
	viewer.shows("Your password was changed.")

	owner.click("tr:nth-child(2) button[popovertarget^=manage]")
	owner.submit(".ask:popover-open form[action$=end] button")
	owner.shows("They were signed out.")
	viewer.visit(root + "/console/sessions")
	viewer.shows("Sign in")
	viewer.fill("#email", "viewer@example.com")
	viewer.fill("#password", consoletest.Password+" 2")
	viewer.submit("form.stack button")

	owner.click("tr:nth-child(2) button[popovertarget^=manage]")
	owner.click(".ask:popover-open details > summary")
	owner.submit(".ask:popover-open form[action$=remove] button")
	owner.shows("no longer belong", "Accounts without a workspace")
	viewer.visit(root + "/console/keys")
	viewer.fill("#email", "viewer@example.com")
	viewer.fill("#password", consoletest.Password+" 2")
	viewer.submit("form.stack button")
	viewer.shows("No workspace yet")
	viewer.look("nowhere")
	viewer.axe()

	owner.visit(root + "/console/audit")
	owner.shows("changed a role:", "viewer@example.com is now member")
	owner.look("audit")
	owner.axe()
	owner.choose("#action", "user.remove")
	owner.submit(".filters button")
	owner.look("audit filtered")
	if n := owner.count(".audit tbody tr"); n != 1 {
		owner.Errorf("%d entries about a removal", n)
	}
	if owner.width < 600 {
		owner.click(".menu")
		owner.look("menu")
	}
	owner.click(".places summary")
	owner.look("workspaces")
	owner.submit(".places button")
	owner.visit(root + "/console/keys")
	owner.shows("No keys yet")
	owner.axe()
}
