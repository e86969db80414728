package clients

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

// bridgeURL is where stele bridge serves if it is not told otherwise.
const bridgeURL = "http://127.0.0.1:8090/v1"

// Values are what settings are filled in with.
type Values struct {
	URL    string // of the server, without a slash at the end
	Key    string
	Model  string
	Chosen bool  // the model was asked for, rather than found
	Window int64 // tokens that the model takes; 0: not known
	Output int64 // and gives
}

// OpenAI is the base URL for clients of OpenAI's dialect.
func (v Values) OpenAI() string { return v.URL + "/api/v1" }

// Anthropic is the base URL for clients of Anthropic's dialect, which add /v1.
func (v Values) Anthropic() string { return v.URL + "/api" }

// Gemini is the base URL for clients of Gemini's dialect, which add /v1beta.
func (v Values) Gemini() string { return v.URL + "/api" }

// Scheme is how the server is spoken to, for clients that ask for its address in two parts.
func (v Values) Scheme() string { scheme, _, _ := strings.Cut(v.URL, "://"); return scheme }

// Host is all that follows the scheme, a path included.
func (v Values) Host() string { _, host, _ := strings.Cut(v.URL, "://"); return host }

// Bridge is the base URL of the bridge on the client's own machine.
func (Values) Bridge() string { return bridgeURL }

// Fill is the settings of a client with the values in them.
func (c *Client) Fill(v Values) ([]Setting, error) {
	list := make([]Setting, len(c.Settings))
	for i, s := range c.Settings {
		t, err := template.New(c.ID).Funcs(template.FuncMap{"quote": quote}).Parse(s.Text)
		if err != nil {
			return nil, fmt.Errorf("settings of %s: %w", c.ID, err)
		}
		var b strings.Builder
		if err := t.Execute(&b, v); err != nil {
			return nil, fmt.Errorf("settings of %s: %w", c.ID, err)
		}
		list[i] = s
		list[i].Text = strings.TrimRight(b.String(), "\n") + "\n"
	}
	return list, nil
}

// quote is a text as JSON has it, which TOML, YAML, Python and JavaScript read too.
func quote(text string) (string, error) {
	raw, err := json.Marshal(text)
	return string(raw), err
}
