package studio

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"stele/internal/media"
	"stele/internal/studio/program"
	"stele/internal/studio/voice"
)

// Speaker reads texts aloud by a program of the machine.
type Speaker struct{ *voice.Speaker }

// Voice looks for a program that speaks. The error is voice.ErrNone where there is none;
// speech is then not offered.
func Voice(look Look) (*Speaker, error) {
	s, err := voice.Open(look)
	if err != nil {
		return nil, err
	}
	return &Speaker{s}, nil
}

// Declare fits the declaration to the machine: the voices that are there.
func (s *Speaker) Declare(m *media.Model) {
	for i := range m.Operations {
		o := &m.Operations[i]
		if len(s.Variants()) == 0 {
			o.Parameters = slices.DeleteFunc(slices.Clone(o.Parameters), func(p media.Parameter) bool { return p.Name == "variant" })
		}
		for k := range o.Parameters {
			switch p := &o.Parameters[k]; p.Name {
			case "voice":
				p.Values, p.Default = anyOf(s.Voices()), s.First()
			case "variant":
				p.Values = anyOf(append([]string{"standard"}, s.Variants()...))
			}
		}
	}
}

func anyOf(list []string) (out []any) {
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

// Make speaks the prompt. It gives up soon after ctx ends.
func (s *Speaker) Make(ctx context.Context, req media.Request, report func(progress float64)) ([]media.Output, error) {
	text := voice.ForSpeech(req.Prompt)
	if text == "" {
		return nil, badInput("There is nothing in the prompt that can be spoken.")
	}
	name := cmp.Or(req.Text("voice"), s.First())
	if !slices.Contains(s.Voices(), name) {
		return nil, badInput("There is no voice %q on this machine.", name)
	}
	speed := 1.0
	if req.Has("speed") {
		speed = req.Float("speed")
	}
	report(0.05)
	track, err := s.Speak(ctx, text, name, req.Text("variant"), speed)
	if err != nil {
		return nil, speechFailure(err)
	}
	if track.Seconds() < 0.05 {
		return nil, badInput("There is nothing in the prompt that voice %q can speak.", name)
	}
	report(0.6)
	if err := track.Level(ctx); err != nil {
		return nil, err
	}
	out, err := packAudio(ctx, track, req.Text("output_format"), "", func(p float64) { report(0.65 + 0.3*p) })
	if err != nil {
		return nil, err
	}
	report(1)
	return []media.Output{out}, nil
}

// speechFailure is an error of the library in a client's terms.
func speechFailure(err error) error {
	if errors.Is(err, voice.ErrLate) {
		return &media.Failure{Class: media.Late, Message: "Speaking the text took too long.", Err: err}
	}
	if failed, ok := errors.AsType[*program.Error](err); ok {
		return &media.Failure{Class: media.ModelFailed, Message: "The text could not be spoken.", Err: failed}
	}
	return err
}
