package sound

import "math"

// hall is a room with many walls: eight paths that feed each other (a feedback delay
// network), each duller the longer it goes on.
type hall struct {
	lines [8][]float64
	at    [8]int
	dull  [8]float64
	keep  float64
}

func newHall(seconds float64) *hall {
	h := &hall{}
	for i, n := range []int{1433, 1601, 1867, 2053, 2251, 2399, 2617, 2803} {
		h.lines[i] = make([]float64, n)
	}
	h.keep = math.Pow(0.001, 2100/(seconds*Rate))
	return h
}

// next gives what the hall answers to a sample.
func (h *hall) next(in float64) (left, right float64) {
	var out [8]float64
	sum := 0.0
	for i := range h.lines {
		v := h.lines[i][h.at[i]]
		h.dull[i] += (v - h.dull[i]) * 0.45
		out[i] = h.dull[i]
		sum += out[i]
	}
	sum *= 0.25
	for i := range h.lines {
		h.lines[i][h.at[i]] = in + (out[i]-sum)*h.keep
		if h.at[i]++; h.at[i] == len(h.lines[i]) {
			h.at[i] = 0
		}
	}
	return out[0] + out[2] - out[5] + out[7], out[1] - out[3] + out[4] + out[6]
}

// echo answers on the left, then on the right, each time less.
type echo struct {
	left, right []float64
	at          int
	dull        [2]float64
}

func newEcho(seconds float64) *echo {
	n := max(int(seconds*Rate), 1)
	return &echo{left: make([]float64, n), right: make([]float64, n)}
}

func (e *echo) next(in float64) (left, right float64) {
	l, r := e.left[e.at], e.right[e.at]
	e.dull[0] += (l - e.dull[0]) * 0.35
	e.dull[1] += (r - e.dull[1]) * 0.35
	e.left[e.at] = in + e.dull[1]*0.42
	e.right[e.at] = e.dull[0] * 0.75
	if e.at++; e.at == len(e.left) {
		e.at = 0
	}
	return e.dull[0], e.dull[1]
}
