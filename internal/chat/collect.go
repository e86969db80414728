package chat

import (
	"encoding/json"
	"slices"
	"strings"
)

// Collect waits for a strict stream's end and returns the whole answer.
func Collect(stream Stream) (*WholeReply, error) {
	r := &WholeReply{Answers: make([]Answer, 1)}
	answer := &r.Answers[0]
	var text strings.Builder
	var likely []json.RawMessage
	for chunk, err := range stream {
		if err != nil {
			return nil, err
		}
		for i := range chunk.Events {
			e := &chunk.Events[i]
			switch e.Kind {
			case Start:
				r.ID, r.Model, r.Tier = e.ID, e.Model, e.Tier
			case Open:
				answer.Parts = append(answer.Parts, e.Part)
				text.Reset()
			case Delta:
				p := &answer.Parts[len(answer.Parts)-1]
				text.WriteString(e.Part.Text)
				p.Merge(&e.Part)
				if e.Part.Logprobs != nil {
					likely = append(likely, e.Part.Logprobs)
				}
			case Close:
				answer.Parts[len(answer.Parts)-1].Text = text.String()
			case Finish:
				answer.Stop, r.Usage, r.Notes = e.Stop, e.Usage, append(r.Notes, e.Notes...)
				answer.Logprobs, likely = joinLogprobs(likely), nil
				if e.More {
					r.Answers = append(r.Answers, Answer{})
					answer = &r.Answers[len(r.Answers)-1]
				}
			}
		}
	}
	return r, nil
}

// Merge takes over everything of a piece but its text.
func (p *Part) Merge(piece *Part) {
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

// joinLogprobs is the log-probabilities of the pieces of a text, in openai's shape.
func joinLogprobs(pieces []json.RawMessage) json.RawMessage {
	if len(pieces) < 2 {
		return slices.Concat(pieces...)
	}
	type likely struct {
		Content []json.RawMessage `json:"content"`
		Refusal []json.RawMessage `json:"refusal"`
	}
	var all likely
	for _, piece := range pieces {
		var one likely
		if json.Unmarshal(piece, &one) == nil {
			all.Content, all.Refusal = append(all.Content, one.Content...), append(all.Refusal, one.Refusal...)
		}
	}
	joined, _ := json.Marshal(all) // what was read can be written
	return joined
}

// Replay tells a whole answer, or all of several, as a strict stream.
func Replay(r *WholeReply) Stream {
	return func(yield func(Chunk, error) bool) {
		events := []Event{{Kind: Start, ID: r.ID, Model: r.Model, Tier: r.Tier, Usage: r.Usage}}
		answers := r.Answers
		if len(answers) == 0 {
			answers = []Answer{{Stop: Stop{Reason: EndTurn}}}
		}
		for n := range answers {
			events = answers[n].replay(events, n)
			last := Event{Kind: Finish, Answer: n, Stop: answers[n].Stop, More: n+1 < len(answers)}
			if !last.More {
				last.Usage = r.Usage
			}
			events = append(events, last)
		}
		yield(Chunk{Events: events}, nil)
	}
}

func (a *Answer) replay(events []Event, n int) []Event {
	likely := a.Logprobs
	for i, p := range a.Parts {
		if p.Kind == Text && p.Logprobs == nil {
			p.Logprobs, likely = likely, nil
		}
		opened := Part{Kind: p.Kind, ID: p.ID, Name: p.Name, Custom: p.Custom}
		piece := p
		piece.ID, piece.Name = "", ""
		events = append(events, Event{Kind: Open, Answer: n, Block: i, Part: opened})
		if !empty(&piece) && (p.Kind != ToolCall || p.Text != "" || p.Proof != "") {
			events = append(events, Event{Kind: Delta, Answer: n, Block: i, Part: piece})
		}
		events = append(events, Event{Kind: Close, Answer: n, Block: i, Part: Part{Kind: p.Kind}})
	}
	return events
}
