package console

import (
	"fmt"
	"html"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"stele/test/rig"
)

var (
	commands = regexp.MustCompile(`(?s)<code id="curl-(\w+)">(.*?)</code>`)
	tags     = regexp.MustCompile(`<[^>]*>`)
)

// What the playground shows as code is what a person pastes into a shell.
func TestTheCommandsOfThePlaygroundRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		rig.Lacking(t, "curl is not there")
	}
	h := rig.Start(t, rig.Options{})
	p := rig.Settle(t, h)
	key := h.CreateKey(t)
	h.Await(t, key.Key, http.StatusOK)
	note := p.Attach(t, "notes.txt", "Remember the milk.\n")

	// Thoughts come before a call, and the model wants them back: they are kept for the
	// workspace, not for who asked.
	const settings = `"temperature":0.5,"max_completion_tokens":4000,"reasoning_effort":"high","stop":["NEVER"],
		"tools":[{"type":"function","function":{"name":"clock","parameters":{"type":"object","properties":{}}}}]`
	first := p.Post(t, "/console/playground/run", "application/json", strings.NewReader(
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
		page := p.Post(t, "/console/playground/code", "application/json", strings.NewReader(`{"model":"stele/sandbox",`+test.body+`}`))
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
	h := rig.Start(t, rig.Options{})
	p := rig.Settle(t, h)
	stream := p.Post(t, "/console/playground/run", "application/json", strings.NewReader(
		`{"model":"stele/sandbox","messages":[{"role":"user","content":"Hello [[sandbox: text=Hi usage=100:7]]"}]}`))
	if !strings.Contains(stream, `"text":"Hi"`) || !strings.Contains(stream, `"input":100`) {
		t.Errorf("answered with %s", stream)
	}
	books := h.Books(t, "")
	rig.Eventually(t, "the request has a row", func() bool {
		var n int
		err := books.QueryRow(`SELECT count(*) FROM requests WHERE key = '' AND environment = 'development' AND dialect = 'console'
			AND route = 'POST /console/playground/run' AND input = 100 AND output = 7`).Scan(&n)
		return err == nil && n == 1
	})
	h.Stop(t)
}
