package disk

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/test/rig"
)

// forever is a number of changes that none comes to.
const forever = 1 << 30

// patient is a house whose disk can be told to fail, and what clients were told there.
type patient struct {
	caller

	t      *testing.T
	faults string
	person *rig.Visitor

	orders, files, chats []string // acknowledged
	round                int
}

// TestADiskThatIsFull has the disk run full at a change after another, until a round of
// requests gets by without. Chats go on; what cannot be stored is refused.
func TestADiskThatIsFull(t *testing.T) {
	t.Parallel()
	suffer(t, func(k int) string { return fmt.Sprintf("full %d %d", k, forever) })
}

// TestADiskThatTellsLate has syncs say that there is no room, as where room is given
// when it is needed.
func TestADiskThatTellsLate(t *testing.T) {
	t.Parallel()
	suffer(t, func(k int) string { return fmt.Sprintf("late %d %d", k, forever) })
}

// TestADiskThatErrsOnce has one change after another fail.
func TestADiskThatErrsOnce(t *testing.T) {
	t.Parallel()
	suffer(t, func(k int) string { return fmt.Sprintf("broken %d %d", k, k+1) })
}

// TestADiskThatErrs has all changes fail from one on.
func TestADiskThatErrs(t *testing.T) {
	t.Parallel()
	suffer(t, func(k int) string { return fmt.Sprintf("broken %d %d", k, forever) })
}

func suffer(t *testing.T, order func(k int) string) {
	faults := filepath.Join(t.TempDir(), "faults")
	h := rig.Start(t, rig.Options{Env: []string{"STELE_DISK_FAULTS=" + faults}})
	p := &patient{caller: caller{h, h.CreateKey(t).Key}, t: t, faults: faults, person: rig.Settle(t, h)}
	h.Await(t, p.key, http.StatusOK)
	last := changes(t)
	for k := 1; k <= last; k += faultStep {
		p.set(order(k))
		p.all(func(what string, a rig.Answer) { p.refusedAtMost(fmt.Sprintf("change %d, %s", k, what), a) })
		p.set("")
		p.heals(k)
		if t.Failed() {
			break
		}
	}
	p.allIsThere()
	h.Stop(t)
	sound(t, h)
}

// changes is how many a round makes, with the server's own beside it: what is there to fail.
func changes(t *testing.T) int {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	h := rig.Start(t, rig.Options{Env: []string{"STELE_DISK_TRACE=" + trace}})
	p := &patient{caller: caller{h, h.CreateKey(t).Key}, t: t, person: rig.Settle(t, h)}
	h.Await(t, p.key, http.StatusOK)
	before := len(readTrace(t, trace))
	p.all(func(what string, a rig.Answer) {
		if a.Status >= 400 {
			t.Errorf("%s: %d %.300s", what, a.Status, a.Body)
		}
	})
	h.Stop(t)
	n := len(readTrace(t, trace)) - before
	t.Logf("a round makes %d changes", n)
	return n
}

// set says which changes fail, all at once: the server may be looking.
func (p *patient) set(order string) {
	p.t.Helper()
	next := p.faults + ".next"
	if err := os.WriteFile(next, []byte(order), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(next, p.faults); err != nil {
		p.t.Fatal(err)
	}
}

// all asks for one of everything that changes something and notes what was acknowledged.
func (p *patient) all(told func(what string, a rig.Answer)) {
	p.t.Helper()
	p.round++
	must := func(a rig.Answer, err error) rig.Answer {
		p.t.Helper()
		if err != nil {
			p.t.Fatal(err)
		}
		return a
	}
	acked := func(list *[]string, a rig.Answer) {
		if a.Status == http.StatusCreated {
			*list = append(*list, idOf(a))
		}
	}
	a := must(p.order())
	acked(&p.orders, a)
	told("an order", a)
	a = must(p.order("Idempotency-Key", fmt.Sprint("order ", p.round)))
	acked(&p.orders, a)
	told("an order with a key", a)
	a = must(p.send("POST", "/api/v1/generations", "application/json", `{"model":"stele/canvas","prompt":"a test","size":256,"style":"gradient"}`))
	acked(&p.orders, a)
	told("a drawing", a)
	a = must(p.upload(p.round))
	acked(&p.files, a)
	told("an upload", a)
	id := fmt.Sprint("chat-", p.round)
	a = must(p.chat(id))
	p.chats = append(p.chats, id)
	if told("a chat", a); a.Status != http.StatusOK {
		p.t.Errorf("a chat was not answered: %d %s", a.Status, a.Body)
	}
	told("a chat with a key", must(p.chat(id+"-keyed", "Idempotency-Key", id)))
	told("a chat of Anthropic's with a key", must(p.send("POST", "/api/v1/messages", "application/json",
		`{"model":"stele/sandbox","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}`, "Idempotency-Key", id+" a")))
	told("a chat of Gemini's with a key", must(p.send("POST", "/api/v1beta/models/stele/sandbox:generateContent", "application/json",
		`{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, "Idempotency-Key", id+" g")))
	told("a list", must(p.send("GET", "/api/v1/models", "", "")))
	told("a page", p.makesKey())
}

// makesKey makes a key in the console.
func (p *patient) makesKey() rig.Answer {
	p.t.Helper()
	form := url.Values{"name": {fmt.Sprint("key ", p.round)}, "environment": {"development"}, "scope": {"chat"}}
	r, err := http.NewRequest("POST", p.URL+"/console/keys", strings.NewReader(form.Encode())) //nolint:noctx // the client has a time limit
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, cookie := range p.person.Client.Jar.Cookies(r.URL) {
		r.AddCookie(cookie)
	}
	a, err := p.Send(r)
	if err != nil {
		p.t.Fatal(err)
	}
	return a
}

// refusedAtMost wants an answer that is either good or a clean refusal in its dialect.
func (p *patient) refusedAtMost(what string, a rig.Answer) {
	p.t.Helper()
	if a.Status < 400 {
		return
	}
	if a.Status != http.StatusServiceUnavailable && a.Status != 529 || a.Header.Get("Retry-After") == "" {
		p.t.Errorf("%s: %d, Retry-After %q: %.200s\n%v", what, a.Status, a.Header.Get("Retry-After"), a.Body, p.why(a))
		return
	}
	if strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		return // a page for a person
	}
	var body struct {
		Error struct {
			Message string
		}
	}
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil || body.Error.Message == "" || strings.Contains(a.Body, "SQL") || strings.Contains(a.Body, p.Data) {
		p.t.Errorf("%s: %v: %s", what, err, a.Body)
	}
}

// why is what the log says of a request.
func (p *patient) why(a rig.Answer) any {
	id := a.Header.Get("X-Request-Id")
	return p.AwaitLine(p.t, "why", func(l rig.Line) bool { return l.Text("request_id") == id && l["status"] != nil })["error"]
}

// heals wants everything to be taken again, without a restart.
func (p *patient) heals(k int) {
	p.t.Helper()
	var wrong string
	rig.Eventually(p.t, "all is taken again", func() bool {
		wrong = ""
		p.all(func(what string, a rig.Answer) {
			if a.Status >= 400 {
				wrong = fmt.Sprintf("after change %d, %s: %d %.300s", k, what, a.Status, a.Body)
			}
		})
		if wrong != "" {
			p.t.Log(wrong)
		}
		return wrong == ""
	})
}

// allIsThere wants what was acknowledged: pictures are made, files have their bytes, and
// chats their rows.
func (p *patient) allIsThere() {
	p.t.Helper()
	for _, id := range p.orders {
		rig.Eventually(p.t, id+" is made", func() bool {
			a, err := p.send("GET", "/api/v1/generations/"+id+"?wait=5", "", "")
			return err == nil && strings.Contains(a.Body, `"success"`)
		})
	}
	db := p.Books(p.t, "")
	for _, id := range p.files {
		var n int
		if err := db.QueryRow(`SELECT COUNT(*) FROM files WHERE id = $1 AND state = 'ready'`, id).Scan(&n); err != nil || n != 1 {
			p.t.Errorf("the file %s: %d rows, %v", id, n, err)
		}
	}
	wholeFiles(p.t, p.House, db, "at the end", nil)
	books := p.Read(p.t, "")
	for _, id := range p.chats {
		books.Await(p.t, id)
	}
}

// sound wants a database without a fault, and sums that agree.
func sound(t *testing.T, h *rig.House) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(h.Data, "stele.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var fine string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&fine); err != nil || fine != "ok" {
		t.Errorf("the database is %q, %v", fine, err)
	}
	h.Run(t, "money", "verify")
}
