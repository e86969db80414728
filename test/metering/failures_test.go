package metering

import (
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// TestFailuresLeaveARowToo sends what cannot go well: each leaves one row that says
// what the client heard.
func TestFailuresLeaveARowToo(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "limits: {json_body: 1MB}\n", rig.Lone("busy", "wrong", "late", "cut"))
	books := r.Read(t, "")
	type wrong struct {
		name   string
		wish   rig.Wish
		status int64
		code   string
		half   bool // the answer had begun
	}
	var all []wrong
	for _, client := range rig.Dialects {
		model := func(purpose string) string { return purpose + "-" + client + "-openai" }
		target := func(purpose string) string { return rig.UsualModel["openai"] + "-" + model(purpose) }
		r.On("openai", target("busy"), upstream.Overloaded())
		r.On("openai", target("wrong"), upstream.Fail(http.StatusBadRequest, "no"))
		r.On("openai", target("cut"), upstream.Chain(rig.Much(), upstream.CutFrames(5)))
		broken := rig.Ask(client, model("busy"), "hi", false)
		broken.Body = broken.Body[:len(broken.Body)-1]
		large := rig.Ask(client, model("busy"), strings.Repeat("a", 1<<20), false)
		strict := rig.WishFor(client, "anthropic/"+rig.UsualModel["anthropic"], map[string]string{
			"openai":    `{"model":"anthropic/` + rig.UsualModel["anthropic"] + `","messages":[{"role":"user","content":"hi"}],"presence_penalty":1}`,
			"anthropic": `{"model":"gemini/` + rig.UsualModel["gemini"] + `","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"thinking":{"type":"between_tools"},"service_tier":"auto","speed":"fast"}`,
			"gemini":    `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"generationConfig":{"presencePenalty":1}}`,
		}[client], false)
		strict.Header.Set("X-Stele-Strict", "true")
		all = append(all,
			wrong{client + "-unknown", rig.Ask(client, "no/such-model", "hi", false), http.StatusNotFound, "model_not_found", false},
			wrong{client + "-broken", broken, http.StatusBadRequest, "invalid_request_body", false},
			wrong{client + "-large", large, http.StatusRequestEntityTooLarge, "body_too_large", false},
			wrong{client + "-strict", strict, http.StatusBadRequest, "strict_mode", false},
			wrong{client + "-busy", rig.Ask(client, model("busy"), "hi", true), http.StatusServiceUnavailable, "unavailable", false},
			wrong{client + "-wrong", rig.Ask(client, model("wrong"), "hi", true), http.StatusBadRequest, "invalid_parameter", false},
			wrong{client + "-cut", rig.Ask(client, model("cut"), "hi", true), http.StatusBadGateway, "upstream_error", true},
		)
	}
	for _, c := range all {
		c.wish.Header.Set("X-Request-Id", c.name)
		if h := r.Hear(t, c.wish); (h.Status == http.StatusOK) != c.half {
			t.Errorf("%s: %d %s", c.name, h.Status, h.Body)
		}
	}
	for _, c := range all {
		if row := books.Await(t, c.name); row.Status != c.status || row.Code != c.code || row.Key != r.KeyID || row.Dialect != c.wish.Dialect {
			t.Errorf("%s: want %d %s, the row is %+v", c.name, c.status, c.code, row)
		} else if c.half && (row.Output == 0 || row.Estimated != 1) {
			t.Errorf("%s: nothing was metered: %+v", c.name, row)
		}
	}
	addsUp(t, books)
}

// TestStrangersLeaveNoRow sends keys that open nothing.
func TestStrangersLeaveNoRow(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	books := r.Read(t, "")
	for _, client := range rig.Dialects {
		w := rig.Ask(client, "openai/"+rig.UsualModel["openai"], "hi", false)
		w.Header.Set("X-Request-Id", "stranger")
		q := r.RequestFor(t, w)
		q.Header.Set("Authorization", "Bearer nobody")
		if a, err := r.Send(q); err != nil || a.Status != http.StatusUnauthorized {
			t.Errorf("%d %v", a.Status, err)
		}
		w.Header.Set("X-Request-Id", "known-"+client)
		r.Good(t, w)
	}
	books.Await(t, "known-gemini") // rows are written in order
	if rows := books.Rows(t, "stranger"); len(rows) > 0 {
		t.Errorf("%+v", rows)
	}
}

// TestTheRowTellsWhatWasDropped compares it with what the client was told.
func TestTheRowTellsWhatWasDropped(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	books := r.Read(t, "")
	body := `{"model":"anthropic/` + rig.UsualModel["anthropic"] + `","messages":[{"role":"user","content":"hi"}],"presence_penalty":1,"logit_bias":{"5":1}}`
	told := make(map[string]string)
	for _, stream := range []bool{false, true} {
		w := rig.WishFor("openai", "", body, stream)
		id := "dropped" + strings.ReplaceAll(rig.Streamed(stream), " ", "-")
		w.Header.Set("X-Request-Id", id)
		told[id] = r.Good(t, w).Header.Get("X-Stele-Dropped")
	}
	for id, want := range told {
		if got := books.Await(t, id).Dropped; got != want || !strings.Contains(got, "presence_penalty") {
			t.Errorf("%s: the row tells %q, the client was told %q", id, got, want)
		}
	}
}
