package dialect_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/chat"
)

var update = flag.Bool("update", false, "write docs/conformance.md anew")

const conformancePage = "../../docs/conformance.md"

// TestTheConformancePageIsTrue makes the page from what the codecs really do with
// a probe of every feature, and compares.
func TestTheConformancePageIsTrue(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString(conformanceIntro)
	for _, from := range []string{O, A, G} {
		b.WriteString(requestTable(t, from))
	}
	b.WriteString(answerTables(t))
	b.WriteString(errorTable(t))
	b.WriteString(caseTable())
	if *update {
		if err := os.WriteFile(conformancePage, b.Bytes(), 0o644); err != nil { //nolint:gosec // a page for everybody
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(conformancePage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), b.String()); diff != "" {
		t.Errorf("docs/conformance.md is not what the codecs do; go test ./internal/dialect -run Conformance -update writes it anew (-page +codecs):\n%s", diff)
	}
}

// TestEveryHardCaseIsHeld checks that a case that is held elsewhere is.
func TestEveryHardCaseIsHeld(t *testing.T) {
	t.Parallel()
	found := make(map[string]bool)
	for _, pattern := range []string{"*_test.go", "../relay/*_test.go", "../bridge/*_test.go", "../api/*_test.go", "../provider/sandbox/*_test.go", "../../test/hard/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (TestHard\w+)\(`).FindAllSubmatch(source, -1) {
				found[string(m[1])] = true
			}
		}
	}
	seen := make(map[int]bool)
	for _, s := range sections() {
		for _, c := range s.cases {
			if seen[c.number] {
				t.Errorf("%d is there twice", c.number)
			}
			seen[c.number] = true
			if c.run == nil && !found[c.elsewhere] {
				t.Errorf("%d: there is no %q", c.number, c.elsewhere)
			}
		}
	}
}

const conformanceIntro = `# What arrives: dialects, upstreams, features

This page is written by a test (` + "`go test ./internal/dialect -run Conformance -update`" + `) from what the codecs do with a request
or an answer that has just the one feature, and the test fails when the page is not what they do. A request is decoded from its
client's dialect, sent through the relay to an upstream of another, and whatever is reported as lost stands in the table.

Where client and upstream speak **the same dialect** nothing is translated: the request keeps its bytes but for the model's name, our own
switches, file ids and signature envelopes, and a stream's wish for usage; the answer keeps all of them.

| word | meaning |
|---|---|
| exact | it arrives, and nothing is reported |
| approximate, added | something near it arrives: ` + "`X-Stele-Dropped`" + ` says what was done; strict mode refuses |
| dropped | it does not arrive: ` + "`X-Stele-Dropped`" + ` says so; strict mode refuses |
| ignored | it does not arrive and makes no difference to the answer: reported, and strict mode lets it pass |
| refused | 400 that names the field, before any call |

The upstreams' models are ` + "`gpt-4.1`, `claude-sonnet-4-5` and `gemini-3-pro`" + ` where no other is named. What a model does not take although its
API has it (sampling on newer Claudes, effort beside tools on newer GPTs …) is dropped or approximated in the same way, and reported.
`

var titles = map[string]string{O: "OpenAI Chat Completions", A: "Anthropic Messages", G: "Gemini generateContent"}

func others(name string) []string {
	return slices.DeleteFunc([]string{O, A, G}, func(o string) bool { return o == name })
}

// requestTable is all features of a client's dialect over the two other upstreams.
func requestTable(t *testing.T, from string) string {
	t.Helper()
	over := others(from)
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Requests of a client that speaks %s\n\n| feature | over %s | over %s |\n|---|---|---|\n", titles[from], titles[over[0]], titles[over[1]])
	for _, p := range slices.Concat(probes, settings) {
		ask, ok := p.asks[from]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "| %s |", p.name)
		for _, to := range over {
			fmt.Fprintf(&b, " %s |", p.cell(t, from, to, ask))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// probe is a request that has one feature.
type probe struct {
	name   string
	asks   map[string]string // by client: the body, or members that are added to a plain one
	at     map[string]string // by upstream: where it is to be found if it arrives exactly
	models map[string]string // by upstream, where the usual one does not have the feature
	fetch  string            // what is at its address
	answer map[string]string // by upstream, where a plain one is not what it gives
}

func (p *probe) cell(t *testing.T, from, to, ask string) string {
	t.Helper()
	if !strings.HasPrefix(ask, "{") {
		ask = strings.TrimSuffix(plain[from], "}") + "," + ask + "}"
	}
	way := trip{from: from, to: to, ask: ask, model: p.models[to]}
	if p.fetch != "" {
		way.fetch = map[string]string{probeAddress: p.fetch}
	}
	if p.answer[to] != "" {
		way.answers = []string{p.answer[to]}
	}
	l := try(t, way)
	if l.failure != nil {
		if l.status != 400 || len(l.sent) > 0 {
			t.Errorf("%s, %s to %s: %d %v", p.name, from, to, l.status, l.failure)
		}
		return "refused"
	}
	if len(l.losses) > 0 {
		return lossWords(l.losses)
	}
	sent := l.got()
	if at, ok := p.at[to]; ok && !sent.Get(at).Exists() {
		t.Errorf("%s, %s to %s: said to be exact, but there is no %s in %s", p.name, from, to, at, sent.Raw)
	}
	switch {
	case len(l.sent) > 1:
		return fmt.Sprintf("exact, in %d calls", len(l.sent))
	case p.fetch != "" && !strings.Contains(sent.Raw, probeAddress):
		return "exact: fetched here and sent along"
	}
	return "exact"
}

// lossWords says what was lost: the worst first, the same only once.
func lossWords(losses []chat.Loss) string {
	verbs := []chat.Verb{chat.Dropped, chat.Approximated, chat.Added, chat.Ignored}
	words := map[chat.Verb]string{chat.Dropped: "dropped", chat.Approximated: "approximate", chat.Added: "added", chat.Ignored: "ignored"}
	var all []string
	for _, verb := range verbs {
		var notes []string
		there := false
		for _, l := range losses {
			if l.Verb != verb {
				continue
			}
			there = true
			if l.Note != "" && !slices.Contains(notes, l.Note) {
				notes = append(notes, l.Note)
			}
		}
		switch {
		case !there:
		case len(notes) == 0:
			all = append(all, words[verb])
		default:
			all = append(all, words[verb]+": "+strings.Join(notes, ", "))
		}
	}
	return strings.ReplaceAll(strings.Join(all, "; "), "|", `\|`)
}

// caseTable says which answer is given where several would be right.
func caseTable() string {
	var b strings.Builder
	cases := 0
	for _, s := range sections() {
		cases += len(s.cases)
	}
	fmt.Fprintf(&b, "\n## Where several answers would be right\n\n%d cases that other gateways stumble over are tests here, by these numbers. Of those that leave a choice, Stele's is:\n\n| case | about | Stele's answer |\n|---|---|---|\n", cases)
	for _, s := range sections() {
		for _, c := range s.cases {
			if c.answer != "" {
				fmt.Fprintf(&b, "| %d | %s: %s | %s |\n", c.number, s.title, c.name, c.answer)
			}
		}
	}
	return b.String()
}
