package rig

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// Visitor is a person who is signed in to a house's console.
type Visitor struct {
	house  *House
	Client *http.Client
}

// Settle makes the first administrator of a house.
func Settle(t *testing.T, h *House) *Visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := *h.Client
	client.Jar = jar
	p := &Visitor{h, &client}
	link, err := url.Parse(SetupLink.FindString(h.Greeting()))
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{
		"token": {link.Query().Get("token")}, "email": {"admin@example.com"}, "password": {"correct horse battery"}, "again": {"correct horse battery"},
	}
	p.Post(t, "/console/setup", "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
	return p
}

// Post sends a change and wants it to be made.
func (p *Visitor) Post(t *testing.T, path, kind string, body io.Reader) string {
	t.Helper()
	res, err := p.Client.Post(p.house.URL+path, kind, body) //nolint:noctx // the client has a time limit
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 400 {
		t.Fatalf("%s: status %d, %v: %s", path, res.StatusCode, err, text)
	}
	return string(text)
}

// Attach uploads a file as the playground does and returns its id.
func (p *Visitor) Attach(t *testing.T, name, text string) string {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, text)
	_ = w.Close()
	var kept struct{ ID, URL string }
	if err := json.Unmarshal([]byte(p.Post(t, "/console/playground/files", w.FormDataContentType(), &form)), &kept); err != nil {
		t.Fatal(err)
	}
	res, err := p.house.Client.Get(p.house.URL + kept.URL) //nolint:noctx // the client has a time limit
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if seen, _ := io.ReadAll(res.Body); string(seen) != text {
		t.Errorf("the file's address gives %q", seen)
	}
	return kept.ID
}

// SetupLink is what a first start prints for its first administrator.
var SetupLink = regexp.MustCompile(`https?://\S+/console/setup\?token=\S+`)

// Get reads a page.
func (p *Visitor) Get(t *testing.T, path string) string {
	t.Helper()
	res, err := p.Client.Get(p.house.URL + path) //nolint:noctx // the client has a time limit
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%s: status %d, %v", path, res.StatusCode, err)
	}
	return string(text)
}
