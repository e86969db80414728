package lettering_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// plain is a hand without the machine's fonts: the same everywhere.
func plain() *lettering.Hand { return &lettering.Hand{} }

var title = lettering.Style{Face: lettering.Bold, Leading: 1.05, Min: 8, Max: 400}

// extent is the box around a block's ink.
func extent(b *lettering.Block, x, y, w float64) (low, high ink.Point) {
	low, high = ink.Point{X: 1e9, Y: 1e9}, ink.Point{X: -1e9, Y: -1e9}
	b.Path(x, y, w).Flatten(func(a, z ink.Point) {
		low = ink.Point{X: min(low.X, a.X, z.X), Y: min(low.Y, a.Y, z.Y)}
		high = ink.Point{X: max(high.X, a.X, z.X), Y: max(high.Y, a.Y, z.Y)}
	})
	return low, high
}

func TestWordsNeverLeaveTheirBox(t *testing.T) {
	t.Parallel()
	words := strings.Fields("a the Quiet harbour Ångström Größe fjord JÄGER (paren) “quoted” 1,024 Ży Ếo дом αβγ electroencephalographically WWW iii … — 静かな海 हिन्दी")
	r := rand.New(rand.NewPCG(1, 2))
	h := plain()
	for range 400 {
		n := 1 + r.IntN(14)
		var text []string
		for range n {
			text = append(text, words[r.IntN(len(words))])
		}
		s := title
		s.Face = lettering.Face(r.IntN(7))
		s.Caps = r.IntN(3) == 0
		s.Tracking = 0.1*r.Float64() - 0.03
		s.Align = float64(r.IntN(3)) / 2
		s.Lines = r.IntN(4)
		w, high := 40+600*r.Float64(), 20+400*r.Float64()
		b := h.Fit(strings.Join(text, " "), w, high, s)
		if b.Empty() {
			continue
		}
		low, top := extent(&b, 10, 20, w)
		const slack = 0.01
		if low.X < 10-slack || low.Y < 20-slack || top.X > 10+w+slack || top.Y > 20+high+slack {
			t.Errorf("%q in %.0fx%.0f: ink from %.1f to %.1f", b.Lines, w, high, low, top)
		}
		if s.Lines > 0 && len(b.Lines) > s.Lines {
			t.Errorf("%d lines, at most %d", len(b.Lines), s.Lines)
		}
	}
}

func TestWordsAreAsLargeAsTheyCanBe(t *testing.T) {
	t.Parallel()
	b := plain().Fit("Quiet harbour", 500, 500, title)
	if len(b.Lines) != 2 || b.W < 480 && b.H < 480 {
		t.Errorf("%q at %.0f: %.0fx%.0f", b.Lines, b.Size, b.W, b.H)
	}
	if one := plain().Fit("Quiet harbour", 500, 60, title); len(one.Lines) != 1 {
		t.Errorf("%q", one.Lines)
	}
}

func TestLinesAreBalanced(t *testing.T) {
	t.Parallel()
	s := title
	s.Max = 40
	for text, want := range map[string][]string{
		"Make something wonderful every day now": {"Make something", "wonderful", "every day now"},
		"The end of the long and winding road":   {"The end", "of the long", "and winding road"},
		"one two":                                {"one two"},
		"first\nsecond line":                     {"first", "second line"},
		"We met a stranger":                      {"We met", "a stranger"},
	} {
		if b := plain().Fit(text, 330, 400, s); !slices.Equal(b.Lines, want) {
			t.Errorf("%q: %q", text, b.Lines)
		}
	}
}

func TestNoHyphensAndNoLostLetters(t *testing.T) {
	t.Parallel()
	s := title
	s.Min, s.Max = 20, 60
	long := strings.Repeat("unbreakable", 8)
	b := plain().Fit(long, 200, 4000, s)
	if got := strings.Join(b.Lines, ""); got != long || b.Short {
		t.Errorf("%q", b.Lines)
	}
}

func TestWhatDoesNotFitEndsInAnEllipsis(t *testing.T) {
	t.Parallel()
	s := title
	s.Min, s.Max, s.Lines = 20, 20, 2
	for _, text := range []string{strings.Repeat("many words ", 40), strings.Repeat("unbreakable", 40)} {
		b := plain().Fit(text, 240, 400, s)
		if !b.Short || len(b.Lines) != 2 || !strings.HasSuffix(b.Lines[1], "…") {
			t.Errorf("%q %v", b.Lines, b.Short)
		}
	}
	if b := plain().Fit("words", 200, 3, s); !b.Empty() {
		t.Errorf("%q in three pixels", b.Lines)
	}
}

func TestChineseBreaksBetweenCharacters(t *testing.T) {
	t.Parallel()
	s := title
	s.Max = 50
	b := plain().Fit("静かな海、静かな夜。", 200, 400, s)
	if len(b.Lines) < 2 {
		t.Fatalf("%q", b.Lines)
	}
	for _, line := range b.Lines {
		if strings.HasPrefix(line, "、") || strings.HasPrefix(line, "。") {
			t.Errorf("a line begins with a stop: %q", b.Lines)
		}
	}
}

func TestEveryLetterLeavesInk(t *testing.T) {
	t.Parallel()
	h := plain()
	for _, r := range "AzßéŁőğđćțḍạếộỹЖяїћΩώ静あア한ا अ1½" {
		if r != ' ' && h.Width(string(r), title, 1) == 0 {
			t.Errorf("%c leaves no ink", r)
		}
	}
	for _, r := range "\u200b\u200d\ufe0f🌸" {
		if h.Width(string(r), title, 1) > 0 {
			t.Errorf("%U leaves ink", r)
		}
	}
}

// A letter that a face does not have is put together; its accent is more ink.
func TestAccentsArePutTogether(t *testing.T) {
	t.Parallel()
	h := plain()
	for _, pair := range [][2]string{{"ế", "e"}, {"ạ", "a"}, {"ḍ", "d"}} {
		with, without := h.Fit(pair[0], 999, 999, lettering.Style{Min: 100, Max: 100}), h.Fit(pair[1], 999, 999, lettering.Style{Min: 100, Max: 100})
		if with.H <= without.H {
			t.Errorf("%s is %.0f high, %s is %.0f", pair[0], with.H, pair[1], without.H)
		}
	}
}

func TestPairsAreKerned(t *testing.T) {
	t.Parallel()
	h := plain()
	for _, pair := range []string{"AV", "To", "LT", "Ya"} {
		apart := h.Width(pair[:1], title, 100) + h.Width(pair[1:], title, 100)
		if got := h.Width(pair, title, 100); got > apart+5 {
			t.Errorf("%s: %.1f, its letters alone %.1f", pair, got, apart)
		}
	}
	if got, apart := h.Width("HH", title, 100), 2*h.Width("H", title, 100); got < apart+8 {
		t.Errorf("HH: %.1f, its letters alone %.1f", got, apart)
	}
}

func TestASpareFontIsAsked(t *testing.T) {
	t.Parallel()
	asked := false
	h := &lettering.Hand{Spare: func() []*sfnt.Font { asked = true; return nil }}
	if h.Width("Latin", title, 1); asked {
		t.Error("asked for what the face has")
	}
	if h.Width("静", title, 1); !asked {
		t.Error("not asked for what it has not")
	}
	asked = false
	if h.Width("ह", title, 1); asked {
		t.Error("asked for a script that must be shaped")
	}
}

func TestPolish(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`He said "yes"  and 'no'`:   "He said “yes” and ‘no’",
		"don't -- wait...":          "don’t — wait…",
		"a - b":                     "a – b",
		" one \r\n\n  two\t three ": "one\ntwo three",
		"e\u0301te\u0301 🌸\u200d":   "été",
		"well-known":                "well-known",
	} {
		if got := lettering.Polish(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzFit sets anything anywhere.
func FuzzFit(f *testing.F) {
	f.Add("Quiet harbour", 200.0, 100.0)
	f.Add("שלום\n静か\u0301 ", 1.0, 900.0)
	f.Fuzz(func(t *testing.T, text string, w, high float64) {
		if !(w > 0 && w < 5000 && high > 0 && high < 5000) {
			return
		}
		b := plain().Fit(lettering.Polish(text), w, high, title)
		if !b.Empty() && (b.W > w+0.01 || b.H > high+0.01) {
			t.Errorf("%q: %.1fx%.1f in %.1fx%.1f", b.Lines, b.W, b.H, w, high)
		}
	})
}

// BenchmarkFit sets the longest text in the narrowest box.
func BenchmarkFit(b *testing.B) {
	for name, text := range map[string]string{"word": strings.Repeat("x", 4000), "words": strings.Repeat("wordy ", 700), "characters": strings.Repeat("静", 4000)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				plain().Fit(lettering.Polish(text), 30, 3000, title)
			}
		})
	}
}
