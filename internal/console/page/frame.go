// Package page is what the pages of the console share: routes, rendering, static
// files, addresses, times, figures, rows of tables, downloads and uploads. It knows
// no room: each brings its own routes, templates and static files.
package page

import (
	"net/http"
	"net/url"
	"runtime"
	"time"

	"stele/internal/fair"
)

// Options is what a Frame is made of.
type Options struct {
	PublicURL func() *url.URL // where people reach the console; its path is the base path of every link and cookie
	APIURL    func() *url.URL // where programs reach the API, for examples; nil: as PublicURL
	Version   string          // shown at the foot of the navigation
	Now       func() time.Time
	Absent    map[string]bool // rooms that are not there, by the first word of their path after /console/
	SSOOnly   func() bool     // people come through the identity provider and no other way
	Rooms     []Files

	// Surround adds what is around a page: navigation, workspaces, news.
	Surround func(r *http.Request, v *View, name string) error
}

// Frame renders pages and knows the addresses around them. Every room embeds it.
type Frame struct {
	Options

	pages  map[string]templates
	assets *assets
	turns  *fair.Semaphore // to render: of each person one page at a time
}

// New makes a Frame. Templates are read when they are first wanted; a test reads
// them all.
func New(o Options) (*Frame, error) {
	if o.APIURL == nil {
		o.APIURL = o.PublicURL
	}
	f := &Frame{Options: o, turns: fair.New(fair.Half(int64(runtime.GOMAXPROCS(0))), 1)}
	var err error
	rooms := append([]Files{shared}, o.Rooms...)
	if f.assets, err = loadAssets(rooms); err != nil {
		return nil, err
	}
	f.pages, err = findPages(rooms)
	return f, err
}

// Has reports whether a room is there.
func (f *Frame) Has(room string) bool { return !f.Absent[room] }
