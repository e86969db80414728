package test

import (
	"net/http"
	"strings"
	"testing"

	"stele/test/upstream"
)

// TestFailuresLeaveARowToo sends what cannot go well: each leaves one row that says
// what the client heard.
func TestFailuresLeaveARowToo(t *testing.T) {
	t.Parallel()
	r := newRig(t, "limits: {json_body: 1MB}\n", lone("busy", "wrong", "late", "cut"))
	books := sqliteBooks(t, r.House)
	type wrong struct {
		name   string
		wish   wish
		status int64
		code   string
		half   bool // the answer had begun
	}
	var all []wrong
	for _, client := range tongues {
		model := func(purpose string) string { return purpose + "-" + client + "-openai" }
		target := func(purpose string) string { return usualModel["openai"] + "-" + model(purpose) }
		r.on("openai", target("busy"), upstream.Overloaded())
		r.on("openai", target("wrong"), upstream.Fail(http.StatusBadRequest, "no"))
		r.on("openai", target("cut"), upstream.Chain(much(), upstream.CutFrames(5)))
		broken := ask(client, model("busy"), "hi", false)
		broken.body = broken.body[:len(broken.body)-1]
		large := ask(client, model("busy"), strings.Repeat("a", 1<<20), false)
		strict := wishFor(client, "anthropic/"+usualModel["anthropic"], map[string]string{
			"openai":    `{"model":"anthropic/` + usualModel["anthropic"] + `","messages":[{"role":"user","content":"hi"}],"presence_penalty":1}`,
			"anthropic": `{"model":"gemini/` + usualModel["gemini"] + `","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"thinking":{"type":"between_tools"},"service_tier":"auto","speed":"fast"}`,
			"gemini":    `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"generationConfig":{"presencePenalty":1}}`,
		}[client], false)
		strict.header.Set("X-Stele-Strict", "true")
		all = append(all,
			wrong{client + "-unknown", ask(client, "no/such-model", "hi", false), http.StatusNotFound, "model_not_found", false},
			wrong{client + "-broken", broken, http.StatusBadRequest, "invalid_request_body", false},
			wrong{client + "-large", large, http.StatusRequestEntityTooLarge, "body_too_large", false},
			wrong{client + "-strict", strict, http.StatusBadRequest, "strict_mode", false},
			wrong{client + "-busy", ask(client, model("busy"), "hi", true), http.StatusServiceUnavailable, "unavailable", false},
			wrong{client + "-wrong", ask(client, model("wrong"), "hi", true), http.StatusBadRequest, "invalid_parameter", false},
			wrong{client + "-cut", ask(client, model("cut"), "hi", true), http.StatusBadGateway, "upstream_error", true},
		)
	}
	for _, c := range all {
		c.wish.header.Set("X-Request-Id", c.name)
		if h := r.send(t, c.wish); (h.status == http.StatusOK) != c.half {
			t.Errorf("%s: %d %s", c.name, h.status, h.body)
		}
	}
	for _, c := range all {
		if row := books.await(t, c.name); row.status != c.status || row.code != c.code || row.key != r.keyID || row.dialect != c.wish.dialect {
			t.Errorf("%s: want %d %s, the row is %+v", c.name, c.status, c.code, row)
		} else if c.half && (row.output == 0 || row.estimated != 1) {
			t.Errorf("%s: nothing was metered: %+v", c.name, row)
		}
	}
	addsUp(t, books)
}

// TestStrangersLeaveNoRow sends keys that open nothing.
func TestStrangersLeaveNoRow(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", "")
	books := sqliteBooks(t, r.House)
	for _, client := range tongues {
		w := ask(client, "openai/"+usualModel["openai"], "hi", false)
		w.header.Set("X-Request-Id", "stranger")
		q := r.request(t, w)
		q.Header.Set("Authorization", "Bearer nobody")
		if a, err := r.Send(q); err != nil || a.Status != http.StatusUnauthorized {
			t.Errorf("%d %v", a.Status, err)
		}
		w.header.Set("X-Request-Id", "known-"+client)
		r.good(t, w)
	}
	books.await(t, "known-gemini") // rows are written in order
	if rows := books.rows(t, "stranger"); len(rows) > 0 {
		t.Errorf("%+v", rows)
	}
}

// TestTheRowTellsWhatWasDropped compares it with what the client was told.
func TestTheRowTellsWhatWasDropped(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", "")
	books := sqliteBooks(t, r.House)
	body := `{"model":"anthropic/` + usualModel["anthropic"] + `","messages":[{"role":"user","content":"hi"}],"presence_penalty":1,"logit_bias":{"5":1}}`
	told := make(map[string]string)
	for _, stream := range []bool{false, true} {
		w := wishFor("openai", "", body, stream)
		id := "dropped" + strings.ReplaceAll(streamed(stream), " ", "-")
		w.header.Set("X-Request-Id", id)
		told[id] = r.good(t, w).header.Get("X-Stele-Dropped")
	}
	for id, want := range told {
		if got := books.await(t, id).dropped; got != want || !strings.Contains(got, "presence_penalty") {
			t.Errorf("%s: the row tells %q, the client was told %q", id, got, want)
		}
	}
}
