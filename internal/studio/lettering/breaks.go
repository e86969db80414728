package lettering

import (
	"math"
	"slices"
	"strings"
)

// breaks finds the best lines of a width: for each, the token that it ends before.
// All lines count, the last one too, so that a title is balanced. It is nil where a
// word is too wide.
func (m *text) breaks(w float64) []int {
	n := len(m.list)
	cost := make([]float64, n+1)
	from := make([]int, n+1)
	for end := 1; end <= n; end++ {
		cost[end] = math.Inf(1)
		width := 0.0
		for start := end - 1; start >= 0; start-- {
			width += m.widths[start]
			if start < end-1 && m.list[start+1].space {
				width += m.space
			}
			if width > w*1.0001 {
				break
			}
			if c := cost[start] + m.badness(start, end, width/w); c < cost[end] {
				cost[end], from[end] = c, start
			}
			if m.list[start].forced {
				break
			}
		}
	}
	if math.IsInf(cost[n], 1) {
		return nil
	}
	var ends []int
	for end := n; end > 0; end = from[end] {
		ends = append(ends, end)
	}
	slices.Reverse(ends)
	return ends
}

// badness is how much a line from start to end, this full, offends the eye.
func (m *text) badness(start, end int, full float64) float64 {
	last := end == len(m.list)
	bad := 0.06 + (1-full)*(1-full) // each line costs: fewer are better
	if !last && Leaning(m.list[end-1].text) && !m.list[end].forced {
		bad += 0.12
	}
	if last && start > 0 && end-start == 1 && len(m.list) > 4 && full < 0.4 {
		bad += 0.15 // a word alone at the end
	}
	return bad
}

// Leaning reports whether a word belongs to the one after it, and so should not end
// a line.
func Leaning(word string) bool {
	switch strings.ToLower(strings.Trim(word, "“”‘’(),.;:")) {
	case "a", "an", "the", "of", "in", "on", "at", "to", "by", "and", "or", "for", "with", "from", "into", "over", "under",
		"is", "no", "my", "our", "your", "along", "la", "le", "el", "de", "der", "die", "das", "und", "y", "et", "&", "–", "—":
		return true
	}
	return false
}

// Balance breaks a text into n lines of about the same width.
func (h *Hand) Balance(text string, n int, s Style) []string {
	if s.Caps {
		text = capitals(text)
	}
	m := h.measure(tokens(text), s)
	low, top := 0.0, 0.0
	for i, w := range m.widths {
		low = max(low, w)
		top += w + m.space*float64(min(i, 1))
	}
	var ends []int
	for range 24 { // the least width that needs no more lines
		middle := (low + top) / 2
		if e := m.breaks(middle); e != nil && len(e) <= n {
			top, ends = middle, e
		} else {
			low = middle
		}
	}
	var lines []string
	from := 0
	for _, end := range ends {
		lines = append(lines, m.line(from, end))
		from = end
	}
	return lines
}
