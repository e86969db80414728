package metering

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

var costs = regexp.MustCompile(`"cost":([0-9.]+)`)

// TestAnswersSayWhatTheyCostWhereAsked has every pair tell it once, beside the usage and
// as its row says, and not to clients that did not ask.
func TestAnswersSayWhatTheyCostWhereAsked(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", priced("told"))
	books := r.Read(t, "")
	rig.AllPairs(t, func(t *testing.T, client, away string) {
		model := "told-" + client + "-" + away
		r.On(away, rig.UsualModel[away]+"-"+model, upstream.Chain(rig.Much(), upstream.Used(bill[away])))
		for _, stream := range []bool{false, true} {
			w := rig.Ask(client, model, "hi", stream)
			if heard := r.Good(t, w); strings.Contains(heard.Body, `"cost"`) {
				t.Errorf("%s%s says it unasked: %s", model, rig.Streamed(stream), heard.Body)
			}
			w.Header.Set("X-Request-Id", model+strings.ReplaceAll(rig.Streamed(stream), " ", "-"))
			w.Header.Set("X-Stele-Include-Cost", "true")
			heard := r.Good(t, w)
			row := books.Await(t, w.Header.Get("X-Request-Id"))
			want := strings.TrimRight(fmt.Sprintf("%d.%09d", row.Nano/1e9, row.Nano%1e9), "0")
			if got := costs.FindAllStringSubmatch(heard.Body, -1); len(got) != 1 || got[0][1] != want || row.Nano == 0 {
				t.Errorf("%s%s: got %v, want %s: %s", model, rig.Streamed(stream), got, want, heard.Body)
			}
		}
	})
}

// TestAGeminiArraySaysWhatItCost has a stream that is no server-sent events.
func TestAGeminiArraySaysWhatItCost(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", priced("listed"))
	for _, away := range []string{"gemini", "openai"} {
		model := "listed-gemini-" + away
		w := rig.Ask("gemini", model, "hi", true)
		w.Path = strings.TrimSuffix(w.Path, "?alt=sse")
		w.Header.Set("X-Stele-Include-Cost", "1")
		heard := r.Good(t, w)
		if got := costs.FindAllString(heard.Body, -1); len(got) != 1 || !strings.HasPrefix(heard.Body, "[") {
			t.Errorf("%s: %v: %s", model, got, heard.Body)
		}
	}
}

// TestWhatHasNoPriceHasNoCost has a model that no list knows.
func TestWhatHasNoPriceHasNoCost(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("dear"))
	rig.AllPairs(t, func(t *testing.T, client, away string) {
		model := "dear-" + client + "-" + away
		r.On(away, rig.UsualModel[away]+"-"+model, upstream.Chain(rig.Much(), upstream.Used(bill[away])))
		w := rig.Ask(client, model, "hi", true)
		w.Header.Set("X-Stele-Include-Cost", "true")
		if heard := r.Good(t, w); heard.Status != http.StatusOK || strings.Contains(heard.Body, `"cost"`) {
			t.Errorf("%s: %s", model, heard.Body)
		}
	})
}
