package console

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/scope"
)

const (
	deviceCookie = "stele_device" // by which a browser is known again after its session has ended
	secondCookie = "stele_second" // between the password and the second factor

	deviceAge = 400 * 24 * 60 * 60 // seconds: browsers keep nothing for longer
	secondAge = 600
)

// browserOf is where a request comes from, as sessions remember it.
func (c *Console) browserOf(r *http.Request) access.Browser {
	return access.Browser{
		Remote: scope.From(r.Context()).Remote, Agent: r.UserAgent(), Device: c.readCookie(r, deviceCookie, c.Base()+"/"),
	}
}

// letIn hands a browser its session, and the mark it is known by where it has none.
func (c *Console) letIn(w http.ResponseWriter, r *http.Request, v access.Visitor, secret string) {
	c.setCookie(w, r, secret)
	if v.Mark != "" {
		c.writeCookie(w, r, deviceCookie, c.Base()+"/", v.Mark, deviceAge)
	}
}

// news are those of the visitor, nil for none.
func (c *Console) news(r *http.Request, v access.Visitor) (*page.News, error) {
	devices, may, err := c.access.News(r.Context(), v)
	if err != nil || len(devices) == 0 {
		return nil, err
	}
	n := &page.News{Devices: c.DeviceRows(devices, v), MayDismiss: may, Next: r.URL.Path}
	if r.Method == http.MethodPost {
		n.Next = "/console/security"
	}
	return n, nil
}
