package console

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/scope"
)

// Route is one of the browser's routes.
type Route = page.Route

// Routes lists every route of the console: this is all of them.
func Routes() []Route { return new(Console).routes() }

// routes joins the tables of the rooms to the console's own.
func (c *Console) routes() []page.Route {
	return slices.Concat(
		[]page.Route{
			page.Get("/", page.Open, c.home),
			page.Get("/console", page.Open, c.home),
		},
		c.start.Routes(),
		[]page.Route{
			page.Get("/console/static/{version}/{file}", page.Open, c.Static),

			page.Get("/console/setup", page.Open, c.showSetup),
			page.Post("/console/setup", page.Open, c.setUp),
			page.Get("/console/signin", page.Open, c.showSignIn),
			page.Post("/console/signin", page.Open, c.signIn),
			page.Get("/console/signin/second", page.Open, c.showSecond),
			page.Post("/console/signin/second", page.Open, c.second),
			page.Post("/console/signin/passkey", page.Open, c.signInByPasskey),
			page.Post("/console/signin/passkey/ask", page.Open, c.askPasskey),
			page.Get("/console/oidc", page.Open, c.beginSignOn),
			page.Get("/console/oidc/callback", page.Open, c.finishSignOn),
			page.Get("/console/present", page.Guest, c.present),
			page.Post("/console/signout", page.Guest, c.signOut),
			page.Post("/console/workspace", page.Guest, c.switchWorkspace),
			page.Get("/console/welcome", page.Open, c.showWelcome),
			page.Post("/console/welcome", page.Open, c.welcome),
		},
		c.usage.Routes(), c.keys.Routes(), c.limits.Routes(), c.webhooks.Routes(), c.people.Routes(), c.account.Routes(), c.audit.Routes(), c.aside.Routes(), c.playground.Routes(), c.apps.Routes(),
		c.studio.Routes(), c.models.Routes(), c.names.Routes(), c.prices.Routes(), c.providers.Routes(), c.nodes.Routes(), c.reference.Routes(),
	)
}

// newMux registers each path once, for all methods: the mux's own 404 and 405
// are plain text.
func (c *Console) newMux() *http.ServeMux {
	mux := http.NewServeMux()
	byPattern := make(map[string][]page.Route)
	for _, route := range c.routes() {
		byPattern[route.Pattern] = append(byPattern[route.Pattern], route)
	}
	for pattern, routes := range byPattern {
		exact := pattern
		if strings.HasSuffix(pattern, "/") {
			exact += "{$}"
		}
		mux.HandleFunc(exact, func(w http.ResponseWriter, r *http.Request) { c.dispatch(w, r, routes) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { c.answer(w, r, page.NoPage()) })
	return mux
}

func (c *Console) dispatch(w http.ResponseWriter, r *http.Request, routes []page.Route) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	i := slices.IndexFunc(routes, func(route page.Route) bool { return route.Method == method })
	if i < 0 {
		w.Header().Set("Allow", allowHeader(routes))
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
func (c *Console) enter(w http.ResponseWriter, r *http.Request, route page.Route) error {
	if err := page.CheckAddress(r.URL); err != nil {
		return err
	}
	var v access.Visitor
	if route.Need != page.Open {
		var err error
		if v, err = c.visitor(r); err != nil {
			return err
		}
		if v.Role == "" && route.Need != page.Guest {
			return c.nowhere(w, r, v)
		}
		if route.Need == page.Admin && !v.User.Admin {
			return fault.New(fault.PermissionDenied, "This is about all workspaces. Only administrators may do it.")
		}
		if !v.User.Admin && !v.Role.Covers(route.Need) {
			return fault.New(fault.PermissionDenied, "You are a %s of this workspace. This needs the role %s.", v.Role, route.Need)
		}
	}
	if err := c.checkOrigin(r); err != nil {
		return err
	}
	if room, _, _ := strings.Cut(strings.TrimPrefix(route.Pattern, "/console/"), "/"); !c.Has(room) {
		return page.NoPage()
	}
	if err := boundBody(w, r, route); err != nil {
		return err
	}
	if route.Need == page.Open || route.Method != http.MethodPost {
		return c.serve(w, r, route, v)
	}
	body := c.await(r, v)
	r.Body = body
	return body.toRefusal(c.serve(w, r, route, v))
}

// serve reads what came with a request and serves it.
func (c *Console) serve(w http.ResponseWriter, r *http.Request, route page.Route, v access.Visitor) error {
	if route.Need != page.Open {
		leave, err := c.visit(v)
		if err != nil {
			return err
		}
		defer leave()
		lease := c.memory.OpenPart(v.Session.Workspace, v.Session.User)
		defer lease.Close()
		scope.From(r.Context()).Memory = lease
	}
	if err := readForm(w, r); err != nil {
		return err
	}
	if route.Need != page.Open && !route.Follows() {
		if err := c.asked.Acquire(r.Context(), v.Session.User, 1); err != nil {
			return err
		}
		defer c.asked.Release(v.Session.User, 1)
	}
	if route.Need != page.Open {
		if ok, err := c.mayGoOn(w, r, route, v); err != nil || !ok {
			return err
		}
		if err := c.takeOnce(r, v); err != nil {
			return err
		}
	}
	if !route.GoesOn() {
		return route.Serve(w, r, v)
	}
	held, release := c.access.Stay(r.Context(), v, route.Need)
	defer release()
	err := route.Serve(w, r.WithContext(held), v)
	if ended := access.WhyEnded(held); err != nil && ended != nil {
		return ended
	}
	return err
}

// visit takes one of the places that a person has for open requests.
func (c *Console) visit(v access.Visitor) (leave func(), err error) {
	if !c.visits.TryAcquire(v.Session.User, 1) {
		return nil, fault.New(fault.ConcurrencyLimit, "You have %d requests open here already: close some pages.", mostVisits).After(time.Second)
	}
	return func() { c.visits.Release(v.Session.User, 1) }, nil
}

func (c *Console) home(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	return c.Redirect(w, r, "/console/")
}

func allowHeader(routes []page.Route) string {
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
