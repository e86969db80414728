package voice

import (
	"context"
	"maps"
	"slices"
	"strings"

	"stele/internal/studio/program"
)

// espeakVariants are ways to speak, and the files by which espeak-ng knows them.
var espeakVariants = map[string]string{"female": "f3", "male": "m3", "whisper": "whisper", "croak": "croak"}

// espeakVoices lists the languages that espeak-ng speaks here, and the variants.
func espeakVoices(ctx context.Context, path string) (voices, variants []string) {
	list, err := program.New(ctx, path, "--voices").Output()
	if err != nil {
		return nil, nil
	}
	for line := range strings.SplitSeq(string(list), "\n") {
		// Pty Language Age/Gender VoiceName File …
		if f := strings.Fields(line); len(f) >= 5 && f[0] != "Pty" && !slices.Contains(voices, f[1]) {
			voices = append(voices, f[1])
		}
	}
	slices.Sort(voices)
	list, err = program.New(ctx, path, "--voices=variant").Output()
	if err != nil {
		return voices, nil
	}
	for _, name := range slices.Sorted(maps.Keys(espeakVariants)) {
		if strings.Contains(string(list), "!v/"+espeakVariants[name]+" ") {
			variants = append(variants, name)
		}
	}
	return voices, variants
}

// fliteVoices lists the voices that flite was built with. The one that only tells the
// time cannot read a text.
func fliteVoices(ctx context.Context, path string) (voices []string) {
	list, err := program.New(ctx, path, "-lv").Output()
	if err != nil {
		return nil
	}
	_, names, _ := strings.Cut(string(list), ":")
	for name := range strings.FieldsSeq(names) {
		if name != "awb_time" {
			voices = append(voices, name)
		}
	}
	slices.Sort(voices)
	return voices
}
