package clip

import (
	"math"
	"strings"

	"golang.org/x/image/font"
)

// Box is a part of the sheet.
type Box struct{ X, Y, W, H float64 }

// Setting is text set in lines: words at their places.
type Setting struct {
	Words []Word
	Lines int
	Size  float64
	Box   Box // what it really fills
}

// Set fits a text into a box: the breaks that make lines of like length, at the
// greatest size up to most. align is 0 for left, 0.5 for the middle, 1 for right.
func Set(t Typeface, text string, box Box, lines int, most, align float64) *Setting {
	words := strings.Fields(text)
	if len(words) == 0 {
		return &Setting{Box: box}
	}
	const unitSize, leading = 100.0, 1.12
	f := t.face(unitSize)
	widths := make([]float64, len(words))
	for i, w := range words {
		widths[i] = float64(font.MeasureString(f, w)) / 64 / unitSize
	}
	space := float64(font.MeasureString(f, " ")) / 64 / unitSize
	var best []int
	size := 0.0
	for n := 1; n <= min(lines, len(words)); n++ {
		starts, width := breaks(widths, space, n)
		fit := min(box.W/width, box.H/(float64(len(starts))*leading), most)
		if fit > size*1.08 { // fewer lines unless more of them are worth it
			best, size = starts, fit
		}
	}
	return place(t, words, widths, space, best, size, leading, box, align)
}

// breaks finds where n lines begin so that the longest is as short as can be.
func breaks(widths []float64, space float64, n int) (starts []int, width float64) {
	low, high := 0.0, 0.0
	for _, w := range widths {
		low, high = max(low, w), high+w+space
	}
	for range 30 {
		middle := (low + high) / 2
		if len(greedy(widths, space, middle)) <= n {
			high = middle
		} else {
			low = middle
		}
	}
	return even(widths, space, high, len(greedy(widths, space, high))), high
}

// even breaks into n lines within a width so that they are as alike as can be: no
// word is left alone where it need not be.
func even(widths []float64, space, width float64, n int) []int {
	count := len(widths)
	cost := make([][]float64, n+1) // of the first i words in k lines
	from := make([][]int, n+1)
	for k := range cost {
		cost[k], from[k] = make([]float64, count+1), make([]int, count+1)
		for i := range cost[k] {
			cost[k][i] = math.Inf(1)
		}
	}
	cost[0][0] = 0
	for k := 1; k <= n; k++ {
		for i := 1; i <= count; i++ {
			used := -space
			for j := i - 1; j >= 0; j-- {
				used += widths[j] + space
				if used > width+1e-9 {
					break
				}
				if c := cost[k-1][j] + (width-used)*(width-used); c < cost[k][i] {
					cost[k][i], from[k][i] = c, j
				}
			}
		}
	}
	starts := make([]int, n)
	for k, i := n, count; k > 0; k-- {
		i = from[k][i]
		starts[k-1] = i
	}
	return starts
}

// greedy fills one line after the other.
func greedy(widths []float64, space, width float64) []int {
	starts, used := []int{0}, 0.0
	for i, w := range widths {
		if used > 0 && used+space+w > width+1e-9 {
			starts, used = append(starts, i), w
			continue
		}
		if used > 0 {
			used += space
		}
		used += w
	}
	return starts
}

func place(t Typeface, words []string, widths []float64, space float64, starts []int, size, leading float64, box Box, align float64) *Setting {
	f := t.face(size)
	s := &Setting{Lines: len(starts), Size: size}
	tall := float64(len(starts)-1)*size*leading + size*0.72
	y := box.Y + (box.H-tall)/2 + size*0.72
	s.Box = Box{X: math.Inf(1), Y: y - size*0.72, H: tall}
	right := 0.0
	for line, from := range starts {
		to := len(words)
		if line+1 < len(starts) {
			to = starts[line+1]
		}
		width := -space
		for _, w := range widths[from:to] {
			width += w + space
		}
		x := box.X + (box.W-width*size)*align
		s.Box.X, right = min(s.Box.X, x), max(right, x+width*size)
		for i := from; i < to; i++ {
			w := cut(f, words[i], size)
			w.X, w.Y = x, y
			s.Words = append(s.Words, w)
			x += (widths[i] + space) * size
		}
		y += size * leading
	}
	s.Box.W = right - s.Box.X
	return s
}

// Phrases cuts a text into pieces of at most n words, at its own pauses where it has
// any, so that no piece is much shorter than the others.
func Phrases(text string, n int) []string {
	var parts, open []string
	finish := func() {
		pieces := (len(open) + n - 1) / n
		for i := range pieces {
			parts = append(parts, strings.Join(open[i*len(open)/pieces:(i+1)*len(open)/pieces], " "))
		}
		open = nil
	}
	for word := range strings.FieldsSeq(text) {
		bare := strings.TrimRight(word, ".,;:—–")
		if bare != "" && strings.Trim(bare, "0123456789") == "" && strings.HasSuffix(word, ".") {
			bare = word // the 24. of a month ends nothing
		}
		if bare != "" {
			open = append(open, bare)
		}
		if bare != word || strings.HasSuffix(word, "!") || strings.HasSuffix(word, "?") {
			finish()
		}
	}
	finish()
	return parts
}
