package chat

import "strings"

// Collect waits for a strict stream's end and returns the whole answer.
func Collect(stream Stream) (*Response, error) {
	r := &Response{Answers: make([]Answer, 1)}
	answer := &r.Answers[0]
	var text strings.Builder
	for chunk, err := range stream {
		if err != nil {
			return nil, err
		}
		for i := range chunk.Events {
			e := &chunk.Events[i]
			switch e.Kind {
			case Start:
				r.ID, r.Model = e.ID, e.Model
			case Open:
				answer.Parts = append(answer.Parts, e.Part)
				text.Reset()
			case Delta:
				p := &answer.Parts[len(answer.Parts)-1]
				text.WriteString(e.Part.Text)
				p.merge(&e.Part)
			case Close:
				answer.Parts[len(answer.Parts)-1].Text = text.String()
			case Finish:
				answer.Stop, r.Usage = e.Stop, e.Usage
			}
		}
	}
	return r, nil
}

// merge takes over everything of a piece but its text.
func (p *Part) merge(piece *Part) {
	if piece.Proof != "" {
		p.Proof = piece.Proof
	}
	if piece.Media != nil {
		p.Media = piece.Media
	}
	if piece.Raw != nil {
		p.Raw = piece.Raw
	}
	p.Citations = append(p.Citations, piece.Citations...)
}

// Replay tells a whole answer as a strict stream.
func Replay(r *Response) Stream {
	return func(yield func(Chunk, error) bool) {
		events := []Event{{Kind: Start, ID: r.ID, Model: r.Model, Usage: r.Usage}}
		answer := Answer{Stop: Stop{Reason: EndTurn}}
		if len(r.Answers) > 0 {
			answer = r.Answers[0]
		}
		for i, p := range answer.Parts {
			opened := Part{Kind: p.Kind, ID: p.ID, Name: p.Name, Custom: p.Custom}
			piece := p
			piece.ID, piece.Name = "", ""
			events = append(events, Event{Kind: Open, Block: i, Part: opened})
			if !empty(&piece) && (p.Kind != ToolCall || p.Text != "" || p.Proof != "") {
				events = append(events, Event{Kind: Delta, Block: i, Part: piece})
			}
			events = append(events, Event{Kind: Close, Block: i, Part: Part{Kind: p.Kind}})
		}
		events = append(events, Event{Kind: Finish, Stop: answer.Stop, Usage: r.Usage})
		yield(Chunk{Events: events}, nil)
	}
}
