package console

import (
	"net/http"
	"slices"
	"strings"

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
	viewer = access.Viewer
	member = access.Member
	owner  = access.Owner
)

// Routes lists every route of the console: this is all of them.
func Routes() []Route {
	return []Route{
		{"GET", "/", open, (*Console).home},
		{"GET", "/console", open, (*Console).home},
		{"GET", "/console/", open, (*Console).home},
		{"GET", "/console/static/{version}/{file}", open, (*Console).static},

		{"GET", "/console/setup", open, (*Console).showSetup},
		{"POST", "/console/setup", open, (*Console).setUp},
		{"GET", "/console/signin", open, (*Console).showSignIn},
		{"POST", "/console/signin", open, (*Console).signIn},
		{"POST", "/console/signout", viewer, (*Console).signOut},

		{"GET", "/console/keys", viewer, (*Console).showKeys},
		{"POST", "/console/keys", member, (*Console).createKey},
		{"POST", "/console/keys/{id}/rotate", member, (*Console).rotateKey},
		{"POST", "/console/keys/{id}/revoke", member, (*Console).revokeKey},

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
		c.answer(w, r, fault.New(fault.MethodNotAllowed, "This address does not take %s.", r.Method))
		return
	}
	route := routes[i]
	scope.From(r.Context()).Enter(route.Method + " " + route.Pattern)
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
		if !v.Role.Covers(route.Need) {
			return fault.New(fault.PermissionDenied, "You are a %s of this workspace. This needs the role %s.", v.Role, route.Need)
		}
	}
	if err := c.sameOrigin(r); err != nil {
		return err
	}
	if err := readForm(w, r); err != nil {
		return err
	}
	return route.serve(c, w, r, v)
}

func (c *Console) home(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	to := "/console/keys"
	if r.URL.Path == "/" {
		to = "/console/"
	}
	c.redirect(w, r, to)
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
