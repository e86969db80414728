package lettering

// Width is how wide a single line is at a size.
func (h *Hand) Width(text string, s Style, size float64) float64 { return h.width(text, s) * size }
