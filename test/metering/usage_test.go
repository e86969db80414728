package metering

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

// priced are models of each pair and purpose with a price.
func priced(purposes ...string) string {
	return strings.ReplaceAll(rig.Lone(purposes...), "retries: 0}", "retries: 0, price: {input: 3.00, cached_input: 0.30, cache_write: 3.75, output: 15.00}}")
}

// bill is one usage in each upstream's own words: dialects.md 2.3, the worked example.
var bill = map[string]string{
	"openai": `{"prompt_tokens":18512,"completion_tokens":900,"total_tokens":19412,"prompt_tokens_details":{"cached_tokens":18000,"cache_write_tokens":500},` +
		`"completion_tokens_details":{"reasoning_tokens":640}}`,
	"anthropic": `{"input_tokens":12,"cache_read_input_tokens":18000,"cache_creation_input_tokens":500,"output_tokens":900,"output_tokens_details":{"thinking_tokens":640}}`,
	"gemini":    `{"promptTokenCount":18512,"cachedContentTokenCount":18000,"candidatesTokenCount":260,"thoughtsTokenCount":640,"totalTokenCount":19412}`,
}

// TestEachRequestLeavesOneRow looks at every column, in all pairs, whole and streamed.
func TestEachRequestLeavesOneRow(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", priced("paid"))
	books := r.Read(t, "")
	began := time.Now().Add(-time.Second).UnixMilli()
	rig.AllPairs(t, func(t *testing.T, client, away string) {
		model := "paid-" + client + "-" + away
		r.On(away, rig.UsualModel[away]+"-"+model, upstream.Chain(rig.Much(), upstream.Used(bill[away])))
		for _, stream := range []bool{false, true} {
			w := rig.Ask(client, model, "hi", stream)
			w.Header.Set("X-Request-Id", model+strings.ReplaceAll(rig.Streamed(stream), " ", "-"))
			r.Good(t, w)
		}
	})
	routes := map[string]string{"openai": "POST /api/v1/chat/completions", "anthropic": "POST /api/v1/messages", "gemini": "POST /api/v1beta/models/{model}:"}
	for _, client := range rig.Dialects {
		for _, away := range rig.Dialects {
			model := "paid-" + client + "-" + away
			input, written := int64(12), int64(500)
			if away == "gemini" { // it does not tell what was written
				input, written = 512, 0
			}
			nano := input*3000 + 18000*300 + written*3750 + 900*15000
			for _, stream := range []bool{false, true} {
				row := books.Await(t, model+strings.ReplaceAll(rig.Streamed(stream), " ", "-"))
				if row.Workspace != "default" || row.Key != r.KeyID || row.Environment != "development" || !strings.HasPrefix(row.Route, routes[client]) ||
					row.Dialect != client || row.Model != model || row.Provider != away || row.Target != rig.UsualModel[away]+"-"+model ||
					row.Stream != map[bool]int64{true: 1}[stream] || row.Status != http.StatusOK || row.Code != "" || row.Tries != 1 {
					t.Errorf("%s%s: %+v", model, rig.Streamed(stream), row)
				}
				if row.Input != input || row.CacheRead != 18000 || row.CacheWrite != written || row.Output != 260 || row.Reasoning != 640 || row.Estimated != 0 {
					t.Errorf("%s%s has other tokens: %+v", model, rig.Streamed(stream), row)
				}
				if row.Nano != nano || row.Priced != 1 {
					t.Errorf("%s%s costs %d, want %d", model, rig.Streamed(stream), row.Nano, nano)
				}
				if row.At < began || row.At > time.Now().UnixMilli() || row.FirstByte <= 0 || row.Took < row.FirstByte || row.Took > 10_000_000 {
					t.Errorf("%s%s has other times: %+v", model, rig.Streamed(stream), row)
				}
			}
		}
	}
	addsUp(t, books)
}

// addsUp compares the days with the requests they are made of.
func addsUp(t *testing.T, b rig.Books) {
	t.Helper()
	sums := func(table, requests string) (list []int64) {
		list = make([]int64, 7)
		b(t, fmt.Sprintf(`SELECT %s, sum(input), sum(cache_read), sum(cache_write), sum(output), sum(reasoning), sum(nano) FROM %s`, requests, table), nil,
			func(scan func(...any) error) error {
				return scan(&list[0], &list[1], &list[2], &list[3], &list[4], &list[5], &list[6])
			})
		return list
	}
	if rows, days := sums("requests", "count(*)"), sums("usage_days", "sum(requests)"); fmt.Sprint(rows) != fmt.Sprint(days) {
		t.Errorf("the rows add up to %d, the days to %d", rows, days)
	}
}

// TestWholeAndStreamedAreCountedAlike compares what upstreams count by themselves,
// with thinking, calls and caches.
func TestWholeAndStreamedAreCountedAlike(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	books := r.Read(t, "")
	id := func(client, away string, stream bool) string {
		return client + "-" + away + strings.ReplaceAll(rig.Streamed(stream), " ", "-")
	}
	rig.AllPairs(t, func(t *testing.T, client, away string) {
		for _, stream := range []bool{false, true} {
			a := rig.NewAgent(r, client, away+"/"+rig.Thinkers[away][0], stream, false)
			a.Ask("Please call:forecast for me. " + strings.Repeat("I like long questions. ", 300))
			w := a.Wish(t)
			w.Header.Set("X-Request-Id", id(client, away, stream))
			r.Good(t, w)
		}
	})
	for _, client := range rig.Dialects {
		for _, away := range rig.Dialects {
			whole, stream := books.Await(t, id(client, away, false)), books.Await(t, id(client, away, true))
			if whole.Input != stream.Input || whole.CacheRead != stream.CacheRead || whole.CacheWrite != stream.CacheWrite ||
				whole.Output != stream.Output || whole.Reasoning != stream.Reasoning || whole.Estimated+stream.Estimated != 0 || whole.Output == 0 || whole.Input == 0 {
				t.Errorf("%s over %s: whole %+v\nstreamed %+v", client, away, whole, stream)
			}
		}
	}
}

// TestUsageThatNobodyTellsIsEstimated has upstreams that leave it out.
func TestUsageThatNobodyTellsIsEstimated(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("untold"))
	books := r.Read(t, "")
	silent := upstream.Chain(upstream.Say(upstream.Text("some words that are counted by their length, more or less")), upstream.Used(`null`))
	id := func(client, away string, stream bool) string {
		return client + "-" + away + strings.ReplaceAll(rig.Streamed(stream), " ", "-")
	}
	rig.AllPairs(t, func(t *testing.T, client, away string) {
		model := "untold-" + client + "-" + away
		r.On(away, rig.UsualModel[away]+"-"+model, silent)
		for _, stream := range []bool{false, true} {
			w := rig.Ask(client, model, "hi", stream)
			w.Header.Set("X-Request-Id", id(client, away, stream))
			r.Good(t, w)
		}
	})
	for _, client := range rig.Dialects {
		for _, away := range rig.Dialects {
			for _, stream := range []bool{false, true} {
				if row := books.Await(t, id(client, away, stream)); row.Estimated != 1 || row.Input == 0 || row.Output < 5 || row.Output > 50 {
					t.Errorf("%s over %s%s: %+v", client, away, rig.Streamed(stream), row)
				}
			}
		}
	}
}
