package test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/test/upstream"
)

// priced are models of each pair and purpose with a price.
func priced(purposes ...string) string {
	return strings.ReplaceAll(lone(purposes...), "retries: 0}", "retries: 0, price: {input: 3.00, cached_input: 0.30, cache_write: 3.75, output: 15.00}}")
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
	r := newRig(t, "", priced("paid"))
	books := sqliteBooks(t, r.House)
	began := time.Now().Add(-time.Second).UnixMilli()
	allPairs(t, func(t *testing.T, client, away string) {
		model := "paid-" + client + "-" + away
		r.on(away, usualModel[away]+"-"+model, upstream.Chain(much(), upstream.Used(bill[away])))
		for _, stream := range []bool{false, true} {
			w := ask(client, model, "hi", stream)
			w.header.Set("X-Request-Id", model+strings.ReplaceAll(streamed(stream), " ", "-"))
			r.good(t, w)
		}
	})
	routes := map[string]string{"openai": "POST /api/v1/chat/completions", "anthropic": "POST /api/v1/messages", "gemini": "POST /api/v1beta/models/{model}:"}
	for _, client := range tongues {
		for _, away := range tongues {
			model := "paid-" + client + "-" + away
			input, written := int64(12), int64(500)
			if away == "gemini" { // it does not tell what was written
				input, written = 512, 0
			}
			nano := input*3000 + 18000*300 + written*3750 + 900*15000
			for _, stream := range []bool{false, true} {
				row := books.await(t, model+strings.ReplaceAll(streamed(stream), " ", "-"))
				if row.workspace != "default" || row.key != r.keyID || row.environment != "development" || !strings.HasPrefix(row.route, routes[client]) ||
					row.dialect != client || row.model != model || row.provider != away || row.target != usualModel[away]+"-"+model ||
					row.stream != map[bool]int64{true: 1}[stream] || row.status != http.StatusOK || row.code != "" || row.tries != 1 {
					t.Errorf("%s%s: %+v", model, streamed(stream), row)
				}
				if row.input != input || row.cacheRead != 18000 || row.cacheWrite != written || row.output != 260 || row.reasoning != 640 || row.estimated != 0 {
					t.Errorf("%s%s has other tokens: %+v", model, streamed(stream), row)
				}
				if row.nano != nano || row.priced != 1 {
					t.Errorf("%s%s costs %d, want %d", model, streamed(stream), row.nano, nano)
				}
				if row.at < began || row.at > time.Now().UnixMilli() || row.firstByte <= 0 || row.took < row.firstByte || row.took > 10_000_000 {
					t.Errorf("%s%s has other times: %+v", model, streamed(stream), row)
				}
			}
		}
	}
	addsUp(t, books)
}

// addsUp compares the days with the requests they are made of.
func addsUp(t *testing.T, b books) {
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
	r := newRig(t, "", "")
	books := sqliteBooks(t, r.House)
	id := func(client, away string, stream bool) string {
		return client + "-" + away + strings.ReplaceAll(streamed(stream), " ", "-")
	}
	allPairs(t, func(t *testing.T, client, away string) {
		for _, stream := range []bool{false, true} {
			a := newAgent(r, client, away+"/"+thinkers[away][0], stream, false)
			a.ask("Please call:forecast for me. " + strings.Repeat("I like long questions. ", 300))
			w := a.wish(t)
			w.header.Set("X-Request-Id", id(client, away, stream))
			r.good(t, w)
		}
	})
	for _, client := range tongues {
		for _, away := range tongues {
			whole, stream := books.await(t, id(client, away, false)), books.await(t, id(client, away, true))
			if whole.input != stream.input || whole.cacheRead != stream.cacheRead || whole.cacheWrite != stream.cacheWrite ||
				whole.output != stream.output || whole.reasoning != stream.reasoning || whole.estimated+stream.estimated != 0 || whole.output == 0 || whole.input == 0 {
				t.Errorf("%s over %s: whole %+v\nstreamed %+v", client, away, whole, stream)
			}
		}
	}
}

// TestUsageThatNobodyTellsIsEstimated has upstreams that leave it out.
func TestUsageThatNobodyTellsIsEstimated(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("untold"))
	books := sqliteBooks(t, r.House)
	silent := upstream.Chain(upstream.Say(upstream.Text("some words that are counted by their length, more or less")), upstream.Used(`null`))
	id := func(client, away string, stream bool) string {
		return client + "-" + away + strings.ReplaceAll(streamed(stream), " ", "-")
	}
	allPairs(t, func(t *testing.T, client, away string) {
		model := "untold-" + client + "-" + away
		r.on(away, usualModel[away]+"-"+model, silent)
		for _, stream := range []bool{false, true} {
			w := ask(client, model, "hi", stream)
			w.header.Set("X-Request-Id", id(client, away, stream))
			r.good(t, w)
		}
	})
	for _, client := range tongues {
		for _, away := range tongues {
			for _, stream := range []bool{false, true} {
				if row := books.await(t, id(client, away, stream)); row.estimated != 1 || row.input == 0 || row.output < 5 || row.output > 50 {
					t.Errorf("%s over %s%s: %+v", client, away, streamed(stream), row)
				}
			}
		}
	}
}
