package console

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/scope"
)

// Route is one of the browser's routes. A GET route answers HEAD too.
type Route struct {
	Method  string
	Pattern string      // without the base path; {id} stands for one segment, everything else for itself
	Need    access.Role // the least role that opens it; none: it needs no session

	serve handler
}

// handler serves a route. On an open route the visitor is nobody. What it
// returns is answered by Console.answer.
type handler func(c *Console, w http.ResponseWriter, r *http.Request, v access.Visitor) error

const (
	open   = access.Role("")
	guest  = access.Role("guest") // a session, and no role anywhere: no rank at all
	viewer = access.Viewer
	member = access.Member
	owner  = access.Owner
	admin  = access.Administrator // of the installation, whatever their workspace
)

// Routes lists every route of the console: this is all of them.
func Routes() []Route {
	return []Route{
		{"GET", "/", open, (*Console).home},
		{"GET", "/console", open, (*Console).home},
		{"GET", "/console/", viewer, (*Console).showStart},
		{"GET", "/console/static/{version}/{file}", open, (*Console).static},

		{"GET", "/console/setup", open, (*Console).showSetup},
		{"POST", "/console/setup", open, (*Console).setUp},
		{"GET", "/console/signin", open, (*Console).showSignIn},
		{"POST", "/console/signin", open, (*Console).signIn},
		{"GET", "/console/signin/second", open, (*Console).showSecond},
		{"POST", "/console/signin/second", open, (*Console).second},
		{"POST", "/console/signin/passkey", open, (*Console).signInByPasskey},
		{"POST", "/console/signin/passkey/ask", open, (*Console).askPasskey},
		{"GET", "/console/oidc", open, (*Console).beginSignOn},
		{"GET", "/console/oidc/callback", open, (*Console).finishSignOn},
		{"POST", "/console/signout", guest, (*Console).signOut},
		{"POST", "/console/workspace", guest, (*Console).switchWorkspace},
		{"GET", "/console/welcome", open, (*Console).showWelcome},
		{"POST", "/console/welcome", open, (*Console).welcome},

		{"GET", "/console/usage", viewer, (*Console).showUsage},
		{"GET", "/console/usage/csv", viewer, (*Console).usageCSV},
		{"GET", "/console/requests", viewer, (*Console).showRequests},
		{"GET", "/console/requests/csv", viewer, (*Console).requestsCSV},
		{"GET", "/console/requests/{id}", viewer, (*Console).showRequest},

		{"GET", "/console/keys", viewer, (*Console).showKeys},
		{"POST", "/console/keys", member, (*Console).createKey},
		{"GET", "/console/keys/{id}", member, (*Console).showKey},
		{"POST", "/console/keys/{id}", member, (*Console).updateKey},
		{"POST", "/console/keys/{id}/rotate", member, (*Console).rotateKey},
		{"POST", "/console/keys/{id}/revoke", member, (*Console).revokeKey},

		{"GET", "/console/policy", owner, (*Console).showPolicy},
		{"POST", "/console/policy", owner, (*Console).setPolicy},

		{"GET", "/console/people", owner, (*Console).showPeople},
		{"POST", "/console/people", owner, (*Console).addPerson},
		{"POST", "/console/people/{id}/role", owner, (*Console).setRole},
		{"POST", "/console/people/{id}/reset", owner, (*Console).resetPerson},
		{"POST", "/console/people/{id}/end", owner, (*Console).endPerson},
		{"POST", "/console/people/{id}/remove", owner, (*Console).removePerson},
		{"POST", "/console/people/{id}/delete", owner, (*Console).deletePerson},
		{"POST", "/console/people/{id}/factors", owner, (*Console).resetFactors},

		{"GET", "/console/security", guest, (*Console).showSecurity},
		{"GET", "/console/security/app", guest, (*Console).newAuthenticator},
		{"POST", "/console/security/app", guest, (*Console).addApp},
		{"POST", "/console/security/passkeys", guest, (*Console).addPasskey},
		{"POST", "/console/security/passkeys/ask", guest, (*Console).askNewPasskey},
		{"POST", "/console/security/codes", guest, (*Console).newCodes},
		{"POST", "/console/security/factors/{id}/remove", guest, (*Console).removeFactor},
		{"POST", "/console/security/heard", guest, (*Console).heard},
		{"GET", "/console/confirm", guest, (*Console).showConfirm},
		{"POST", "/console/confirm", guest, (*Console).confirm},
		{"POST", "/console/confirm/ask", guest, (*Console).askOwnPasskey},

		{"GET", "/console/sessions", viewer, (*Console).showSessions},
		{"POST", "/console/sessions/others", viewer, (*Console).endOthers},
		{"POST", "/console/sessions/{id}/end", viewer, (*Console).endSession},
		{"GET", "/console/password", viewer, (*Console).showPassword},
		{"POST", "/console/password", viewer, (*Console).changePassword},

		{"GET", "/console/audit", owner, (*Console).showAudit},
		{"GET", "/console/audit.csv", owner, (*Console).downloadAudit},

		{"GET", "/console/aside", owner, (*Console).showAsides},
		{"POST", "/console/aside/{id}/resend", owner, (*Console).resendAside},
		{"POST", "/console/aside/{id}/forget", owner, (*Console).forgetAside},

		{"GET", "/console/playground", member, (*Console).showPlayground},
		{"POST", "/console/playground/run", member, (*Console).runPlayground},
		{"POST", "/console/playground/code", member, (*Console).spellPlayground},
		{"POST", "/console/playground/files", member, (*Console).attachFile},

		{"GET", "/console/apps", viewer, (*Console).showApps},
		{"GET", "/console/apps/new", member, (*Console).newApp},
		{"POST", "/console/apps/new", member, (*Console).createApp},
		{"POST", "/console/apps/check", member, (*Console).checkApp},
		{"GET", "/console/apps/files", member, (*Console).pickFiles},
		{"POST", "/console/apps/files", member, (*Console).takeFile},
		{"GET", "/console/apps/{app}", viewer, (*Console).showApp},
		{"GET", "/console/apps/{app}/picture", viewer, (*Console).showAppPicture},
		{"POST", "/console/apps/{app}/price", member, (*Console).priceApp},
		{"POST", "/console/apps/{app}/runs", member, (*Console).runApp},
		{"GET", "/console/apps/{app}/runs/{run}", viewer, (*Console).showRun},
		{"GET", "/console/apps/{app}/runs/{run}/live", viewer, (*Console).liveRun},
		{"POST", "/console/apps/{app}/runs/{run}/cancel", member, (*Console).cancelRun},
		{"GET", "/console/apps/{app}/edit", viewer, (*Console).showEditor},
		{"POST", "/console/apps/{app}/edit", member, (*Console).saveApp},
		{"POST", "/console/apps/{app}/publish", member, (*Console).publishApp},
		{"POST", "/console/apps/{app}/unpublish", member, (*Console).unpublishApp},
		{"POST", "/console/apps/{app}/delete", member, (*Console).deleteApp},
		{"GET", "/console/apps/{app}/versions/{number}", viewer, (*Console).showVersion},
		{"POST", "/console/apps/{app}/versions/{number}/restore", member, (*Console).restoreApp},

		{"GET", "/console/studio", viewer, (*Console).showStudio},
		{"POST", "/console/studio", member, (*Console).makeGeneration},
		{"GET", "/console/studio/form", member, (*Console).showStudioForm},
		{"POST", "/console/studio/price", member, (*Console).priceGeneration},
		{"GET", "/console/studio/gallery", viewer, (*Console).showGallery},
		{"GET", "/console/studio/events", viewer, (*Console).followGenerations},
		{"GET", "/console/studio/files", member, (*Console).pickInput},
		{"POST", "/console/studio/files", member, (*Console).uploadInput},
		{"GET", "/console/studio/files/{file}/small", viewer, (*Console).smallPicture},
		{"GET", "/console/studio/{id}", viewer, (*Console).showGeneration},
		{"POST", "/console/studio/{id}/cancel", member, (*Console).cancelGeneration},
		{"POST", "/console/studio/{id}/delete", member, (*Console).deleteGeneration},

		{"GET", "/console/models", viewer, (*Console).showModels},
		{"POST", "/console/models", admin, (*Console).createModel},
		{"GET", "/console/models/show", viewer, (*Console).showModel},
		{"GET", "/console/models/new", admin, (*Console).newModel},
		{"GET", "/console/models/edit", admin, (*Console).editModel},
		{"POST", "/console/models/edit", admin, (*Console).updateModel},
		{"POST", "/console/models/delete", admin, (*Console).deleteModel},

		{"GET", "/console/providers", viewer, (*Console).showProviders},
		{"POST", "/console/providers", admin, (*Console).createProvider},
		{"GET", "/console/providers/new", admin, (*Console).newProvider},
		{"GET", "/console/providers/{id}", viewer, (*Console).showProvider},
		{"POST", "/console/providers/{id}", admin, (*Console).updateProvider},
		{"POST", "/console/providers/{id}/test", admin, (*Console).testProvider},
		{"POST", "/console/providers/{id}/switch", admin, (*Console).switchProvider},
		{"POST", "/console/providers/{id}/delete", admin, (*Console).deleteProvider},

		{"GET", "/reference", open, (*Console).showReference},
		{"GET", "/openapi.yaml", open, (*Console).showDocument},
	}
}

// newMux registers each path once, for all methods: the mux's own 404 and 405
// are plain text.
func (c *Console) newMux() *http.ServeMux {
	mux := http.NewServeMux()
	byPattern := make(map[string][]Route)
	for _, route := range Routes() {
		byPattern[route.Pattern] = append(byPattern[route.Pattern], route)
	}
	for pattern, routes := range byPattern {
		exact := pattern
		if strings.HasSuffix(pattern, "/") {
			exact += "{$}"
		}
		mux.HandleFunc(exact, func(w http.ResponseWriter, r *http.Request) { c.dispatch(w, r, routes) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { c.answer(w, r, errNoPage()) })
	return mux
}

func (c *Console) dispatch(w http.ResponseWriter, r *http.Request, routes []Route) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	i := slices.IndexFunc(routes, func(route Route) bool { return route.Method == method })
	if i < 0 {
		w.Header().Set("Allow", allowed(routes))
		c.answer(w, r, fault.New(fault.MethodNotAllowed, "This address does not take %.16s.", r.Method))
		return
	}
	route := routes[i]
	scope.From(r.Context()).SetRoute(route.Method + " " + route.Pattern)
	if err := c.enter(w, r, route); err != nil {
		c.answer(w, r, err)
	}
}

// enter checks where a change comes from and who is there, then serves.
func (c *Console) enter(w http.ResponseWriter, r *http.Request, route Route) error {
	var v access.Visitor
	if route.Need != open {
		var err error
		if v, err = c.visitor(r); err != nil {
			return err
		}
		if v.Role == "" && route.Need != guest {
			return c.nowhere(w, r, v)
		}
		if route.Need == admin && !v.User.Admin {
			return fault.New(fault.PermissionDenied, "This is about all workspaces. Only administrators may do it.")
		}
		if !v.User.Admin && !v.Role.Covers(route.Need) {
			return fault.New(fault.PermissionDenied, "You are a %s of this workspace. This needs the role %s.", v.Role, route.Need)
		}
	}
	if err := c.sameOrigin(r); err != nil {
		return err
	}
	if room, _, _ := strings.Cut(strings.TrimPrefix(route.Pattern, "/console/"), "/"); c.absent[room] {
		return errNoPage()
	}
	if err := bound(w, r, route); err != nil {
		return err
	}
	if route.Need != open {
		if !c.visits.TryAcquire(v.Session.User, 1) {
			return fault.New(fault.ConcurrencyLimit, "You have %d requests open here already: close some pages.", mostVisits).After(time.Second)
		}
		defer c.visits.Release(v.Session.User, 1)
		lease := c.memory.OpenPart(v.Session.Workspace, v.Session.User)
		defer lease.Close()
		scope.From(r.Context()).Memory = lease
	}
	if err := readForm(w, r); err != nil {
		return err
	}
	if route.Need != open {
		if ok, err := c.cleared(w, r, route, v); err != nil || !ok {
			return err
		}
	}
	if route.goesOn() {
		held, release := c.access.Stay(r.Context(), v, route.Need)
		defer release()
		r = r.WithContext(held)
	}
	return route.serve(c, w, r, v)
}

// goesOn reports whether an answer of the route ends with the visitor's session or
// role. A change is made whole once it is asked for: it may be what ends them.
func (r Route) goesOn() bool {
	return r.Need != open && (r.Method == http.MethodGet || r.Pattern == "/console/playground/run")
}

func (c *Console) home(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	c.redirect(w, r, "/console/")
	return nil
}

func allowed(routes []Route) string {
	var methods []string
	for _, route := range routes {
		methods = append(methods, route.Method)
		if route.Method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}
