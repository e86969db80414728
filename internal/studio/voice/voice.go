// Package voice reads texts aloud by a program of the machine: espeak-ng or flite. It must
// not know requests.
package voice

import (
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

	"stele/internal/studio/program"
	"stele/internal/studio/sound"
)

// ErrLate says that speaking took too long.
var ErrLate = errors.New("speaking took too long")

// ErrNone says that the machine has no program that speaks.
var ErrNone = errors.New("no program that speaks was found: install espeak-ng or flite")

// Speaker reads texts aloud by a program of the machine.
type Speaker struct {
	program  string // espeak-ng or flite
	path     string
	voices   []string
	variants []string
}

// Open looks for a program that speaks: espeak-ng, which knows many languages, or
// else flite. The error is ErrNone where there is none; speech is then not offered.
func Open(look program.Look) (*Speaker, error) {
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
	return nil, ErrNone
}

// Voices lists the voices that are there.
func (s *Speaker) Voices() []string { return s.voices }

// Variants lists the ways in which a voice may speak.
func (s *Speaker) Variants() []string { return s.variants }

// First is the voice for those who name none.
func (s *Speaker) First() string {
	for _, v := range []string{"en-us", "en-gb", "en", "slt"} {
		if slices.Contains(s.voices, v) {
			return v
		}
	}
	return s.voices[0]
}

// Speak reads a text aloud. Speed is 1 for the voice's own. It gives up soon after ctx
// ends; the error is ErrLate, or a *program.Error of a program that failed.
func (s *Speaker) Speak(ctx context.Context, text, voice, variant string, speed float64) (sound.Mono, error) {
	data, err := s.run(ctx, text, voice, variant, speed)
	if err != nil {
		return nil, err
	}
	track, err := sound.ReadWAV(ctx, data)
	if err != nil && ctx.Err() == nil {
		err = &program.Error{Program: s.program, Err: err}
	}
	return track, err
}

// ForSpeech is the text without what a program could take for something else: control
// characters, and the marks by which espeak-ng reads phonemes.
func ForSpeech(text string) string {
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

// run has the program speak: the text by its standard input, never by a shell.
func (s *Speaker) run(ctx context.Context, text, voice, variant string, speed float64) ([]byte, error) {
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
	cmd := program.New(limited, s.path, args...)
	cmd.Dir = folder
	cmd.Stdin = strings.NewReader(text + "\n")
	complaint := program.Complaint{Most: 2048}
	cmd.Stderr = &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if limited.Err() != nil {
			return nil, fmt.Errorf("%w: %w", ErrLate, err)
		}
		return nil, &program.Error{Program: s.program, Err: err, Said: complaint.String()}
	}
	f, err := os.Open(out)
	if err != nil {
		return nil, fmt.Errorf("speak: %w", err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, spokenBytes))
}
