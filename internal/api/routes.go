// Package api is the public door: the 13 routes that API keys open, and nothing
// else. It checks keys and bodies, asks a room, and answers in the words of the
// route's family. It must not know databases, upstreams or browsers.
package api

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/dialect"
)

// table is the public API, whole. The numbers are those of the contract.
var table = []route{
	{1, "GET", "/api/v1/media_models", native, access.GroupMedia, (*Door).listMediaModels},
	{2, "GET", "/api/v1/apps", native, access.GroupApps, (*Door).listApps},
	{3, "GET", "/api/v1/apps/{app}", native, access.GroupApps, (*Door).showApp},
	{4, "GET", "/api/v1/models", anyOfThree, access.GroupModels, (*Door).listModels},
	{5, "POST", "/api/v1/chat/completions", openAI, access.GroupChat, (*Door).talk},
	{6, "POST", "/api/v1/messages", anthropic, access.GroupChat, (*Door).talk},
	{7, "POST", "/api/v1beta/models/{model}:generateContent", gemini, access.GroupChat, (*Door).talk},
	{8, "POST", "/api/v1beta/models/{model}:streamGenerateContent", gemini, access.GroupChat, (*Door).talk},
	{9, "POST", "/api/v1/files", nativeOrAnthropic, access.GroupFiles, (*Door).uploadFile},
	{10, "POST", "/api/v1/generations", native, access.GroupMedia, (*Door).createGeneration},
	{11, "GET", "/api/v1/generations/{id}", native, access.GroupMedia, (*Door).showGeneration},
	{12, "POST", "/api/v1/apps/{app}/generations", native, access.GroupApps, (*Door).createRun},
	{13, "GET", "/api/v1/apps/{app}/generations/{id}", native, access.GroupApps, (*Door).showGeneration},
}

type route struct {
	number  int
	method  string
	path    string // {name} is one segment; {model} before a colon may hold slashes
	family  family // whose error shape it answers with
	group   access.Group
	handler handler
}

// call is a request on its way into a room: who sent it and what the path names.
type call struct {
	*http.Request
	who    access.Principal
	pass   access.Pass // by which it was let in
	route  *route
	params map[string]string // of the path, decoded

	undeclared []string // names in X-Stele-Tags that say nothing here
}

// codec is that of the dialect in which a chat has come.
func (c *call) codec() dialect.Server { return c.route.family.codec.(dialect.Server) }

// handler serves a route. What it returns is answered by the one place that
// answers errors; it must not have written anything by then.
type handler func(d *Door, w http.ResponseWriter, c call) error

// Route is a public route, for tests that check documents and doors against it.
type Route struct {
	Number int
	Method string
	Path   string
	Family string
	Group  access.Group
}

// Routes lists the public API in the contract's order.
func Routes() []Route {
	list := make([]Route, len(table))
	for i, r := range table {
		list[i] = Route{r.number, r.method, r.path, r.family.name, r.group}
	}
	return list
}
