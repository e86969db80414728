package console_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// axe finds what keeps people from using the page, in light and in dark: serious
// findings fail the test. A walk that is taken on a phone and on a desk is looked at on
// the desk, which shows more; TestEveryPageInABrowser looks at phones.
func (b *tab) axe() {
	b.Helper()
	if b.width >= 600 {
		b.inspect()
	}
}

// inspect is axe, whatever the width. Another scheme changes colours only.
func (b *tab) inspect() {
	b.Helper()
	source, err := os.ReadFile("../../test/sdk/node_modules/axe-core/axe.min.js")
	if err != nil {
		if os.Getenv("STELE_TEST_REQUIRE") != "" {
			b.Fatal(err)
		}
		b.Skipf("axe-core is not installed: %v", err)
	}
	if !evaluate[bool](b, `typeof axe === "object"`) { // it stays for as long as the page does
		evaluate[bool](b, string(source)+";true")
	}
	for _, look := range []struct{ scheme, rules string }{{"light", ""}, {"dark", `runOnly: ["color-contrast", "link-in-text-block"],`}} {
		b.emulate(&emulation.MediaFeature{Name: "prefers-color-scheme", Value: look.scheme})
		found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](fmt.Sprintf(runAxe, look.rules), chromedp.EvalAwaitPromise))
		if err != nil {
			b.Fatalf("axe: %v", err)
		}
		if strings.TrimSpace(found) != "" {
			b.Errorf("%s, %s:\n%s", evaluate[string](b, "location.pathname"), look.scheme, found)
		}
	}
}

const runAxe = `axe.run(document, {%s resultTypes: ["violations"]}).then(found => found.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.map(v => v.id + ": " + v.help + "\n  " + v.nodes.map(n => n.html.slice(0, 160) + " " + n.failureSummary).join("\n  ")).join("\n"))`
