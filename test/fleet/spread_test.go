package fleet

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

// spread is how long a change may take to count on another server: a second, as the documentation
// says, and whatever a busy machine takes beside it.
const spread = 10 * time.Second

// pair are two servers on one database, with people who are signed in at the first.
type pair struct {
	one, two *rig.Front
	admin    *rig.Visitor
}

// member is a person with a role, signed in at the first server: the cookie is the other's, too.
type member struct {
	id     string
	client *http.Client
}

func (p *pair) member(t *testing.T, email, role string) member {
	t.Helper()
	const password = "correct horse battery"
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password), 0o600); err != nil {
		t.Fatal(err)
	}
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(p.one.Run(t, "users", "create", "--email", email, "--role", role, "--password-file", file, "--json")), &made); err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := *p.one.Client
	client.Jar = jar
	form := url.Values{"email": {email}, "password": {password}}
	res, err := client.PostForm(p.one.URL+"/console/signin", form) //nolint:noctx // the client has a time limit
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	m := member{made.ID, &client}
	if status := m.sees(t, p.two, "/console/keys"); status != http.StatusOK {
		t.Fatalf("%s is not signed in at the other server: %d", email, status)
	}
	return m
}

// sees is the status of a page for a person.
func (m member) sees(t *testing.T, r *rig.Front, path string) int {
	t.Helper()
	res, err := m.client.Get(r.URL + path) //nolint:noctx // the client has a time limit
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode
}

// posts sends a form of the console's as a person.
func (m member) posts(t *testing.T, r *rig.Front, path string, form url.Values) {
	t.Helper()
	res, err := m.client.PostForm(r.URL+path, form) //nolint:noctx // the client has a time limit
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if res.StatusCode >= 400 {
		t.Fatalf("%s: %d %s", path, res.StatusCode, body)
	}
}

// posts sends a form as the administrator, to the first server.
func (p *pair) posts(t *testing.T, path string, form url.Values) {
	t.Helper()
	p.admin.Post(t, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// newKey makes a key that both servers know.
func (p *pair) newKey(t *testing.T) rig.Key {
	t.Helper()
	key := p.one.CreateKey(t)
	p.two.Keep(key.Key)
	p.two.Await(t, key.Key, http.StatusOK)
	return key
}

// chats is the status of a chat at the second server.
func (p *pair) chats(t *testing.T, key, model string) int {
	t.Helper()
	return p.two.Post(t, "/api/v1/chat/completions", key, `{"model":"`+model+`","messages":[{"role":"user","content":"hi"}]}`).Status
}

// spreads is a change that is made at the first server, with what it is made of: it says
// how the change is made, and what the second server answers where it counts.
type spreads struct {
	name    string
	atOnce  bool // it was made by a command, which waits for all servers
	prepare func(t *testing.T, p *pair) (change func(), counts func() bool)
}

var allSpreads = []spreads{
	{"a key is revoked by a command", true, func(t *testing.T, p *pair) (func(), func() bool) {
		key := p.newKey(t)
		return func() { p.one.Revoke(t, key.ID) }, func() bool { return p.two.Get(t, "/api/v1/models", key.Key).Status == 401 }
	}},
	{"a key is revoked in the console", false, func(t *testing.T, p *pair) (func(), func() bool) {
		key := p.newKey(t)
		return func() { p.posts(t, "/console/keys/"+key.ID+"/revoke", nil) }, func() bool { return p.two.Get(t, "/api/v1/models", key.Key).Status == 401 }
	}},
	{"a key opens less", true, func(t *testing.T, p *pair) (func(), func() bool) {
		key := p.newKey(t)
		return func() { p.one.Run(t, "keys", "edit", key.ID, "--scope", "chat") }, func() bool { return p.two.Get(t, "/api/v1/models", key.Key).Status == 403 }
	}},
	{"a policy opens less", false, func(t *testing.T, p *pair) (func(), func() bool) {
		p.one.Run(t, "workspaces", "create", "narrow")
		key := p.one.CreateKey(t, "--workspace", "narrow")
		p.two.Keep(key.Key)
		p.two.Await(t, key.Key, http.StatusOK)
		return func() { p.one.Run(t, "workspaces", "policy", "set", "narrow", "--scope", "chat") },
			func() bool { return p.two.Get(t, "/api/v1/models", key.Key).Status == 403 }
	}},
	{"a person signs out", false, func(t *testing.T, p *pair) (func(), func() bool) {
		m := p.member(t, "out@example.com", "member")
		return func() { m.posts(t, p.one, "/console/signout", nil) }, func() bool { return m.sees(t, p.two, "/console/keys") != http.StatusOK }
	}},
	{"a person is signed out", false, func(t *testing.T, p *pair) (func(), func() bool) {
		m := p.member(t, "ended@example.com", "member")
		return func() { p.posts(t, "/console/people/"+m.id+"/end", nil) }, func() bool { return m.sees(t, p.two, "/console/keys") != http.StatusOK }
	}},
	{"a person is removed", false, func(t *testing.T, p *pair) (func(), func() bool) {
		m := p.member(t, "removed@example.com", "member")
		return func() { p.one.Run(t, "users", "remove", "removed@example.com") }, func() bool { return m.sees(t, p.two, "/console/keys") != http.StatusOK }
	}},
	{"a role is taken", false, func(t *testing.T, p *pair) (func(), func() bool) {
		m := p.member(t, "role@example.com", "owner")
		if status := m.sees(t, p.two, "/console/people"); status != http.StatusOK {
			t.Fatalf("an owner sees %d", status)
		}
		return func() { p.posts(t, "/console/people/"+m.id+"/role", url.Values{"role": {"viewer"}}) },
			func() bool { return m.sees(t, p.two, "/console/people") >= 400 }
	}},
	{"a provider is switched off", false, func(t *testing.T, p *pair) (func(), func() bool) {
		form := url.Values{
			"id": {"birds"}, "kind": {"openai"}, "base_url": {p.one.Up["openai"].URL + "/v1"}, "api_key": {upstream.Key}, "models": {"gpt-4.1"},
		}
		p.posts(t, "/console/providers", form)
		rig.Eventually(t, "the other server has the provider", func() bool { return p.chats(t, p.two.Key, "birds/gpt-4.1") == 200 })
		return func() { p.posts(t, "/console/providers/birds/switch", nil) }, func() bool { return p.chats(t, p.two.Key, "birds/gpt-4.1") != 200 }
	}},
	{"a limit is lowered", false, func(t *testing.T, p *pair) (func(), func() bool) {
		key := p.newKey(t)
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(p.one.Run(t, "limits", "create", "--name", "few", "--measure", "requests", "--window", "day", "--amount", "1000",
			"--of", "key="+key.ID, "--json")), &made); err != nil {
			t.Fatal(err)
		}
		for range 5 { // a part of it is on lease then
			if status := p.chats(t, key.Key, "m0"); status != 200 {
				t.Fatalf("a chat: %d", status)
			}
		}
		return func() { p.one.Run(t, "limits", "set", made.ID, "--amount", "1") }, func() bool { return p.chats(t, key.Key, "m0") == 429 }
	}},
	{"a limit is made", false, func(t *testing.T, p *pair) (func(), func() bool) {
		key := p.newKey(t)
		return func() {
			p.one.Run(t, "limits", "create", "--name", "none", "--measure", "requests", "--window", "day", "--amount", "1", "--of", "key="+key.ID)
		}, func() bool { return p.chats(t, key.Key, "m1") == 429 }
	}},
}

// TestWhatOneServerIsToldCountsOnAnother makes every change that takes something away at one
// server, and asks another one.
func TestWhatOneServerIsToldCountsOnAnother(t *testing.T) {
	t.Parallel()
	servers := newServers(t, 2)
	p := &pair{one: servers[0], two: servers[1], admin: rig.Settle(t, servers[0].House)}
	for _, s := range allSpreads { // one after the other: what another does must not hasten it
		t.Run(s.name, func(t *testing.T) { //nolint:paralleltest // see above
			change, counts := s.prepare(t, p)
			if counts() {
				t.Fatal("it counts before")
			}
			change()
			begun := time.Now()
			at := counts()
			if s.atOnce && !at {
				t.Error("it does not count when the command has ended")
			}
			for !at && time.Since(begun) < rig.Patience {
				<-time.After(10 * time.Millisecond)
				at = counts()
			}
			took := time.Since(begun)
			t.Logf("it counts after %s", took.Round(time.Millisecond))
			if !at || took > spread {
				t.Errorf("it took %s", took)
			}
		})
	}
}
