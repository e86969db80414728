package console_test

import (
	"os"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// axe finds what keeps people from using the page, in light and in dark: serious
// findings fail the test.
func (b *tab) axe() {
	b.Helper()
	source, err := os.ReadFile("../../test/sdk/node_modules/axe-core/axe.min.js")
	if err != nil {
		b.Skipf("axe-core is not installed: %v", err)
	}
	evaluate[bool](b, string(source)+";true")
	const run = `axe.run(document, {resultTypes: ["violations"]}).then(found => found.violations
		.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => v.id + ": " + v.help + "\n  " + v.nodes.map(n => n.html.slice(0, 160) + " " + n.failureSummary).join("\n  ")).join("\n"))`
	for _, scheme := range []string{"light", "dark"} {
		b.emulate(&emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme})
		found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](run, chromedp.EvalAwaitPromise))
		if err != nil {
			b.Fatalf("axe: %v", err)
		}
		if strings.TrimSpace(found) != "" {
			b.Errorf("%s, %s:\n%s", evaluate[string](b, "location.pathname"), scheme, found)
		}
	}
}
