package chat

import "slices"

// later is what came of answers whose turn it is not yet.
type later struct {
	answers []waiting // in their order
	bytes   int
	pieces  int
}

// waiting is one of those answers.
type waiting struct {
	answer int
	pieces []heldPiece
}

// heldPiece is an event, with the text of those that only went on with it.
type heldPiece struct {
	event Event
	text  []byte
}

const mostPieces = 1 << 16

// takeOther takes an event of another answer than the one that is being told.
func (t *tidy) takeOther(e *Event) error {
	if e.Answer < t.answer {
		return nil // that one has ended
	}
	l := &t.later
	at, found := slices.BinarySearchFunc(l.answers, e.Answer, func(w waiting, answer int) int { return w.answer - answer })
	if !found {
		l.answers = slices.Insert(l.answers, at, waiting{answer: e.Answer})
	}
	l.bytes += len(e.Part.Text) + len(e.Part.Proof)
	if l.answers[at].add(e) {
		l.pieces++
	}
	if l.bytes > mostHeld || l.pieces > mostPieces {
		return BrokenError(ErrHeld)
	}
	if t.ended {
		return t.goToNextAnswer()
	}
	return nil
}

// add keeps an event and reports whether that took another piece.
func (w *waiting) add(e *Event) bool {
	if n := len(w.pieces) - 1; n >= 0 && onlyWords(e) && e.Kind == w.pieces[n].event.Kind && e.Block == w.pieces[n].event.Block &&
		e.Part.Kind == w.pieces[n].event.Part.Kind && onlyWords(&w.pieces[n].event) {
		w.pieces[n].text = append(w.pieces[n].text, e.Part.Text...)
		return false
	}
	w.pieces = append(w.pieces, heldPiece{*e, []byte(e.Part.Text)})
	return true
}

// onlyWords reports whether an event tells nothing but more of a text.
func onlyWords(e *Event) bool {
	p := &e.Part
	return e.Kind == Delta && p.ID == "" && p.Name == "" && p.Proof == "" && p.Media == nil && p.Raw == nil && p.Logprobs == nil && len(p.Citations) == 0
}

// goToNextAnswer ends the answer that is being told and goes on with the one that waits for
// its turn.
func (t *tidy) goToNextAnswer() error {
	if !t.ended {
		return BrokenError(ErrCut)
	}
	if err := t.finish(&Event{Kind: Finish, More: true}); err != nil {
		return err
	}
	next := t.later.answers[0]
	l := later{answers: t.later.answers[1:], bytes: t.later.bytes, pieces: t.later.pieces - len(next.pieces)}
	*t = tidy{out: t.out, started: true, part: t.part, usage: t.usage, notes: t.notes, answer: next.answer, later: l}
	for i := range next.pieces {
		e := next.pieces[i].event
		e.Part.Text = string(next.pieces[i].text)
		t.later.bytes -= len(e.Part.Text) + len(e.Part.Proof)
		if err := t.take(&e); err != nil {
			return err
		}
	}
	if t.ended && len(t.later.answers) > 0 {
		return t.goToNextAnswer()
	}
	return nil
}
