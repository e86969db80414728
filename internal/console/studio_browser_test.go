package console_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"stele/internal/console/consoletest"
)

// A person makes things in real Chromium. Not parallel: one browser is enough for a
// small machine.
//
//nolint:paralleltest // see above
func TestSomebodyMakesThingsInTheStudio(t *testing.T) {
	for _, room := range screens {
		t.Run(fmt.Sprint(room.width), func(t *testing.T) {
			b := launch(t, room.width)
			var a consoletest.Atelier
			consoletest.Open(t, "http://127.0.0.1"+room.base, consoletest.WithStudio(&a))
			a.WithFiles()
			server := httptest.NewServer(a.Serve)
			t.Cleanup(server.Close)
			a.Public, _ = url.Parse(server.URL + room.base)
			s := sitting{b, a.Public.String() + "/console/studio"}
			b.visit(a.Public.String() + "/console/setup?token=" + a.Token)
			b.fill("#email", consoletest.Email)
			b.fill("#password", consoletest.Password)
			b.fill("#again", consoletest.Password)
			b.submit("form.stack button")
			s.pictures()
			s.mistakes()
			s.stopped()
			s.clipsAndSounds()
			s.detail()
			s.inputs()
			s.delete()
		})
	}
}

// sitting is a person at work in the studio.
type sitting struct {
	*tab
	studio string
}

// until waits for a script to be true.
func (s sitting) until(script string) {
	s.Helper()
	awaits(s.tab, script)
}

// leads runs a script and waits for the page that comes then.
func (s sitting) leads(script string) {
	s.Helper()
	_, err := chromedp.RunResponse(s.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Evaluate[bool](script)(ctx, t)
		return err
	}))
	if err != nil {
		s.Fatalf("%s: %v", script, err)
	}
}

// press clicks what may be out of sight, or beneath what sticks to an edge.
func (s sitting) press(selector string) {
	s.Helper()
	evaluate[bool](s.tab, fmt.Sprintf("document.querySelector(%q).scrollIntoView({block: 'center', behavior: 'instant'}); true", selector))
	s.click(selector)
}

// put sets a field as if it were typed.
func (s sitting) put(name, value string) {
	s.Helper()
	evaluate[bool](s.tab, fmt.Sprintf(`(() => { const f = document.querySelector('#set-%s'); const fold = f.closest('details'); if (fold) fold.open = true;
		f.value = %q; f.dispatchEvent(new Event("input", {bubbles: true})); return true })()`, name, value))
}

func (s sitting) pictures() {
	s.visit(s.studio)
	s.shows("Nothing made yet", "Canvas")
	s.until(`document.querySelector("#estimate").textContent === "Fill in what is missing"`)
	s.look("studio empty")
	s.axe()
	s.fill("#set-prompt", "Autumn light over a quiet harbour")
	s.press(`.chip:has([value="16:9"])`)
	s.put("size", "700")
	s.until(`document.querySelector("#estimate").textContent === "Free"`)
	evaluate[bool](s.tab, `(() => { const b = document.querySelector("#make"); b.click(); b.click(); return true })()`)
	s.until(`document.querySelector(".piece.success img")?.naturalWidth > 0`)
	if n := s.count(".piece"); n != 1 {
		s.Fatalf("a double click made %d", n)
	}
	if shape := evaluate[float64](s.tab, `(r => r.width / r.height)(document.querySelector(".piece").getBoundingClientRect())`); shape < 1.6 || shape > 2 {
		s.Errorf("a picture of 16:9 is shown in the shape %.2f", shape)
	}

	// Another model, by its name; three at once, which are seen at work.
	s.press(".models-menu > summary")
	s.fill("#model-search", "sandbox image")
	s.until(`[...document.querySelectorAll(".model-item")].filter(m => !m.hidden && m.offsetParent).length === 1`)
	s.look("studio models")
	s.press(`.model-item[href*="sandbox-image"]`)
	s.until(`document.querySelector("[name=model]").value === "stele/sandbox-image"`)
	s.put("prompt", "[[sandbox: work=6s outputs=2]] A test card")
	for n := 2; n <= 4; n++ {
		s.press("#make")
		s.until(fmt.Sprintf(`document.querySelectorAll(".piece").length === %d`, n))
	}
	s.until(`[...document.querySelectorAll(".piece progress")].some(p => p.value > 5)`)
	s.look("studio at work")
	s.axe()
	s.until(`document.querySelectorAll(".piece.success").length === 4`)
}

func (s sitting) mistakes() {
	s.visit(s.studio + "?model=stele/canvas")
	s.press("#make")
	s.until(`document.querySelector("[data-problem=prompt]").textContent === "This is needed."`)
	s.put("prompt", "Too large")
	s.put("size", "9999")
	s.until(`document.querySelector("[data-problem=size]").textContent.startsWith("Takes a whole number from 256")`)
	s.press("#make")
	s.until(`document.activeElement.id === "set-size"`)
	s.look("studio mistake")
	if n := s.count(".piece"); n != 4 {
		s.Errorf("%d pieces after a mistake", n)
	}
	s.visit(s.studio + "?model=stele/sandbox-image")
	s.put("prompt", "[[sandbox: error=content_policy]]")
	s.press("#make")
	s.until(`document.querySelector(".piece.failed") !== null`)
}

// stopped cancels what runs, and deletes what runs.
func (s sitting) stopped() {
	for _, way := range []string{"cancel", "delete"} {
		s.visit(s.studio + "?model=stele/sandbox-image")
		s.put("prompt", "[[sandbox: work=60s]] Never done")
		s.press("#make")
		s.until(`document.querySelector(".piece[data-running]") !== null`)
		s.submit(".piece[data-running] .piece-link")
		s.until(`document.querySelector("progress").value > 0`)
		if way == "cancel" {
			s.look("studio running")
			s.axe()
			s.submit("#cancel")
			s.visit(evaluate[string](s.tab, "location.href"))
			s.shows("This was canceled", "Somebody stopped it")
		}
		s.press(".work-acts [popovertarget=delete]")
		s.submit(".ask:popover-open .danger")
		if strings.Contains(s.source(), "Never done") {
			s.Error("what was deleted is in the gallery")
		}
	}
}

func (s sitting) clipsAndSounds() {
	s.visit(s.studio + "?model=stele/motion")
	s.put("prompt", "Northern lights")
	s.put("duration", "1")
	s.put("fps", "8")
	s.press(`.chip:has([value="360p"])`)
	s.press("#make")
	s.until(`document.querySelector(".piece.video.success [data-play]") !== null`)
	// By its button, as on a phone, and under the pointer of a mouse.
	const button = `querySelector("[data-play]").click()`
	pointer := func(moves string) string {
		return fmt.Sprintf(`dispatchEvent(new PointerEvent(%q, {bubbles: true, pointerType: "mouse"}))`, moves)
	}
	for _, way := range []struct{ begins, ends string }{{button, button}, {pointer("pointerover"), pointer("pointerout")}} {
		evaluate[bool](s.tab, `document.querySelector(".piece.video").`+way.begins+`; true`)
		s.until(`(v => !v.paused && v.currentTime > 0)(document.querySelector(".piece.video video"))`)
		evaluate[bool](s.tab, `document.querySelector(".piece.video").`+way.ends+`; true`)
		s.until(`document.querySelector(".piece.video video").paused`)
	}
	s.visit(s.studio + "?model=stele/tone")
	s.put("prompt", "Rain on a tin roof")
	s.put("duration", "2")
	s.press("#make")
	s.until(`document.querySelector(".piece.audio.success [data-play]") !== null`)
	s.press(".piece.audio [data-play]")
	s.until(`document.querySelector(".piece.audio [data-play]").getAttribute("aria-pressed") === "true"`)
	s.look("studio gallery")
	s.axe()
	s.submit(".piece.audio .piece-link")
	s.until(`document.querySelectorAll(".wave rect").length > 50`)
	evaluate[bool](s.tab, `document.querySelector("audio").play(); true`)
	s.until(`document.querySelector("audio").currentTime > 0`)
	s.look("studio sound")
	s.axe()
	s.submit("a[rel=next]")
	evaluate[bool](s.tab, `document.querySelector("video").play(); true`)
	s.until(`document.querySelector("video").currentTime > 0`)
	s.look("studio clip")
	s.axe()
	s.submit("a[rel=next]")
	s.shows("This did not work", "Say it in other words", "content_policy")
	s.look("studio failure")
	s.axe()
}

func (s sitting) detail() {
	s.visit(s.studio)
	s.submit(".piece:last-of-type .piece-link")
	s.shows("Autumn light over a quiet harbour", "700 × 394", "Run again", "Download")
	s.press("[data-zoom]")
	s.until(`document.querySelector(".lightbox").open`)
	s.press("[data-close]")
	s.press(".work-request > summary")
	s.shows(`"aspect_ratio": "16:9"`, "$STELE_API_KEY")
	s.fits()
	s.look("studio picture")
	s.axe()
	s.leads(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowLeft", bubbles: true})); true`)
	s.shows("A test card")
	s.visit(s.studio)
	s.submit(".piece:last-of-type .piece-link")
	s.submit(".work-acts .primary")
	if prompt := evaluate[string](s.tab, `document.querySelector("#set-prompt").value`); prompt != "Autumn light over a quiet harbour" {
		s.Errorf("run again begins with %q", prompt)
	}
	if !evaluate[bool](s.tab, `document.querySelector('[value="16:9"]').checked && document.querySelector("#set-size").value === "700"`) {
		s.Error("run again forgets the settings")
	}
}

func (s sitting) inputs() {
	s.visit(s.studio)
	s.submit(".piece:last-of-type .piece-link")
	s.submit(`.output-acts a[href*="input="]`)
	s.until(`document.querySelector("[name=mode]")?.value === "image_to_image" && document.querySelectorAll(".given-file").length === 1`)
	s.press("[data-remove]")
	// A file is dropped from the desktop.
	evaluate[bool](s.tab, `(() => { const c = document.createElement("canvas"); c.width = 80; c.height = 60;
		const g = c.getContext("2d"); g.fillStyle = "teal"; g.fillRect(0, 0, 80, 60);
		c.toBlob(blob => { const d = new DataTransfer(); d.items.add(new File([blob], "dropped.png", {type: "image/png"}));
			document.querySelector(".drop").dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: d})) }); return true })()`)
	s.until(`document.querySelector(".given-name")?.textContent === "dropped.png"`)
	s.press("[data-pick]")
	s.until(`document.querySelectorAll(".pick").length > 2`)
	s.look("studio pick")
	s.press(".pick:nth-child(3)")
	s.until(`document.querySelectorAll(".given-file").length === 2`)
	s.choose("#set-compose", "side_by_side")
	s.look("studio inputs")
	s.axe()
	before := s.count(".piece")
	s.press("#make")
	s.until(fmt.Sprintf(`document.querySelectorAll(".piece.success").length >= 1 && document.querySelectorAll(".piece").length === %d && !document.querySelector(".piece[data-running]")`, before+1))
	if !strings.Contains(evaluate[string](s.tab, `document.querySelector(".piece").className`), "success") {
		s.Error("pictures side by side were not made")
	}
}

func (s sitting) delete() {
	s.visit(s.studio)
	before := s.count(".piece")
	s.submit(".piece .piece-link")
	s.press(".work-acts [popovertarget=delete]")
	s.look("studio delete")
	s.submit(".ask:popover-open .danger")
	if n := s.count(".piece"); n != before-1 {
		s.Errorf("%d pieces after one of %d was deleted", n, before)
	}
	evaluate[bool](s.tab, `document.querySelector("[name=kind][value=video]").click(); true`)
	s.until(`document.querySelectorAll(".piece").length === 1 && document.querySelector(".piece.video") !== null`)
}
