package studio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"stele/internal/media"
	"stele/internal/studio/sound"
)

// ErrNoVoice says that the machine has no program that speaks.
var ErrNoVoice = errors.New("no program that speaks was found: install espeak-ng or flite")

// Speaker reads texts aloud by a program of the machine.
type Speaker struct {
	program  string // espeak-ng or flite
	path     string
	voices   []string
	variants []string
}

// Voice looks for a program that speaks: espeak-ng, which knows many languages, or
// else flite. The error is ErrNoVoice where there is none; speech is then not offered.
func Voice(look Look) (*Speaker, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if path, err := look("espeak-ng"); err == nil {
		s := &Speaker{program: "espeak-ng", path: path}
		if s.voices, s.variants = espeakVoices(ctx, path); len(s.voices) > 0 {
			return s, nil
		}
	}
	if path, err := look("flite"); err == nil {
		s := &Speaker{program: "flite", path: path}
		if s.voices = fliteVoices(ctx, path); len(s.voices) > 0 {
			return s, nil
		}
	}
	return nil, ErrNoVoice
}

// Program is the name of what speaks.
func (s *Speaker) Program() string { return s.program }

// Declare fits the declaration to the machine: the voices that are there.
func (s *Speaker) Declare(m *media.Model) {
	for i := range m.Operations {
		o := &m.Operations[i]
		if len(s.variants) == 0 {
			o.Parameters = slices.DeleteFunc(slices.Clone(o.Parameters), func(p media.Parameter) bool { return p.Name == "variant" })
		}
		for k := range o.Parameters {
			switch p := &o.Parameters[k]; p.Name {
			case "voice":
				p.Values, p.Default = anyOf(s.voices), s.first()
			case "variant":
				p.Values = anyOf(append([]string{"standard"}, s.variants...))
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

// first is the voice for those who name none.
func (s *Speaker) first() string {
	for _, v := range []string{"en-us", "en-gb", "en", "slt"} {
		if slices.Contains(s.voices, v) {
			return v
		}
	}
	return s.voices[0]
}

// Make speaks the prompt. It gives up soon after ctx ends.
func (s *Speaker) Make(ctx context.Context, req media.Request, report func(progress float64)) ([]media.Output, error) {
	text := spoken(req.Prompt)
	if text == "" {
		return nil, badInput("There is nothing in the prompt that can be spoken.")
	}
	voice := req.Text("voice")
	if voice == "" {
		voice = s.first()
	}
	if !slices.Contains(s.voices, voice) {
		return nil, badInput("There is no voice %q on this machine.", voice)
	}
	speed := 1.0
	if req.Has("speed") {
		speed = req.Float("speed")
	}
	report(0.05)
	data, err := s.speak(ctx, text, voice, req.Text("variant"), speed)
	if err != nil {
		return nil, err
	}
	report(0.4)
	track, err := sound.ReadWAV(ctx, data)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &media.Failure{Class: media.ModelFailed, Message: "The text could not be spoken.", Err: fmt.Errorf("%s: %w", s.program, err)}
	}
	if track.Seconds() < 0.05 {
		return nil, badInput("There is nothing in the prompt that voice %q can speak.", voice)
	}
	report(0.6)
	if err := track.Level(ctx); err != nil {
		return nil, err
	}
	out := media.Output{Kind: "audio", Type: "audio/wav", Duration: track.Seconds()}
	if req.Text("output_format") == "opus" {
		packed, err := track.Opus(ctx, func(p float64) { report(0.65 + 0.3*p) })
		if err != nil {
			return nil, err
		}
		out.Type, out.Open = "audio/ogg", inMemory(packed.Ogg(""))
	} else {
		out.Open = inMemory(track.WAV())
	}
	report(1)
	return []media.Output{out}, nil
}

// spoken is the text without what a program could take for something else: control
// characters, and the marks by which espeak-ng reads phonemes.
func spoken(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "[[", "[ ["), "]]", "] ]")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return ' '
		}
		return r
	}, text)
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return strings.TrimSpace(text)
}

const spokenBytes = 128 << 20

// speak runs the program: the text by its standard input, never by a shell.
func (s *Speaker) speak(ctx context.Context, text, voice, variant string, speed float64) ([]byte, error) {
	folder, err := os.MkdirTemp("", "stele-voice-")
	if err != nil {
		return nil, fmt.Errorf("speak: %w", err)
	}
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "voice.wav")
	var args []string
	if s.program == "espeak-ng" {
		if mark := espeakVariants[variant]; mark != "" {
			voice += "+" + mark
		}
		args = []string{"-v", voice, "-s", strconv.Itoa(int(175*speed + 0.5)), "-b", "1", "-w", out, "--stdin"}
	} else {
		args = []string{"-voice", voice, "--setf", "duration_stretch=" + strconv.FormatFloat(1/speed, 'f', 3, 64), "-f", "/dev/stdin", "-o", out}
	}
	limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := program(limited, s.path, args...)
	cmd.Dir = folder
	cmd.Stdin = strings.NewReader(text + "\n")
	var complaint bytes.Buffer
	cmd.Stderr = &bounded{w: &complaint, left: 2048}
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if limited.Err() != nil {
			return nil, &media.Failure{Class: media.Late, Message: "Speaking the text took too long.", Err: err}
		}
		return nil, &media.Failure{Class: media.ModelFailed, Message: "The text could not be spoken.", Err: fmt.Errorf("%s: %w: %s", s.program, err, complaint.String())}
	}
	f, err := os.Open(out)
	if err != nil {
		return nil, fmt.Errorf("speak: %w", err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, spokenBytes))
}
