package page

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/access"
	"stele/internal/access/passkey"
	"stele/internal/fault"
)

// DeviceRow is a browser that a person has signed in with.
type DeviceRow struct {
	Browser, Agent, Remote string
	Here                   bool // it is the one that asks
	New                    bool // they were not told of it
	First, Last            *Moment
}

// DeviceRows are browsers as pages show them.
func (f *Frame) DeviceRows(devices []access.Device, v access.Visitor) []DeviceRow {
	rows := make([]DeviceRow, len(devices))
	for i, d := range devices {
		here := d.Hash == v.Session.Device
		rows[i] = DeviceRow{
			Browser: BrowserName(d.Agent), Agent: d.Agent, Remote: d.Remote, Here: here, New: !d.Told && !here,
			First: f.At(d.CreatedAt), Last: f.At(d.SeenAt),
		}
	}
	return rows
}

// The marks that browsers and systems leave in what a browser says of itself.
// The order counts: nearly all of them also claim to be Safari.
var (
	browserMarks = [][2]string{
		{"Edg/", "Edge"}, {"EdgA/", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"HeadlessChrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"},
		{"Safari/", "Safari"}, {"curl/", "curl"},
	}
	systemMarks = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"},
		{"FreeBSD", "FreeBSD"}, {"Linux", "Linux"},
	}
)

// BrowserName is a browser as people call it: Firefox on Linux.
func BrowserName(agent string) string {
	browser, system := findMark(browserMarks, agent), findMark(systemMarks, agent)
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser != "":
		return browser
	case system != "":
		return "A browser on " + system
	}
	first, _, _ := strings.Cut(strings.TrimSpace(agent), " ")
	first, _, _ = strings.Cut(first, "/")
	if first == "" || len(first) > 40 {
		return "Unknown browser"
	}
	return first
}

func findMark(marks [][2]string, agent string) string {
	for _, mark := range marks {
		if strings.Contains(agent, mark[0]) {
			return mark[1]
		}
	}
	return ""
}

// asked is what static/passkey.js hands to the browser, and brings back with a form.
type asked struct {
	Options jsontext.Value `json:"options"`
	Ticket  string         `json:"ticket"`
}

// AskPasskey answers a script with a question to a passkey.
func (f *Frame) AskPasskey(w http.ResponseWriter, do func(at passkey.Party) (access.Question, error)) error {
	at, ok := f.Party()
	if !ok {
		return NoPasskeys()
	}
	q, err := do(at)
	if err != nil {
		return err
	}
	return WriteJSON(w, http.StatusOK, asked{Options: q.Options, Ticket: q.Ticket})
}

// Party is the site that passkeys are made for, and whether there can be any.
func (f *Frame) Party() (passkey.Party, bool) {
	if f.SSOOnly() {
		return passkey.Party{}, false
	}
	return passkey.PartyAt(f.PublicURL())
}

// NoPasskeys is the answer where passkeys cannot work.
func NoPasskeys() *fault.Error {
	return fault.New(fault.NotFound, "Passkeys need a name and TLS: they do not work at this address.")
}
