// Package rules_test checks the alert rules and the dashboard with Prometheus' own packages: every query parses and names
// metrics that a server has, alerts fire when they should, and the panels that say so are equal to the figures that were scraped.
package rules_test

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

const (
	rulesFile     = "../../deploy/prometheus/rules.yaml"
	dashboardFile = "../../deploy/grafana/stele.json"
	scrapeFile    = "../../internal/telemetry/testdata/metrics.txt" // a server's, held by a test there
)

// others are metrics that are not Stele's own, or there only where something is configured.
var others = map[string]bool{"up": true, "process_cpu_seconds_total": true, "stele_otlp_failures_total": true}

// scraped are the lines of a scrape, without their values.
func scraped(t *testing.T) []string {
	t.Helper()
	f, err := os.Open(scrapeFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []string
	for in := bufio.NewScanner(f); in.Scan(); {
		lines = append(lines, in.Text())
	}
	if len(lines) < 50 {
		t.Fatalf("%d lines", len(lines))
	}
	return lines
}

func metrics(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, line := range scraped(t) {
		names[line[:strings.IndexAny(line, "{ ")]] = true
	}
	return names
}

// check parses a query and looks whether there are the metrics that it names.
func check(t *testing.T, what, query string, known map[string]bool) {
	t.Helper()
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		t.Errorf("%s: %v\n%s", what, err, query)
		return
	}
	parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
		if v, ok := n.(*parser.VectorSelector); ok && !known[v.Name] && !others[v.Name] {
			t.Errorf("%s names %s, which no server has", what, v.Name)
		}
		return nil
	})
}

func TestRules(t *testing.T) {
	t.Parallel()
	groups, errs := rulefmt.ParseFile(rulesFile, false, model.UTF8Validation, parser.NewParser(parser.Options{}), nil)
	for _, err := range errs {
		t.Error(err)
	}
	if groups == nil {
		t.FailNow()
	}
	known, seen := metrics(t), make(map[string]bool)
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			seen[r.Alert] = true
			check(t, r.Alert, r.Expr, known)
			if r.Alert == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("%+v lacks something", r)
			}
		}
	}
	for _, alert := range []string{"SteleDown", "SteleProviderErrors", "SteleBreakerOpen", "SteleBudgetNearlyUsed", "SteleTasksTooOld", "SteleWebhookBacklog", "SteleJournalLag", "SteleDiskNearlyFull"} {
		if !seen[alert] {
			t.Errorf("no alert %s", alert)
		}
	}
}

// panel is one of the dashboard.
type panel struct {
	ID      int
	Type    string
	Title   string
	Targets []struct{ Expr string }
}

// variables are what Grafana puts in the place of its own.
var variables = strings.NewReplacer("$__rate_interval", "5m", "$job", "stele")

func dashboard(t *testing.T) []panel {
	t.Helper()
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var board struct{ Panels []panel }
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	for i := range board.Panels {
		for j := range board.Panels[i].Targets {
			at := &board.Panels[i].Targets[j]
			at.Expr = variables.Replace(at.Expr)
		}
	}
	return board.Panels
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	known, ids, named := metrics(t), make(map[int]bool), ""
	for _, p := range dashboard(t) {
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("%s asks for nothing", p.Title)
		}
		for _, q := range p.Targets {
			check(t, p.Title, q.Expr, known)
			named += q.Expr + "\n"
		}
	}
	for name := range known { // what is counted is shown
		bare := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if !strings.Contains(named, bare) && name != "stele_build_info" && !strings.HasPrefix(name, "stele_http_request_seconds") {
			t.Errorf("no panel shows %s", name)
		}
	}
}
