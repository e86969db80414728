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

// inspect is axe, whatever the width. Another scheme changes colours only. The longest page, the reference, says the same
// things thousands of times: of texts that are alike it looks at the colours of so many.
func (b *tab) inspect() {
	b.Helper()
	source, err := os.ReadFile("../../test/sdk/node_modules/axe-core/axe.min.js")
	if err != nil {
		b.Fatalf("there is a browser and no axe-core, run npm ci in test/sdk: %v", err)
	}
	if !evaluate[bool](b, `typeof axe === "object"`) { // it stays for as long as the page does
		evaluate[bool](b, string(source)+";true")
	}
	looks := []glance{{"light", "document", ""}, {"dark", "document", ofColours}}
	if evaluate[int](b, `document.querySelectorAll("*").length`) > longPage && textsAlike > 0 {
		some := fmt.Sprintf(someTexts, textsAlike)
		looks = []glance{{"light", "document", butColours}, {"light", some, ofColours}, {"dark", some, ofColours}}
	}
	for _, look := range looks {
		b.emulate(&emulation.MediaFeature{Name: "prefers-color-scheme", Value: look.scheme})
		found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](fmt.Sprintf(runAxe, look.at, look.rules), chromedp.EvalAwaitPromise))
		if err != nil {
			b.Fatalf("axe: %v", err)
		}
		if strings.TrimSpace(found) != "" {
			b.Errorf("%s, %s:\n%s", evaluate[string](b, "location.pathname"), look.scheme, found)
		}
	}
}

// glance is what axe looks at once.
type glance struct{ scheme, at, rules string }

const (
	longPage   = 3000 // elements
	ofColours  = `runOnly: ["color-contrast", "link-in-text-block"],`
	butColours = `rules: {"color-contrast": {enabled: false}, "link-in-text-block": {enabled: false}},`
)

// someTexts are the first elements with a text of their own of those that have the same kind and classes as have all that
// they stand in: a rule of the style sheet can hardly tell them apart.
const someTexts = `{include: (() => {
	const paths = new Map(), seen = new Map();
	return [...document.querySelectorAll("body, body *")].filter(e => {
		const path = (paths.get(e.parentElement) ?? "") + ">" + e.tagName + "." + e.getAttribute("class") + e.getAttribute("style");
		paths.set(e, path);
		if (![...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim())) return false;
		seen.set(path, (seen.get(path) ?? 0) + 1);
		return seen.get(path) <= %d;
	});
})()}`

const runAxe = `axe.run(%s, {%s resultTypes: ["violations"]}).then(found => found.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.map(v => v.id + ": " + v.help + "\n  " + v.nodes.map(n => n.html.slice(0, 160) + " " + n.failureSummary).join("\n  ")).join("\n"))`
