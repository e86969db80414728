// Package reference is the readable reference of the public API, made from its OpenAPI document.
package reference

import (
	"embed"
	"net/http"
	"sync"
	"sync/atomic"

	"stele/internal/access"
	"stele/internal/console/page"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows the reference.
type Room struct {
	*page.Frame

	document []byte
	visitor  func(r *http.Request) (*access.Visitor, error)
	visit    func(v access.Visitor) (leave func(), err error)
	read     func() (*reference, error) // when it is first wanted: it takes longer than all else here
	shelf    atomic.Pointer[shelf]      // the page, ready to send
	making   sync.Mutex                 // held by the request that makes that page
}

// New makes the room of a document, in YAML. visitor tells who is signed in, nil for
// a stranger, who may read as well. visit takes a place for such a person's request.
func New(f *page.Frame, document []byte, visitor func(r *http.Request) (*access.Visitor, error), visit func(access.Visitor) (func(), error)) *Room {
	return &Room{
		Frame: f, document: document, visitor: visitor, visit: visit,
		read: sync.OnceValues(func() (*reference, error) { return readReference(document) }),
	}
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/reference", page.Open, c.showReference),
		page.Get("/openapi.yaml", page.Open, c.showDocument),
	}
}
