package studio_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/media"
	"stele/internal/provider/studio"
	"stele/internal/studio/sound"
	"stele/internal/studio/voice"
)

// only is a machine that has no other program than one.
func only(name string) studio.Look {
	return func(asked string) (string, error) {
		if asked != name {
			return "", exec.ErrNotFound
		}
		return exec.LookPath(name)
	}
}

// speaking opens a program that speaks. Where it is missing the test is skipped, unless
// STELE_TEST_REQUIRE names it.
func speaking(t *testing.T, name string) (*studio.Speaker, *media.Model) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if strings.Contains(os.Getenv("STELE_TEST_REQUIRE"), name) {
			t.Fatal(err)
		}
		t.Skipf("there is no %s", name)
	}
	s, err := studio.Voice(only(name))
	if err != nil {
		t.Fatal(err)
	}
	m := modelOf(t, "voice.yaml")
	s.Declare(m)
	return s, m
}

func TestSpeechIsOfferedWhereItCanBeMade(t *testing.T) {
	t.Parallel()
	if _, err := studio.Voice(nothing); !errors.Is(err, voice.ErrNone) {
		t.Errorf("a machine without programs: %v", err)
	}
	broken := func(string) (string, error) { return exec.LookPath("false") }
	if _, err := studio.Voice(broken); !errors.Is(err, voice.ErrNone) {
		t.Errorf("a machine with broken programs: %v", err)
	}
}

// TestSpeechThroughAProgram plays espeak-ng by a small script, so that what is asked of
// it is tested on every machine.
func TestSpeechThroughAProgram(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	tone := make(sound.Mono, sound.Rate)
	for i := range tone {
		tone[i] = float32(i%100)/200 - 0.25
	}
	if err := os.WriteFile(filepath.Join(folder, "tone.wav"), tone.WAV(), 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!" + shell + `
case "$1" in
--voices) echo 'Pty Language Age/Gender VoiceName File'; echo ' 5  en-us  --/M  English gmw/en-US'; echo ' 5  de  --/M  German gmw/de'; exit;;
--voices=variant) echo ' 5  variant  --/F  female3  !v/f3  '; exit;;
esac
echo "$@" > ` + folder + `/asked
cat > ` + folder + `/heard
while [ "$1" != -w ]; do shift; done
cp ` + folder + `/tone.wav "$2"
`
	path := filepath.Join(folder, "espeak-ng")
	// Written by another process: what this one has open for writing, even in a child
	// of another test, cannot be run.
	write := exec.Command(shell, "-c", `cat > "$0" && chmod +x "$0"`, path)
	write.Stdin = strings.NewReader(script)
	if err := write.Run(); err != nil {
		t.Fatal(err)
	}
	s, err := studio.Voice(func(name string) (string, error) {
		if name == "espeak-ng" {
			return path, nil
		}
		return "", exec.ErrNotFound
	})
	if err != nil {
		t.Fatal(err)
	}
	m := modelOf(t, "voice.yaml")
	s.Declare(m)
	if !offers(m, "voice", "de") || offers(m, "voice", "fr") || !offers(m, "variant", "female") || offers(m, "variant", "croak") {
		t.Error("what is offered is not what is there")
	}
	outputs, files := crafted(t, s.Make, ordered(t, m, `"prompt":"Say $(this) [[now]]; -x","speed":1.2,"variant":"female","voice":"de","output_format":"wav"`, nil))
	asked, err := os.ReadFile(filepath.Join(folder, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	if a := string(asked); !strings.HasPrefix(a, "-v de+f3 -s 210 ") || strings.Contains(a, "this") {
		t.Errorf("it was asked %q", a)
	}
	if heard, _ := os.ReadFile(filepath.Join(folder, "heard")); string(heard) != "Say $(this) [ [now] ]; -x\n" {
		t.Errorf("it heard %q", heard)
	}
	if outputs[0].Duration != 1 || !bytes.HasPrefix(files[0], []byte("RIFF")) {
		t.Errorf("%+v", outputs[0])
	}
}

func TestSpeech(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"espeak-ng", "flite"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, m := speaking(t, name)
			base := `"prompt":"Hello there. This is a test of the voice.","output_format":"wav"`
			slow, _ := crafted(t, s.Make, ordered(t, m, base+`,"speed":0.6`, nil))
			fast, files := crafted(t, s.Make, ordered(t, m, base+`,"speed":1.6`, nil))
			if slow[0].Duration < fast[0].Duration*1.5 || fast[0].Duration < 0.5 {
				t.Errorf("slowly %v s, quickly %v s", slow[0].Duration, fast[0].Duration)
			}
			spoken, err := sound.ReadWAV(t.Context(), files[0])
			if err != nil {
				t.Fatal(err)
			}
			both := make(sound.Track, 0, 2*len(spoken))
			for _, v := range spoken {
				both = append(both, v, v)
			}
			if loud := sound.Loudness(both); loud < -18 || loud > -13 {
				t.Errorf("it is at %v LUFS", loud)
			}
			packed, files := crafted(t, s.Make, ordered(t, m, base[:strings.LastIndex(base, ",")], nil))
			if packed[0].Type != "audio/ogg" || !bytes.HasPrefix(files[0], []byte("OggS")) {
				t.Errorf("%+v", packed[0])
			}
			probe(t, files[0], "codec_name=opus", "channels=1")
			tellsProgress(t, s.Make, ordered(t, m, base, nil))
			stops(t, s.Make, ordered(t, m, `"prompt":"`+strings.Repeat("A very long text. ", 220)+`"`, nil))
		})
	}
}

func TestEveryParameterShowsInSpeech(t *testing.T) {
	t.Parallel()
	s, m := speaking(t, "espeak-ng")
	everyParameterShows(t, s.Make, m, "text_to_speech", `"prompt":"One two three","output_format":"wav"`, map[string]string{
		"voice": `"voice":"de"`, "variant": `"variant":"female"`, "speed": `"speed":1.5`, "output_format": `"output_format":"opus"`,
	}, nil)
}

func TestWhatCannotBeSpokenIsTheClientsFault(t *testing.T) {
	t.Parallel()
	s, m := speaking(t, "espeak-ng")
	if _, err := s.Make(t.Context(), ordered(t, m, `"prompt":"…?!"`, nil), func(float64) {}); media.ToFailure(err).Class != media.BadInput {
		t.Errorf("%v", err)
	}
	req := ordered(t, m, `"prompt":"Hello"`, nil)
	req.Parameters["voice"] = "../x"
	if _, err := s.Make(t.Context(), req, func(float64) {}); media.ToFailure(err).Class != media.BadInput {
		t.Errorf("%v", err)
	}
}
