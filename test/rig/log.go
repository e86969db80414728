package rig

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Line is a line of the log: its facts by name.
type Line map[string]any

// Text is the fact of that name, or "" where it is not there or no text.
func (l Line) Text(name string) string {
	text, _ := l[name].(string)
	return text
}

// Log is what the running server has logged.
func (h *House) Log(t testing.TB) []Line {
	t.Helper()
	return linesOf(h.serving.stderr.String())
}

// WholeLog is Wait, and what the server has logged until its end.
func (h *House) WholeLog(t testing.TB) []Line {
	t.Helper()
	p := h.serving
	h.Wait(t)
	return linesOf(p.stderr.String())
}

func linesOf(log string) []Line {
	var lines []Line
	for text := range strings.Lines(log) {
		var l Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			break // the last line may not be whole yet; what is no JSON at the end is reported then
		}
		lines = append(lines, l)
	}
	return lines
}

// AwaitLine returns the first line of the log that fits, when it is there.
func (h *House) AwaitLine(t testing.TB, what string, fits func(Line) bool) Line {
	t.Helper()
	var found Line
	Eventually(t, "the log says "+what, func() bool {
		for _, l := range h.Log(t) {
			if fits(l) {
				found = l
				return true
			}
		}
		return false
	})
	return found
}

// wrongLines are what must never be in a log: a panic, or anything that is not a
// line of JSON, such as the trace of a crash.
func wrongLines(log string) []string {
	var wrong []string
	for line := range strings.Lines(log) {
		var l Line
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			wrong = append(wrong, fmt.Sprintf("not a line of the log: %.2000s", line))
		} else if l["panic"] != nil || strings.HasPrefix(l.Text("error"), "panic") {
			wrong = append(wrong, fmt.Sprintf("a panic at %v %v: %v %.2000s", l["method"], l["path"], l["panic"], l.Text("error")))
		}
	}
	return wrong
}

// secrets are the texts that a house must keep to itself.
type secrets struct {
	mu      sync.Mutex // guards what follows
	kept    []string
	welcome []string // what only the first start may print, and only on stdout
}

var (
	keyText   = regexp.MustCompile(`sk_(?:dev|live)_[0-9A-Za-z]{38}`)
	setupText = regexp.MustCompile(`setup\?token=(\S+)`)
)

// greeted remembers the secrets in what a server has printed at its start.
func (s *secrets) greeted(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key := keyText.FindString(text); key != "" {
		s.welcome = append(s.welcome, key)
	}
	if found := setupText.FindStringSubmatch(text); found != nil {
		s.welcome = append(s.welcome, found[1])
	}
}

// Keep adds a text that the server must never print or log, such as an upstream's key.
func (h *House) Keep(secret string) {
	h.secrets.mu.Lock()
	defer h.secrets.mu.Unlock()
	h.secrets.kept = append(h.secrets.kept, secret)
}

// told are the secrets that a server has told: those of the first start may be in
// its greeting, the key twice and the link once; all others nowhere.
func (s *secrets) told(stdout, stderr string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var told []string
	for _, secret := range s.kept {
		if strings.Contains(stdout+stderr, random(secret)) {
			told = append(told, fmt.Sprintf("the secret %.12s… was printed or logged", secret))
		}
	}
	for _, secret := range s.welcome {
		once := 1
		if keyText.MatchString(secret) {
			once = 2
		}
		if n := strings.Count(stdout, random(secret)); n > once {
			told = append(told, fmt.Sprintf("the first start's secret %.12s… was printed %d times", secret, n))
		}
		if strings.Contains(stderr, random(secret)) {
			told = append(told, fmt.Sprintf("the first start's secret %.12s… was logged", secret))
		}
	}
	return told
}

// random is the beginning of a secret that tells it from all others, so that half
// a key, or one without its prefix, is found too.
func random(secret string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(secret, "sk_dev_"), "sk_live_")
	return rest[:min(len(rest), 16)]
}
