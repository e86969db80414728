package twins

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
)

// order posts an order with headers, as name and value in turns.
func order(t *testing.T, r *rig.Front, path, body string, headers ...string) rig.Answer {
	t.Helper()
	q := r.Request(t, http.MethodPost, path)
	q.Body, q.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	q.Header.Set("Authorization", "Bearer "+r.Key)
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	a, err := r.Send(q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func picture(work string) string {
	return fmt.Sprintf(`{"model":"stele/sandbox-image","mode":"text_to_image","prompt":"a stone [[sandbox: work=%s]]"}`, work)
}

// shown is a field of the object that an answer holds.
func shown(t *testing.T, a rig.Answer, field string) string {
	t.Helper()
	return rig.Text(rig.Parse(t, a.Body), "data", field)
}

// TestOneCallForAPicture orders pictures and waits for them in the same call.
func TestOneCallForAPicture(t *testing.T) {
	t.Parallel()
	engines(t, "", func(t *testing.T, r *rig.Front) {
		a := order(t, r, "/api/v1/generations", picture("50ms"), "Prefer", `respond-async, Wait="30"; x=1`)
		if a.Status != http.StatusCreated || shown(t, a, "status") != "success" || a.Header.Get("Preference-Applied") != "wait=30" {
			t.Errorf("%d %v %s", a.Status, a.Header, a.Body)
		}
		got := r.Get(t, "/api/v1/generations/"+shown(t, a, "id"), r.Key)
		if unsigned(a.Body) != unsigned(got.Body) {
			t.Errorf("POST says %s\nGET says %s", a.Body, got.Body)
		}
		a = order(t, r, "/api/v1/generations?wait=30", picture("50ms"), "Idempotency-Key", "k")
		again := order(t, r, "/api/v1/generations?wait=30", picture("50ms"), "Idempotency-Key", "k")
		if shown(t, a, "status") != "success" || again.Body != a.Body || again.Header.Get("Idempotency-Replayed") != "true" || a.Header.Get("Preference-Applied") != "" {
			t.Errorf("%d %s\nthen %d %s", a.Status, a.Body, again.Status, again.Body)
		}
		a = order(t, r, "/api/v1/generations", picture("1h"), "Prefer", "wait=0.1")
		if a.Status != http.StatusCreated || rig.At(rig.Parse(t, a.Body), "data", "result") != nil || shown(t, a, "status") == "success" {
			t.Errorf("not in time: %d %s", a.Status, a.Body)
		}
		id := shown(t, a, "id")
		if a = order(t, r, "/api/v1/generations?wait=30", fmt.Sprintf(`{"cancel":%q}`, id)); a.Status != http.StatusOK || shown(t, a, "status") != "canceled" || shown(t, a, "id") != id {
			t.Errorf("cancel: %d %s", a.Status, a.Body)
		}
		stranger := r.CreateKey(t, "--workspace", "elsewhere").Key
		r.Await(t, stranger, http.StatusOK)
		for _, other := range []struct{ key, body string }{{r.Key, `{"cancel":"gen_nothing"}`}, {r.Key, `{"cancel":"a b"}`}, {stranger, fmt.Sprintf(`{"cancel":%q}`, id)}} {
			if a := r.Post(t, "/api/v1/generations", other.key, other.body); a.Status != http.StatusNotFound {
				t.Errorf("%s: %d %s", other.body, a.Status, a.Body)
			}
		}
		for range 3 {
			order(t, r, "/api/v1/generations?wait=30", picture("1500ms"))
		}
		if a = order(t, r, "/api/v1/generations", picture("1500ms")); shown(t, a, "expected_at") <= shown(t, a, "created_at") {
			t.Errorf("nothing is expected: %s", a.Body)
		}
	})
}

// unsigned is an object without the signatures of its addresses, which are made anew at every look.
func unsigned(body string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(body, "?exp=") {
		if at := strings.IndexByte(part, '"'); out.Len() > 0 && at >= 0 {
			part = part[at:]
		}
		out.WriteString(part)
	}
	return out.String()
}

// TestCancelAfterSurvivesAKill orders what takes an hour and may take a second or two, and
// kills the server meanwhile.
func TestCancelAfterSurvivesAKill(t *testing.T) {
	t.Parallel()
	engines(t, "", func(t *testing.T, r *rig.Front) {
		a := order(t, r, "/api/v1/generations?wait=30", picture("1h"), "Cancel-After", "500ms")
		if shown(t, a, "status") != "canceled" || !strings.Contains(a.Body, "Cancel-After") || strings.Contains(a.Body, `"cancel_at"`) {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		a = order(t, r, "/api/v1/generations", picture("1h"), "Cancel-After", "2")
		if a.Status != http.StatusCreated || shown(t, a, "cancel_at") <= shown(t, a, "created_at") {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		r.Kill(t)
		r.Start(t)
		if a = r.Get(t, "/api/v1/generations/"+shown(t, a, "id")+"?wait=60", r.Key); shown(t, a, "status") != "canceled" {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		for _, wrong := range []string{"soon", "-1s", "0", "1000h"} {
			if a := order(t, r, "/api/v1/generations", picture("1s"), "Cancel-After", wrong); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "Cancel-After") {
				t.Errorf("%s: %d %s", wrong, a.Status, a.Body)
			}
		}
	})
}
