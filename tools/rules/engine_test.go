package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
)

// TestPanelsEqualTheFigures loads the golden scrape of the server, whose test knows what was used, and asks the panels
// that claim to be equal to the usage page.
func TestPanelsEqualTheFigures(t *testing.T) {
	t.Parallel()
	var load strings.Builder
	load.WriteString("load 15s\n")
	for _, line := range scraped(t) {
		at := strings.LastIndexByte(line, ' ')
		series, value := line[:at], line[at+1:]
		if strings.Contains(series, "{") {
			series = strings.Replace(series, "{", `{job="stele",instance="a",`, 1)
		} else {
			series += `{job="stele",instance="a"}`
		}
		fmt.Fprintf(&load, "  %s %s\n", series, value)
	}
	// chatty was asked twice and terse once, each time for 11 tokens in, 7 read from and 5 written to a cache, 30 out and 2
	// of thought, at a dollar and seven billionths; three pictures cost four cents.
	for title, want := range map[string]string{
		"Requests": "{} 6",
		"Tokens":   "{} 165",
		"Cost":     "{} 3.040000021",
		"Tokens by model and class": `{model="chatty", class="input"} 22
  {model="chatty", class="cache_read"} 14
  {model="chatty", class="cache_write"} 10
  {model="chatty", class="output"} 60
  {model="chatty", class="reasoning"} 4
  {model="terse", class="input"} 11
  {model="terse", class="cache_read"} 7
  {model="terse", class="cache_write"} 5
  {model="terse", class="output"} 30
  {model="terse", class="reasoning"} 2`,
		"Cost by model": `{model="chatty"} 2.000000014
  {model="terse"} 1.000000007
  {model="sketch"} 0.04`,
		"Requests by model": `{model="chatty"} 2
  {model="terse"} 1
  {model="sketch"} 3`,
	} {
		query := ""
		for _, p := range dashboard(t) {
			if p.Title == title {
				query = p.Targets[0].Expr
			}
		}
		if query == "" {
			t.Errorf("no panel %q", title)
			continue
		}
		promqltest.RunTest(t, load.String()+"\neval instant at 0s "+query+"\n  "+want+"\n", engine(t))
	}
}

func engine(t *testing.T) *promql.Engine {
	t.Helper()
	return promqltest.NewTestEngine(t, false, 5*time.Minute, 100000)
}

// TestAlertsFire loads series that should, and some that should not, and asks each rule's own expression.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	groups, errs := rulefmt.ParseFile(rulesFile, false, model.UTF8Validation, parser.NewParser(parser.Options{}), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	const load = `load 1m
  up{job="stele",instance="a"} 1x20
  up{job="stele",instance="b"} 0x20
  stele_provider_tries_total{provider="good"} 0+100x20
  stele_provider_errors_total{provider="good",class="rate_limited"} 0+5x20
  stele_provider_tries_total{provider="bad"} 0+100x20
  stele_provider_errors_total{provider="bad",class="upstream_error"} 0+20x20
  stele_provider_tries_total{provider="picky"} 0+100x20
  stele_provider_errors_total{provider="picky",class="invalid_request"} 0+50x20
  stele_breaker_state{provider="good"} 0x20
  stele_breaker_state{provider="bad"} 2x20
  stele_budgets_nearly_used 3x20
  stele_oldest_task_seconds 7200x20
  stele_webhooks_waiting 1500x20
  stele_journal_lag_seconds{instance="a"} 0.5x20
  stele_journal_lag_seconds{instance="b"} 90x20
  stele_usage_refused_total 0+1x20
  stele_files_damaged_total 0+0x20
  stele_set_aside_total{kind="generation"} 0+0x20
  stele_disk_free_bytes{instance="a"} 50000000000x20
  stele_disk_size_bytes{instance="a"} 100000000000x20
  stele_disk_free_bytes{instance="b"} 1000000000x20
  stele_disk_size_bytes{instance="b"} 100000000000x20
  stele_otlp_failures_total{signal="traces"} 0+0x20
`
	want := map[string]string{
		"SteleDown":             `up{job="stele",instance="b"} 0`,
		"SteleProviderErrors":   `{provider="bad"} 0.2`,
		"SteleBreakerOpen":      `{provider="bad"} 2`,
		"SteleBudgetNearlyUsed": `{} 3`,
		"SteleTasksTooOld":      `{} 7200`,
		"SteleWebhookBacklog":   `{} 1500`,
		"SteleJournalLag":       `stele_journal_lag_seconds{instance="b"} 90`,
		"SteleUsageRefused":     `{} 1`,
		"SteleFileDamaged":      ``,
		"SteleTaskSetAside":     ``,
		"SteleDiskNearlyFull":   `stele_disk_free_bytes{instance="b"} 1000000000`,
		"SteleTelemetryLost":    ``,
	}
	for _, r := range groups.Groups[0].Rules {
		expected, ok := want[r.Alert]
		if !ok {
			t.Errorf("no case for %s", r.Alert)
			continue
		}
		delete(want, r.Alert)
		query := strings.Join(strings.Fields(r.Expr), " ")
		if r.Alert == "SteleUsageRefused" { // what a range is stretched to is Prometheus' own affair
			query = strings.Replace(query, ">", "> bool", 1)
		}
		promqltest.RunTest(t, load+"\neval instant at 10m "+query+"\n  "+expected+"\n", engine(t))
	}
	if len(want) > 0 {
		t.Errorf("without a rule: %v", want)
	}
}
