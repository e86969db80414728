package lettering

import (
	"math"
	"slices"
	"sort"
	"strings"

	"stele/internal/studio/ink"
)

// Block is words set in lines that fit their box.
type Block struct {
	Size   float64
	W, H   float64 // of the ink
	Lines  []string
	Short  bool // the end of the text did not fit and was left out
	style  Style
	runs   []run
	ascent float64 // of the first line's ink, at a size of 1
}

// Fit sets a text as large as it can be inside a box: lines are balanced, no word
// is hyphenated, and what does not fit even at the smallest size ends in an ellipsis.
func (h *Hand) Fit(text string, w, high float64, s Style) Block {
	if s.Caps {
		text = capitals(text)
	}
	list := h.spread(tokens(text), w, s)
	if len(list) == 0 || w <= 0 || high <= 0 {
		return Block{style: s, Size: s.Min}
	}
	if s.Max == 0 {
		s.Max = high / 0.6
	}
	m := h.measure(list, s)
	if b, ok := m.at(s.Max, w, high); ok {
		return b
	}
	low, top := min(s.Min, s.Max), s.Max
	best, ok := m.at(low, w, high)
	if !ok {
		return m.shorten(low, w, high)
	}
	for range 24 {
		middle := (low + top) / 2
		if b, ok := m.at(middle, w, high); ok {
			low, best = middle, b
		} else {
			top = middle
		}
	}
	return best
}

// most is how many words are set; more is not read on a picture.
const most = 400

// spread breaks words that are wider than the box at the smallest size.
func (h *Hand) spread(list []token, w float64, s Style) []token {
	room := w / max(s.Min, 1)
	var out []token
	for _, t := range list {
		if len(out) > most {
			break
		}
		if h.width(t.text, s) <= room {
			out = append(out, t)
			continue
		}
		from, width := 0, 0.0
		for at, r := range t.text {
			step := s.Tracking
			if g := h.glyph(s.Face, r); g != nil {
				step += g.advance
			}
			if width += step; width > room && at > from {
				out = append(out, token{t.text[from:at], t.space && from == 0, t.forced && from == 0})
				from, width = at, step
			}
		}
		out = append(out, token{t.text[from:], t.space && from == 0, t.forced && from == 0})
	}
	return out
}

// text is tokens with what is needed to break them into lines, at a size of 1.
type text struct {
	hand   *Hand
	list   []token
	style  Style
	widths []float64
	space  float64
}

func (h *Hand) measure(list []token, s Style) *text {
	list = list[:min(len(list), most)]
	m := &text{hand: h, list: list, style: s, widths: make([]float64, len(list))}
	for i, t := range list {
		if g := h.set(t.text, s); g.width > 0 {
			m.widths[i] = g.width + g.low.X + s.Tracking // as far as the pen would go, more or less
		}
	}
	if g := h.glyph(s.Face, ' '); g != nil {
		m.space = g.advance + 2*s.Tracking
	}
	return m
}

// at sets the text at a size, if it fits.
func (m *text) at(size, w, high float64) (Block, bool) {
	ends := m.breaks(w / size)
	if ends == nil || m.style.Lines > 0 && len(ends) > m.style.Lines || float64(len(ends)-1)*m.style.Leading*size > high {
		return Block{}, false
	}
	b := m.block(size, ends)
	return b, b.W <= w && b.H <= high
}

// block sets lines that end before the given tokens.
func (m *text) block(size float64, ends []int) Block {
	b := Block{Size: size, style: m.style}
	from, deepest := 0, 0.0
	for i, to := range ends {
		line := m.line(from, to)
		r := m.hand.set(line, m.style)
		b.Lines = append(b.Lines, line)
		b.runs = append(b.runs, r)
		b.W = max(b.W, r.width*size)
		below := float64(i) * m.style.Leading
		b.ascent = max(b.ascent, -r.low.Y-below)
		deepest = max(deepest, r.high.Y+below)
		from = to
	}
	b.H = (b.ascent + deepest) * size
	return b
}

func (m *text) line(from, to int) string {
	var line strings.Builder
	for i := from; i < to; i++ {
		if m.list[i].space && i > from {
			line.WriteByte(' ')
		}
		line.WriteString(m.list[i].text)
	}
	return strings.ReplaceAll(line.String(), "\u00a0", " ")
}

// shorten leaves words out at the end until the rest fits.
func (m *text) shorten(size, w, high float64) Block {
	best := Block{Size: size, style: m.style, Short: true}
	sort.Search(len(m.list), func(i int) bool {
		kept := slices.Clone(m.list[:i+1])
		kept[i].text = m.endWith(kept[i].text, w/size)
		b, ok := m.hand.measure(kept, m.style).at(size, w, high)
		if ok {
			best = b
		}
		return !ok
	})
	best.Short = true
	return best
}

// endWith gives a word with an ellipsis, and as much of it as there is room for.
func (m *text) endWith(word string, room float64) string {
	runes := []rune(strings.TrimRight(word, ",.;:!?–—-"))
	room -= m.style.Tracking + 0.12 // with the bearings on both sides
	for len(runes) > 1 && m.hand.width(string(runes)+"…", m.style) > room {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// Path is the block's outline with the upper left corner of its box at a point. Lines
// stand in a box of the width w.
func (b *Block) Path(x, y, w float64) *ink.Path {
	p := new(ink.Path)
	for i, r := range b.runs {
		left := x + (w-r.width*b.Size)*b.style.Align - r.low.X*b.Size
		p.Append(&r.path, b.Size, left, y+(b.ascent+float64(i)*b.style.Leading)*b.Size)
	}
	return p
}

// Empty reports whether there is nothing to see.
func (b *Block) Empty() bool { return b.W == 0 || math.IsNaN(b.W) }
