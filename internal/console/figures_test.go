package console_test

import (
	"net/http"
	"regexp"
	"testing"

	"stele/internal/console/consoletest"
	"stele/internal/limit"
	"stele/internal/meter"
)

var (
	shownText = regexp.MustCompile(`>[^<]+<`)
	notShown  = regexp.MustCompile(`(?s)<(script|style|code|pre|time|option|textarea)[^>]*>.*?</(script|style|code|pre|time|option|textarea)>`)
	ungrouped = regexp.MustCompile(`(^|[\s>$(-])\d{4,}(\.\d+)?($|[\s<%)·,;:-])`)
	aYear     = regexp.MustCompile(`\b20\d\d\b`)
)

// TestFiguresAreGroupedOnEveryPage has much of everything that is counted, and looks for
// digits in a row that no eye can count.
func TestFiguresAreGroupedOnEveryPage(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithStart, consoletest.WithLimits)
	var records []meter.Record
	for range 12 {
		records = append(records, h.Use(0, func(r *meter.Record) {
			r.Input, r.CacheRead, r.Output, r.Reasoning, r.Nano = 2_345_678, 1_234_567, 123_456, 12_345, 1_234_567_890_000
		}))
	}
	for range 1100 {
		records = append(records, h.Use(0, func(r *meter.Record) { r.Nano, r.Priced = 0, false }))
	}
	h.Save(records...)
	pages := []string{
		"/console/", "/console/usage?range=today", "/console/usage?range=today&show=cost", "/console/usage?range=today&show=tokens", "/console/usage/statement",
		"/console/requests", "/console/requests/" + records[0].ID, "/console/limits", "/console/credits", "/console/unsettled", "/console/money", "/console/keys",
	}
	for _, l := range []limit.Limit{
		{Name: "tokens", Measure: limit.Tokens, Window: limit.Day, Amount: 2_000_000, Marks: []int{50}},
		{Name: "dollars", Measure: limit.Dollars, Window: limit.Month, Amount: 12_345_678_000_000, Marks: []int{50}},
		{Name: "requests", Measure: limit.Requests, Window: limit.Minute, Amount: 60_000},
	} {
		l.Workspace = "default"
		pages = append(pages, "/console/limits/"+h.Limit(l, "", l.Amount*3/4).ID)
	}
	for _, page := range pages {
		res := h.Get(page)
		consoletest.WantStatus(t, res, http.StatusOK)
		text := notShown.ReplaceAllString(consoletest.Body(t, res), "")
		for _, shown := range shownText.FindAllString(text, -1) {
			if found := ungrouped.FindString(aYear.ReplaceAllString(shown, "")); found != "" {
				t.Errorf("%s shows %q in %q", page, found, shown)
			}
		}
	}
}
