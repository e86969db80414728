package console_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/console/consoletest"
)

// The walk through apps in real Chromium: run one from its form, watch it to the
// end, copy it, break it, mend it, publish it and run it. Not parallel: one browser
// is enough for a small machine.
//
//nolint:paralleltest // see above
func TestSomebodyRunsAndWritesAnApp(t *testing.T) {
	for _, room := range screens {
		t.Run(fmt.Sprint(room.width), func(t *testing.T) {
			w := &consoletest.Workshop{}
			b := launch(t, room.width)
			h := consoletest.Open(t, "http://127.0.0.1"+room.base, consoletest.WithApps(w))
			w.ServeWith(t, h)
			root := h.Public.String()
			b.visit(root + "/console/setup?token=" + h.Token)
			b.fill("#email", consoletest.Email)
			b.fill("#password", consoletest.Password)
			b.fill("#again", consoletest.Password)
			b.submit("form.stack button")
			runSocialCard(b, root)
			runStoryboard(b, root)
			giveAFile(b, root)
			w.Publish(t, "slow", consoletest.Slow)
			seeItFail(b, root)
			writeAnApp(b, root)
		})
	}
}

// press clicks something that may be out of sight, and waits for the page that comes.
func press(b *tab, selector string) {
	b.Helper()
	evaluate[bool](b, fmt.Sprintf("document.querySelector(%q).scrollIntoView({block: 'center', behavior: 'instant'}); true", selector))
	b.submit(selector)
}

func runSocialCard(b *tab, root string) {
	b.Helper()
	b.visit(root + "/console/apps")
	b.shows("Social card", "Storyboard", "New app")
	b.axe()
	b.look("apps")
	b.submit("a[href$='/apps/social-card']")
	b.shows("Run it", "No runs yet", "The price shows when")
	b.fill("#in-headline", "Paint the sea")
	b.fill("#in-signature", "example.com")
	b.choose("#in-palette", "ocean")
	awaits(b, "document.querySelector('#price').innerText.includes('Costs nothing')")
	b.axe()
	b.look("app")
	press(b, "#run-form .primary")
	watched(b)
	b.shows("card", "signed", "example.com")
	awaits(b, "document.querySelectorAll('.run-result img').length === 1 && document.querySelectorAll('.run-step.good').length === 2")
	awaits(b, "document.querySelector('.run-result img').naturalWidth > 1000")
	b.fits()
	b.axe()
	b.look("run")
	press(b, ".app-acts form .primary") // once more, with the same inputs
	watched(b)
	b.shows("Paint the sea")
	b.submit(".crumbs a:last-child")
	if n := b.count(".app-runs tbody tr"); n != 2 {
		b.Fatalf("%d runs are listed", n)
	}
	b.look("app with runs")
}

// watched waits until the page of a run has seen its end by itself.
func watched(b *tab) {
	b.Helper()
	awaits(b, "document.querySelector('.run-state') !== null && ['done', 'failed', 'canceled'].includes(document.querySelector('.run-state').textContent)")
	if state := b.text(".run-state"); state != "done" {
		b.Fatalf("the run is %s: %s", state, b.text("main"))
	}
}

func runStoryboard(b *tab, root string) {
	b.Helper()
	b.visit(root + "/console/apps/storyboard")
	b.fill("#in-idea", "A paper boat on its way to the sea")
	b.fill("#in-scenes", "2")
	b.fill("#in-seconds", "2")
	press(b, "#run-form .primary")
	awaits(b, "document.querySelectorAll('.run-step.good').length > 0")
	b.look("storyboard running")
	watched(b)
	if b.count(".run-result video") != 1 || b.count("#step-frames .run-item") != 2 || b.count(".run-data") == 0 {
		b.Fatalf("%d clips, %d frames", b.count(".run-result video"), b.count("#step-frames .run-item"))
	}
	awaits(b, "document.querySelector('.run-result video').readyState > 0")
	b.axe()
	b.look("storyboard")
}

func giveAFile(b *tab, root string) {
	b.Helper()
	b.visit(root + "/console/apps/watermark")
	b.shows("Choose a picture from here")
	b.click(".app-file-row .button")
	awaits(b, "document.querySelector('.app-pick img') !== null")
	b.click(".app-pick")
	awaits(b, "document.querySelector('.app-chosen img') !== null")
	b.fits()
	b.axe()
	b.look("files")
	if id := evaluate[string](b, "document.querySelector('[data-media] textarea').value"); !strings.HasPrefix(id, "file_") {
		b.Fatalf("the form names %q", id)
	}
	b.fill("#in-mark", "© us")
	press(b, "#run-form .primary")
	watched(b)
}

func seeItFail(b *tab, root string) {
	b.Helper()
	b.visit(root + "/console/apps/slow")
	b.fill("#in-copies", "5")
	b.fill("#in-think", "at once")
	press(b, "#run-form .primary")
	awaits(b, "document.querySelector('.run-state')?.textContent === 'failed'")
	b.shows("Step draw: There are 5 items")
	b.axe()
	b.look("failed")
	b.visit(root + "/console/apps/slow")
	press(b, "#run-form .primary")
	awaits(b, "document.querySelector('#step-think.cool') !== null && document.querySelector('.run-state').textContent === 'running'")
	b.look("running")
	press(b, ".app-acts .danger")
	awaits(b, "document.querySelector('.run-state')?.textContent === 'canceled'")
	b.look("canceled")
}

func writeAnApp(b *tab, root string) {
	b.Helper()
	b.visit(root + "/console/apps/social-card/edit")
	b.shows("This app is built in.")
	b.look("source")
	b.submit("a[href*='/apps/new?from=social-card']")
	b.axe()
	b.look("duplicate")
	b.fill("#id", "my-card")
	b.submit("form.app-new .primary")
	b.shows("Here is your draft.", "No problems: 6 inputs, 2 steps.")
	if apart := evaluate[float64](b, `(() => {
		const rows = document.querySelectorAll('.editor-ink .row'), numbers = document.querySelectorAll('.editor-gutter span');
		const last = rows.length - 1;
		return Math.abs(rows[last].getBoundingClientRect().top - numbers[last].getBoundingClientRect().top)
			+ Math.abs(document.querySelector('#source').scrollHeight - document.querySelector('.editor-ink').scrollHeight);
	})()`); apart > 1 {
		b.Errorf("text, colours and numbers are %.1f pixels apart", apart)
	}
	b.look("editor")

	replace(b, "prompt: ${inputs.headline}", "prompt: ${inputs.headlin}")
	awaits(b, "document.querySelectorAll('#problems [data-line]').length === 1 && document.querySelectorAll('.editor-ink .bad').length === 1")
	if line := b.text(".editor-ink .bad"); !strings.Contains(line, "headlin}") {
		b.Fatalf("the marked line is %q", line)
	}
	b.axe()
	b.look("editor with a mistake")
	evaluate[bool](b, "scrollTo(0, 0); document.querySelector('.editor').scrollTop = 0; true")
	b.click("#problems [data-line]")
	if at := evaluate[string](b, "(() => { const t = document.querySelector('#source'); return t.value.slice(0, t.selectionStart).split('\\n').length + ' ' + (document.activeElement === t) })()"); at != "23 true" {
		b.Fatalf("the cursor is at %s", at)
	}
	replace(b, "headlin}", "headline}")
	replace(b, "name: Social card", "name: My card")
	awaits(b, "document.querySelector('#problems .fine') !== null && document.querySelectorAll('.editor-ink .bad').length === 0")

	press(b, "[data-save]")
	b.shows("Draft saved.", "My card")
	b.click("[popovertarget=publish]")
	b.look("publish")
	b.submit("#publish .primary")
	b.shows("Published.", "version 1 is offered")
	b.axe()
	b.look("published")
	b.visit(root + "/console/apps/my-card")
	b.fill("#in-headline", "From my own app")
	press(b, "#run-form .primary")
	watched(b)
	b.shows("My card", "Version 1")
	b.visit(root + "/console/apps")
	b.shows("My card")
}

// replace changes words of the text as typing would.
func replace(b *tab, old, with string) {
	b.Helper()
	evaluate[bool](b, fmt.Sprintf(`(() => {
		const t = document.querySelector('#source');
		t.focus();
		const at = t.value.indexOf(%q);
		t.setSelectionRange(at, at + %d);
		return at >= 0 && document.execCommand('insertText', false, %q);
	})()`, old, len(old), with))
}
