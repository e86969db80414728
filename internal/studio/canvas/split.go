package canvas

// parting is how a page is shared between words and art.
type parting struct {
	beside float64 // share of the width that words may take beside the art, on a wide page
	above  float64 // share of the height that they may take above it, on any other
	below  bool    // words below the art instead
	anchor float64 // of words beside the art
}

// part gives the words what they need and the art the rest, out to the edges of the
// page. Without words the art has all of it.
func (s *sheet) part(t setting, how parting) (plan, box) {
	if s.words.title == "" {
		return plan{}, s.pageBox()
	}
	m := s.margin()
	room, _ := s.inner().rows(how.above)
	t.anchor = 0
	if how.below {
		_, room = s.inner().rows(1 - how.above)
		t.anchor = 1
	}
	words := s.plan(room, t)
	if s.wideness() > 1.2 {
		left, _ := s.inner().columns(how.beside)
		t.anchor = how.anchor
		// A long word may need the whole width.
		if beside := s.plan(left, t); beside.title.Size > 0.6*words.title.Size {
			edge := beside.right() + m
			return beside, box{edge, 0, s.w - edge, s.h}
		}
	}
	if how.below {
		return words, box{0, 0, s.w, words.y - m}
	}
	return words, box{0, words.bottom() + m, s.w, s.h - words.bottom() - m}
}
