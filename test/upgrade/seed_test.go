package upgrade

import (
	"bytes"
	"database/sql"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/test/rig"
)

// seedConfig lets a server keep some of everything.
const seedConfig = `
capture: {bodies: true}
egress: {allow_private: [127.0.0.0/8]}
`

// seed uses a server as people do, so that there is something in its tables, and returns a key of it.
func seed(t *testing.T, h *rig.House) (apiKey string) {
	t.Helper()
	rig.Settle(t, h)
	h.Run(t, "workspaces", "create", "acme")
	key := h.CreateKey(t).Key
	h.Rotate(t, h.CreateKey(t, "--env", "production").ID)
	h.Revoke(t, h.CreateKey(t).ID)
	h.Run(t, "users", "create", "--email", "member@example.com")
	h.Run(t, "limits", "create", "--name", "budget", "--measure", "dollars", "--window", "month", "--amount", "500", "--of", "key=*")
	h.Run(t, "limits", "create", "--name", "few", "--measure", "requests", "--window", "total", "--amount", "2", "--soft")
	h.Run(t, "credits", "grant", "--workspace", "acme", "--amount", "10", "--expires", "720h")
	h.Run(t, "webhooks", "endpoints", "create", "--url", "https://127.0.0.1:1/hook")
	h.Await(t, key, http.StatusOK)
	for _, stream := range []string{"false", "true"} {
		r := h.Request(t, "POST", "/api/v1/chat/completions")
		body := `{"model": "stele/sandbox", "stream": ` + stream + `, "user": "ada", "messages": [{"role": "user", "content": "hi"}]}`
		r.Body, r.ContentLength = readCloser(body), int64(len(body))
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Idempotency-Key", "seed "+stream)
		r.Header.Set("X-Stele-Tags", "team=blue")
		if a, err := h.Send(r); err != nil || a.Status != http.StatusOK {
			t.Fatal(a, err)
		}
	}
	h.Post(t, "/api/v1/messages", key, `{"model": "no/such", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}`)
	upload(t, h, key)
	for _, order := range []string{
		`{"model": "stele/canvas", "prompt": "One text, three scripts"}`,
		`{"model": "stele/sandbox-image", "mode": "text_to_image", "prompt": "[[sandbox: error=generation_failed]]", "webhook_url": "https://127.0.0.1:1/other"}`,
	} {
		finish(t, h, key, h.Post(t, "/api/v1/generations", key, order))
	}
	finish(t, h, key, h.Post(t, "/api/v1/apps/social-card/generations", key, `{"headline": "Fixtures"}`))
	return key
}

var generationID = regexp.MustCompile(`gen_\w+`)

func finish(t *testing.T, h *rig.House, key string, made rig.Answer) {
	t.Helper()
	id := generationID.FindString(made.Body)
	if made.Status != http.StatusCreated || id == "" {
		t.Fatal(made.Status, made.Body)
	}
	if a := h.Get(t, "/api/v1/generations/"+id+"?wait=60", key); a.Status != http.StatusOK || !strings.Contains(a.Body, `"status"`) {
		t.Fatal(a.Status, a.Body)
	}
}

func upload(t *testing.T, h *rig.House, key string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "dot.png")
	if err == nil {
		_, err = part.Write(rig.PlainPNG(t, 8, false))
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	r := h.Request(t, "POST", "/api/v1/files")
	r.Body, r.ContentLength = readCloser(form.String()), int64(form.Len())
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", w.FormDataContentType())
	if a, err := h.Send(r); err != nil || a.Status != http.StatusCreated {
		t.Fatal(a, err)
	}
}

// counts are the rows of every table of a SQLite database.
func counts(t *testing.T, db *sql.DB) map[string]int {
	t.Helper()
	all := make(map[string]int)
	for _, name := range texts(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`) {
		var n int
		if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM "`+name+`"`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		all[name] = n
	}
	return all
}

func texts(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(query, err)
		}
		list = append(list, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(query, err)
	}
	return list
}

// openBooks opens the SQLite database of a house that is not serving.
func openBooks(t *testing.T, h *rig.House) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(h.Data, "stele.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func readCloser(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }
