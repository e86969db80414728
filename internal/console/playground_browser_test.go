package console_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"stele/internal/console/consoletest"
)

// settled waits until no model is asked any more.
func settled(b *tab) {
	b.Helper()
	awaits(b, "document.querySelector('.turn') !== null && document.querySelector('#playground.busy') === null")
}

// asks sends a message and waits for the answer's end.
func asks(b *tab, text string) {
	b.Helper()
	turns := b.count(".turn")
	b.fill("#message", text)
	b.click("#run")
	awaits(b, fmt.Sprintf("document.querySelectorAll('.turn').length === %d", turns+1))
	settled(b)
}

// push clicks what may lie beneath the composer, once it does not.
func push(b *tab, selector string) {
	b.Helper()
	evaluate[bool](b, fmt.Sprintf("document.querySelector(%q).scrollIntoView({block: 'center', behavior: 'instant'}); true", selector))
	b.click(selector)
}

func enter(t *testing.T, width int64, base string) (*tab, *consoletest.House) {
	t.Helper()
	b := launch(t, width)
	h := consoletest.Open(t, "http://127.0.0.1"+base, consoletest.WithPlayground(&consoletest.Shelf{Kept: make(chan struct{}, 1000)}))
	server := httptest.NewServer(h.Serve)
	t.Cleanup(server.Close)
	h.Public, _ = url.Parse(server.URL + base)
	root := h.Public.String()
	b.visit(root + "/console/setup?token=" + h.Token)
	b.fill("#email", consoletest.Email)
	b.fill("#password", consoletest.Password)
	b.fill("#again", consoletest.Password)
	b.submit("form.stack button")
	b.visit(root + "/console/playground")
	return b, h
}

//nolint:paralleltest // one browser is enough for a small machine
func TestSomebodyPlaysWithAModel(t *testing.T) {
	for _, room := range everyScreen {
		t.Run(fmt.Sprint(room.width), func(t *testing.T) {
			b, h := enter(t, room.width, room.base)
			play(b, h)
		})
	}
}

func play(b *tab, h *consoletest.House) {
	b.shows("Ask something")
	b.look("playground blank")
	b.axe()

	// An answer, its figures, and markdown that cannot do harm.
	asks(b, `Hello [[sandbox: text="## Title\n\nSome **bold** words, `+"`code`"+` and a [link](https://example.com/).\n\n1. one\n2. two\n   - inner\n\n`+
		"```go\\nfunc main() {}\\n```"+`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<img src=x onerror=alert(1)> [bad](javascript:alert(1))"]]`)
	b.shows("Title", "func main() {}", "<img src=x", "first byte", "total", "stele/sandbox", "req_test")
	for selector, want := range map[string]int{
		".md h4": 1, ".md strong": 1, ".md ol > li": 2, ".md li li": 1, ".md .code pre": 1, ".md table td": 2, ".md a": 1, ".md img": 0,
	} {
		if got := b.count(selector); got != want {
			b.Errorf("%d of %s, want %d", got, selector, want)
		}
	}
	b.look("playground answer")

	// Thoughts apart, folded.
	asks(b, "Think [[sandbox: think=12 text=Done]]")
	b.shows("Thought, 12 words")
	if open := evaluate[bool](b, "document.querySelector('.thinking').open"); open {
		b.Error("thoughts are not folded")
	}

	asks(b, `Data [[sandbox: text="{\"a_b\": [1, 2], \"c_d\": true}"]]`)
	b.shows(`"a_b": [`)
	push(b, ".turn:last-child .acts-line button:nth-child(3)")

	// A tool round.
	if b.width < 1000 {
		b.click("#settings > summary")
	}
	b.click("#sample-tool")
	if b.width < 1000 {
		b.click("#settings > summary")
	}
	asks(b, "What is the weather in Paris?")
	b.shows("get_weather", "Result of get_weather")
	b.look("playground tool")
	push(b, ".picks-line button")
	b.fill(".results textarea", "Sunny and 21 degrees")
	push(b, ".results .primary")
	awaits(b, "document.querySelectorAll('.turn:last-child .answer').length === 2")
	settled(b)
	b.shows("Sunny and 21 degrees")
	if text := b.text(".turn:last-child .answer:last-child .md"); !strings.Contains(text, "Sunny") {
		b.Errorf("the model did not see the result: %s", text)
	}

	// It survives a reload.
	before := b.count(".turn")
	b.reload()
	if after := b.count(".turn"); after != before || before != 3 {
		b.Errorf("%d turns before a reload, %d after", before, after)
	}
	b.shows("Sunny and 21 degrees", "Thought, 12 words")
	b.axe()
	code(b, h)
	changes(b)
	besides(b)
}

// code opens the panel with the request in three dialects.
func code(b *tab, h *consoletest.House) {
	b.click("#show-code")
	awaits(b, "document.getElementById('code').open")
	for name, want := range map[string]string{"openai": "/api/v1/chat/completions", "anthropic": "/api/v1/messages", "gemini": ":streamGenerateContent"} {
		b.click("#tab-" + name)
		if got := b.text("#curl-" + name); !strings.Contains(got, h.Public.String()+"/api/v1") || !strings.Contains(got, want) || !strings.Contains(got, "get_weather") {
			b.Errorf("%s: %s", name, got)
		}
	}
	b.look("playground code")
	b.axe()
	b.click("#close-code")
}

// changes edits, deletes, stops, fails and clears.
func changes(b *tab) {
	turns := b.count(".turn")
	push(b, ".turn:nth-child(2) .acts-line button:nth-child(1)")
	b.fill(".editing textarea", "Say it again [[sandbox: text=Changed]]")
	push(b, ".editing .primary")
	settled(b)
	b.shows("Changed")
	if got := b.count(".turn"); got != 2 || turns != 3 {
		b.Errorf("%d turns after an edit of the second, want 2", got)
	}
	push(b, ".turn:nth-child(1) .acts-line button:nth-child(3)")
	if got := b.count(".turn"); got != 1 {
		b.Errorf("%d turns after one of two was deleted", got)
	}

	push(b, ".copy-it button:nth-child(2)")
	b.fill(".editing textarea", "Something **else**")
	push(b, ".editing .primary")
	b.shows("Something else", "Changed by you")

	b.fill("#message", "Go on [[sandbox: gap=100ms words=500]]")
	b.click("#run")
	awaits(b, "document.querySelector('.running .md') !== null")
	b.look("playground running")
	b.click("#stop")
	settled(b)
	b.shows("Stopped")

	// The keyboard does the same. What was not answered at all can still be looked up.
	b.fill("#message", "Wait [[sandbox: silence]]")
	evaluate[bool](b, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true})); true`)
	awaits(b, "document.querySelector('.running .waiting') !== null")
	evaluate[bool](b, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true})); true`)
	settled(b)
	if got := b.text(".turn:last-child .answer"); !strings.Contains(got, "Stopped") || !strings.Contains(got, "req_") {
		b.Errorf("stopped with Esc: %s", got)
	}

	asks(b, "Fail [[sandbox: error=429]]")
	b.shows("rate_limited", "429", "req_test")
	asks(b, "Fail [[sandbox: words=30 error_after=5]]")
	b.shows("unavailable")
	asks(b, "No [[sandbox: refuse]]")
	asks(b, "Long [[sandbox: finish=length]]")
	b.shows("Cut off at the most tokens", "Continue")
	b.look("playground failures")
	b.axe()
	b.click("#clear")
	b.shows("Ask something")
}

// besides asks two models at once, with a file.
func besides(b *tab) {
	b.click("#compare")
	folder := b.TempDir()
	note := filepath.Join(folder, "notes.txt")
	if err := os.WriteFile(note, []byte("Remember the milk.\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#files"), []string{note}, chromedp.NodeReady))
	awaits(b, "document.querySelector('#attached .chip') !== null")
	asks(b, "Read this [[sandbox: gap=10ms]]")
	if got := b.count(".turn .pane .answer"); got != 2 {
		b.Errorf("%d answers side by side", got)
	}
	for _, pane := range []string{"1", "2"} {
		if got := b.text(".pane:nth-child(" + pane + ")"); !strings.Contains(got, "Remember the milk") {
			b.Errorf("pane %s: %s", pane, got)
		}
	}
	b.shows("team/priced", "cost", "$0.0", "notes.txt")
	b.look("playground compare")
	b.fits()
	b.axe()
}
