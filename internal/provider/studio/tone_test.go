package studio_test

import (
	"bytes"
	"encoding/binary"
	"image/jpeg"
	"math"
	"testing"

	"stele/internal/media"
	"stele/internal/provider/studio"
	"stele/internal/race"
	"stele/internal/studio/sound"
)

func TestMusicIsWhatItSays(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	m := modelOf(t, "tone.yaml")
	for _, format := range []string{"wav", "opus"} {
		outputs, files := crafted(t, studio.Tone, ordered(t, m, `"prompt":"Calm evening","duration":2.5,"seed":3,"output_format":"`+format+`"`, nil))
		a := outputs[0]
		if a.Kind != "audio" || math.Abs(a.Duration-2.5) > 0.001 || a.Title == "" {
			t.Errorf("the output says %+v", a)
		}
		if format == "wav" {
			if a.Type != "audio/wav" || string(files[0][:4]) != "RIFF" || len(files[0]) != 44+int(2.5*sound.Rate)*4 || binary.LittleEndian.Uint16(files[0][22:]) != 2 {
				t.Errorf("%s of %d bytes", a.Type, len(files[0]))
			}
			probe(t, files[0], "pcm_s16le", "sample_rate=48000", "channels=2")
		} else {
			if a.Type != "audio/ogg" || !bytes.HasPrefix(files[0], []byte("OggS")) {
				t.Errorf("%s, %q", a.Type, files[0][:4])
			}
			probe(t, files[0], "codec_name=opus", "channels=2")
		}
		cover, err := jpeg.Decode(bytes.NewReader(files[1]))
		if err != nil || outputs[1].Role != media.Cover || cover.Bounds().Dx() != outputs[1].Width || plainness(cover) {
			t.Errorf("the cover is %+v: %v", outputs[1], err)
		}
	}
}

func TestTheSameSeedGivesTheSameMusic(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	m := modelOf(t, "tone.yaml")
	for _, format := range []string{"wav", "opus"} {
		body := `"prompt":"Epic","duration":2,"output_format":"` + format + `","seed":`
		_, a := crafted(t, studio.Tone, ordered(t, m, body+"7", nil))
		_, b := crafted(t, studio.Tone, ordered(t, m, body+"7", nil))
		if !bytes.Equal(a[0], b[0]) || !bytes.Equal(a[1], b[1]) {
			t.Error("the same seed gives another piece")
		}
	}
}

func TestEveryParameterShowsInMusic(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	everyParameterShows(t, studio.Tone, modelOf(t, "tone.yaml"), "text_to_audio", `"prompt":"Hello","duration":2,"seed":3,"output_format":"wav","mood":"calm","tempo":70,"key":"C"`, map[string]string{
		"duration": `"duration":2.25`, "mood": `"mood":"upbeat"`, "tempo": `"tempo":140`, "key": `"key":"Am"`, "seed": `"seed":4`, "output_format": `"output_format":"opus"`,
	}, nil)
}

func TestMusicTellsItsProgress(t *testing.T) {
	t.Parallel()
	tellsProgress(t, studio.Tone, ordered(t, modelOf(t, "tone.yaml"), `"prompt":"Hello","duration":3`, nil))
}

func TestMusicCanBeCancelled(t *testing.T) {
	t.Parallel()
	stops(t, studio.Tone, ordered(t, modelOf(t, "tone.yaml"), `"prompt":"Hello","duration":120`, nil))
}
