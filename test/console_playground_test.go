package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"stele/test/house"
)

// visitor is somebody who is signed in to a house's console.
type visitor struct {
	house  *house.House
	client *http.Client
}

// settle makes the first administrator of a house.
func settle(t *testing.T, h *house.House) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := *h.Client
	client.Jar = jar
	p := &visitor{h, &client}
	link, err := url.Parse(setupLink.FindString(h.Greeting()))
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{
		"token": {link.Query().Get("token")}, "email": {"admin@example.com"}, "password": {"correct horse battery"}, "again": {"correct horse battery"},
	}
	p.post(t, "/console/setup", "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
	return p
}

// post sends a change and wants it to be made.
func (p *visitor) post(t *testing.T, path, kind string, body io.Reader) string {
	t.Helper()
	res, err := p.client.Post(p.house.URL+path, kind, body) //nolint:noctx // the client has a time limit
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

// attach uploads a file as the playground does and returns its id.
func (p *visitor) attach(t *testing.T, name, text string) string {
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
	if err := json.Unmarshal([]byte(p.post(t, "/console/playground/files", w.FormDataContentType(), &form)), &kept); err != nil {
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

var (
	commands = regexp.MustCompile(`(?s)<code id="curl-(\w+)">(.*?)</code>`)
	tags     = regexp.MustCompile(`<[^>]*>`)
)

// What the playground shows as code is what a person pastes into a shell.
func TestTheCommandsOfThePlaygroundRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		house.Lacking(t, "curl is not there")
	}
	h := house.Start(t, house.Options{})
	p := settle(t, h)
	key := h.CreateKey(t)
	h.Await(t, key.Key, http.StatusOK)
	note := p.attach(t, "notes.txt", "Remember the milk.\n")

	// Thoughts come before a call, and the model wants them back: they are kept for the
	// workspace, not for who asked.
	const settings = `"temperature":0.5,"max_completion_tokens":4000,"reasoning_effort":"high","stop":["NEVER"],
		"tools":[{"type":"function","function":{"name":"clock","parameters":{"type":"object","properties":{}}}}]`
	first := p.post(t, "/console/playground/run", "application/json", strings.NewReader(
		`{"model":"stele/sandbox",`+settings+`,"messages":[{"role":"user","content":"Look at the clock"}]}`))
	_, call, _ := strings.Cut(first, `"kind":"tool","id":"`)
	call, _, _ = strings.Cut(call, `"`)

	for name, test := range map[string]struct{ body, want string }{
		"words": {`"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"It's \"late\" & <dark> $HOME"}]`, "dark"},
		"everything": {fmt.Sprintf(`%s,"messages":[{"role":"user","content":"Look at the clock"},
			{"role":"assistant","tool_calls":[{"id":%q,"type":"function","function":{"name":"clock","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":%[2]q,"content":"It is noon"}]`, settings, call), "noon"},
		"a schema": {`"messages":[{"role":"user","content":"Where?"}],"response_format":{"type":"json_schema","json_schema":{"name":"answer",
			"schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}`, `{\"ci`},
		"a file": {fmt.Sprintf(`"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":%q}},{"type":"text","text":"Read it"}]}]`, note), "milk"},
	} {
		page := p.post(t, "/console/playground/code", "application/json", strings.NewReader(`{"model":"stele/sandbox",`+test.body+`}`))
		found := commands.FindAllStringSubmatch(page, -1)
		if len(found) != 3 {
			t.Errorf("%s: %d commands, want 3: %s", name, len(found), page)
		}
		for _, m := range found {
			command := html.UnescapeString(tags.ReplaceAllString(m[2], ""))
			shell := exec.Command("sh", "-c", command) //nolint:noctx // the sandbox answers at once
			shell.Env = append(os.Environ(), "STELE_API_KEY="+key.Key)
			out, err := shell.Output()
			if err != nil || !strings.Contains(string(out), test.want) || !strings.HasPrefix(string(out), "data: ") && !strings.HasPrefix(string(out), "event: ") {
				t.Errorf("%s, %s: %v\n%s\n%s", name, m[1], err, command, out)
			}
		}
	}
	h.Stop(t)
}

// The row of a request that a person made has no key and is development.
func TestThePlaygroundIsMeteredLikeEverybody(t *testing.T) {
	t.Parallel()
	h := house.Start(t, house.Options{})
	p := settle(t, h)
	stream := p.post(t, "/console/playground/run", "application/json", strings.NewReader(
		`{"model":"stele/sandbox","messages":[{"role":"user","content":"Hello [[sandbox: text=Hi usage=100:7]]"}]}`))
	if !strings.Contains(stream, `"text":"Hi"`) || !strings.Contains(stream, `"input":100`) {
		t.Errorf("answered with %s", stream)
	}
	books := h.Books(t, "")
	house.Eventually(t, "the request has a row", func() bool {
		var n int
		err := books.QueryRow(`SELECT count(*) FROM requests WHERE key = '' AND environment = 'development' AND dialect = 'console'
			AND route = 'POST /console/playground/run' AND input = 100 AND output = 7`).Scan(&n)
		return err == nil && n == 1
	})
	h.Stop(t)
}
