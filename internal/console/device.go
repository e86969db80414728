package console

import (
	"net/http"

	"stele/internal/access"
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
		Remote: scope.From(r.Context()).Remote, Agent: r.UserAgent(), Device: c.readCookie(r, deviceCookie, c.base()+"/"),
	}
}

// letIn hands a browser its session, and the mark it is known by where it has none.
func (c *Console) letIn(w http.ResponseWriter, r *http.Request, v access.Visitor, secret string) {
	c.setCookie(w, r, secret)
	if v.Mark != "" {
		c.writeCookie(w, r, deviceCookie, c.base()+"/", v.Mark, deviceAge)
	}
}

// news are the sign-ins from new browsers that the visitor was not told of, the
// last one first.
type news struct {
	Devices    []deviceRow
	MayDismiss bool   // with a browser that is not new itself
	Next       string // where they are
}

// news are those of the visitor, nil for none.
func (c *Console) news(r *http.Request, v access.Visitor) (*news, error) {
	devices, may, err := c.access.News(r.Context(), v)
	if err != nil || len(devices) == 0 {
		return nil, err
	}
	n := &news{Devices: c.deviceRows(devices, v), MayDismiss: may, Next: r.URL.Path}
	if r.Method == http.MethodPost {
		n.Next = "/console/security"
	}
	return n, nil
}

// deviceRow is a browser that somebody has signed in with.
type deviceRow struct {
	Browser, Agent, Remote string
	Here                   bool // it is the one that asks
	New                    bool // they were not told of it
	First, Last            *moment
}

func (c *Console) deviceRows(devices []access.Device, v access.Visitor) []deviceRow {
	rows := make([]deviceRow, len(devices))
	for i, d := range devices {
		here := d.Hash == v.Session.Device
		rows[i] = deviceRow{
			Browser: browserName(d.Agent), Agent: d.Agent, Remote: d.Remote, Here: here, New: !d.Told && !here,
			First: c.at(d.CreatedAt), Last: c.at(d.SeenAt),
		}
	}
	return rows
}

// heard takes the notice of new sign-ins away.
func (c *Console) heard(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if err := c.access.Heard(r.Context(), v); err != nil {
		return err
	}
	c.redirect(w, r, nextPage(r.PostForm.Get("next")))
	return nil
}
