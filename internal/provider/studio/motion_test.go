package studio_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"os/exec"
	"slices"
	"testing"

	"stele/internal/media"
	"stele/internal/provider/studio"
	"stele/internal/race"
	"stele/internal/studio/clip"
	"stele/internal/studio/sound"
)

var director = studio.Motion(nothing)

func TestAFilmIsWhatItSays(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	for name, row := range map[string]struct {
		body          string
		width, height int
		frames        int
		seconds       float64
		sound         bool
	}{
		"wide":   {`"prompt":"Sunset over the sea","duration":1.5,"fps":12,"resolution":"360p"`, 640, 360, 18, 1.5, true},
		"tall":   {`"prompt":"Hello","duration":1,"fps":8,"resolution":"360p","aspect_ratio":"9:16","sound":false`, 360, 640, 8, 1, false},
		"larger": {`"prompt":"Hello","duration":1,"fps":8,"resolution":"480p","aspect_ratio":"4:3","style":"kinetic"`, 640, 480, 8, 1, true},
		"hd":     {`"prompt":"Hello","duration":1,"fps":8,"resolution":"720p","sound":false`, 1280, 720, 8, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outputs, files := crafted(t, director.Make, ordered(t, modelOf(t, "motion.yaml"), row.body, nil))
			v := outputs[0]
			if v.Kind != "video" || v.Type != "video/webm" || v.Width != row.width || v.Height != row.height || math.Abs(v.Duration-row.seconds) > 0.001 {
				t.Errorf("the output says %+v", v)
			}
			f := readFilm(t, files[0])
			if f.Header.DocType != "webm" || math.Abs(f.Segment.Info.Duration-row.seconds*1000) > 1 {
				t.Errorf("the file says %+v, %+v", f.Header, f.Segment.Info)
			}
			frames, at, _ := f.frames(1)
			if len(frames) != row.frames || at[len(at)-1] >= int(row.seconds*1000) {
				t.Errorf("%d frames, the last at %v", len(frames), at)
			}
			if m := keyFrame(t, frames[0]); m.Rect.Dx() != row.width || m.Rect.Dy() != row.height {
				t.Errorf("a frame is %v", m.Rect)
			}
			checkCues(t, f)
			packets, _, _ := f.frames(2)
			if row.sound != (len(packets) > 0) || row.sound && math.Abs(float64(len(packets))/50-row.seconds) > 0.06 {
				t.Errorf("%d packets of sound", len(packets))
			}
			checkStills(t, outputs, files)
		})
	}
}

func TestTheSameSeedGivesTheSameFilm(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	m := modelOf(t, "motion.yaml")
	body := `"prompt":"Every star is a connection","duration":1,"fps":8,"resolution":"360p","seed":`
	_, a := crafted(t, director.Make, ordered(t, m, body+"7", nil))
	_, b := crafted(t, director.Make, ordered(t, m, body+"7", nil))
	_, c := crafted(t, director.Make, ordered(t, m, body+"8", nil))
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			t.Errorf("output %d differs from its twin", i)
		}
	}
	if bytes.Equal(a[1], c[1]) {
		t.Error("another seed gives the same film")
	}
	if !bytes.Contains(a[0], []byte("seed 7")) {
		t.Error("the file does not name its seed")
	}
}

func TestEveryParameterShowsInAFilm(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	m := modelOf(t, "motion.yaml")
	words := studio.Motion(exec.LookPath)
	words.Declare(m)
	changes := map[string]string{
		"duration": `"duration":1.5`, "resolution": `"resolution":"480p"`, "aspect_ratio": `"aspect_ratio":"1:1"`, "fps": `"fps":10`,
		"sound": `"sound":true`, "style": `"style":"shapes"`, "palette": `"palette":"neon"`, "text": `"text":"Other words"`,
		"show_text": `"show_text":false`, "seed": `"seed":9`,
		"motion": `"motion":"zoom_out"`, "transition": `"transition":"wipe"`, "caption": `"caption":"A day out"`,
		"output_format": `"output_format":"mp4"`,
	}
	if !offers(m, "output_format", "mp4") { // there is no other to choose
		for i := range m.Operations {
			m.Operations[i].Parameters = m.Operations[i].Parameters[:len(m.Operations[i].Parameters)-1]
		}
	}
	t.Run("text_to_video", func(t *testing.T) {
		t.Parallel()
		everyParameterShows(t, words.Make, m, "text_to_video", `"prompt":"A calm morning","fps":8,"resolution":"360p","sound":false,"seed":3,"duration":1,"style":"aurora","palette":"ice"`, changes, nil)
	})
	t.Run("frames_to_video", func(t *testing.T) {
		t.Parallel()
		files := map[string][]byte{"a": asPNG(t, partly(photo(200, 150))), "b": asJPEG(t, photo(150, 200))}
		everyParameterShows(t, words.Make, m, "frames_to_video", `"start_frame":"a","end_frame":"b","fps":8,"resolution":"360p","sound":false,"seed":3,"duration":1,"motion":"zoom_in","palette":"ice"`, changes, files)
	})
}

// partly makes the left part of a picture transparent.
func partly(m *image.RGBA) *image.RGBA {
	draw.Draw(m, image.Rect(0, 0, m.Rect.Dx()/4, m.Rect.Dy()), image.Transparent, image.Point{}, draw.Src)
	return m
}

func offers(m *media.Model, parameter string, value any) bool {
	for _, o := range m.Operations {
		for _, p := range o.Parameters {
			if p.Name == parameter {
				if slices.Contains(p.Values, value) {
					return true
				}
			}
		}
	}
	return false
}

func TestAFilmOfPicturesShowsThem(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	m := modelOf(t, "motion.yaml")
	flat := func(c color.Color) []byte {
		p := image.NewRGBA(image.Rect(0, 0, 160, 90))
		draw.Draw(p, p.Rect, image.NewUniform(c), image.Point{}, draw.Src)
		return asPNG(t, p)
	}
	files := map[string][]byte{"red": flat(color.RGBA{220, 0, 0, 255}), "green": flat(color.RGBA{0, 200, 0, 255}), "blue": flat(color.RGBA{0, 0, 220, 255})}
	outputs, data := crafted(t, director.Make, ordered(t, m,
		`"start_frame":"red","image_urls":["green"],"end_frame":"blue","duration":3,"fps":8,"resolution":"360p","transition":"cut","sound":false`, files))
	if outputs[0].Width != 640 || outputs[0].Height != 360 {
		t.Errorf("the film is %dx%d for pictures of 16:9", outputs[0].Width, outputs[0].Height)
	}
	f := readFilm(t, data[0])
	seen := map[string]bool{}
	for _, c := range f.Segment.Cluster {
		p := keyFrame(t, c.SimpleBlock[0].Data[0])
		cb, cr := p.Cb[p.COffset(300, 180)], p.Cr[p.COffset(300, 180)]
		switch {
		case cr > 170:
			seen["red"] = true
		case cb > 170:
			seen["blue"] = true
		case cb < 100 && cr < 100:
			seen["green"] = true
		}
	}
	if len(seen) != 3 {
		t.Errorf("only %v are seen", seen)
	}
}

func TestThePromptSaysHowToMove(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	m := modelOf(t, "motion.yaml")
	files := map[string][]byte{"a": asPNG(t, photo(200, 150))}
	body := `"start_frame":"a","fps":8,"resolution":"360p","sound":false,"seed":3,"duration":1,`
	_, asked := crafted(t, director.Make, ordered(t, m, body+`"prompt":"Slowly zoom out of the scene"`, files))
	_, set := crafted(t, director.Make, ordered(t, m, body+`"motion":"zoom_out"`, files))
	if len(asked[0]) != len(set[0]) {
		t.Error("the prompt's movement is not that of the parameter")
	}
}

func TestAPictureThatIsNoneIsTheClientsFault(t *testing.T) {
	t.Parallel()
	req := ordered(t, modelOf(t, "motion.yaml"), `"start_frame":"a","duration":1`, map[string][]byte{"a": []byte("no picture")})
	_, err := director.Make(t.Context(), req, func(float64) {})
	if f := media.ToFailure(err); f.Class != media.BadInput {
		t.Errorf("it fails with %v", err)
	}
}

// TestTheFilesOfferWhatThereIs holds the lists of the model files to those of the code.
func TestTheFilesOfferWhatThereIs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		file, parameter string
		known           []string
	}{
		{"motion.yaml", "style", clip.Styles()},
		{"motion.yaml", "palette", clip.Palettes()},
		{"motion.yaml", "motion", clip.Moves()[1:]},
		{"motion.yaml", "transition", clip.Transitions()},
		{"tone.yaml", "mood", sound.Moods()},
		{"tone.yaml", "key", sound.Keys()},
	} {
		found := false
		for _, o := range modelOf(t, row.file).Operations {
			for _, p := range o.Parameters {
				if p.Name != row.parameter {
					continue
				}
				found = true
				listed := fmt.Sprint(p.Values)
				if want := fmt.Sprint(row.known); listed != want && listed != "[auto "+want[1:] {
					t.Errorf("%s: %s is one of %s, the code has %s", row.file, row.parameter, listed, want)
				}
			}
		}
		if !found {
			t.Errorf("%s has no %s", row.file, row.parameter)
		}
	}
}

func TestFilmsTellTheirProgress(t *testing.T) {
	t.Parallel()
	tellsProgress(t, director.Make, ordered(t, modelOf(t, "motion.yaml"), `"prompt":"Hello","duration":1,"fps":8,"resolution":"360p"`, nil))
}

func TestFilmsCanBeCancelled(t *testing.T) {
	t.Parallel()
	stops(t, director.Make, ordered(t, modelOf(t, "motion.yaml"), `"prompt":"Hello","duration":30,"fps":30,"resolution":"360p","sound":false`, nil))
	stops(t, director.Make, ordered(t, modelOf(t, "motion.yaml"), `"prompt":"Hello","duration":30,"fps":30,"resolution":"360p"`, nil))
}

func TestTextThatNoFontHasMakesAFilmAllTheSame(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	for _, style := range []string{"kinetic", "shapes"} {
		body := `"prompt":"你好 🎉","duration":1,"fps":8,"resolution":"360p","sound":false,"style":"` + style + `"`
		_, files := crafted(t, director.Make, ordered(t, modelOf(t, "motion.yaml"), body, nil))
		readFilm(t, files[0])
	}
}

func TestMP4IsOfferedWhereItCanBeMade(t *testing.T) {
	t.Parallel()
	m := modelOf(t, "motion.yaml")
	director.Declare(m)
	if offers(m, "output_format", "mp4") {
		t.Error("mp4 is offered without ffmpeg")
	}
	broken := studio.Motion(func(string) (string, error) { return exec.LookPath("false") })
	broken.Declare(m)
	if offers(m, "output_format", "mp4") {
		t.Error("mp4 is offered with an ffmpeg that does not work")
	}
	req := ordered(t, m, `"prompt":"Hello","duration":1`, nil)
	req.Parameters["output_format"] = "mp4"
	if _, err := director.Make(t.Context(), req, func(float64) {}); media.ToFailure(err).Class != media.BadInput {
		t.Errorf("mp4 without ffmpeg: %v", err)
	}
}

func TestMP4(t *testing.T) {
	t.Parallel()
	m := modelOf(t, "motion.yaml")
	d := studio.Motion(exec.LookPath)
	if d.Declare(m); !offers(m, "output_format", "mp4") {
		t.Skip("there is no ffmpeg")
	}
	body := `"prompt":"Hello there","duration":1.5,"fps":10,"resolution":"360p","output_format":"mp4","seed":4`
	outputs, files := crafted(t, d.Make, ordered(t, m, body, nil))
	if outputs[0].Type != "video/mp4" || string(files[0][4:8]) != "ftyp" {
		t.Fatalf("%s: %q", outputs[0].Type, files[0][:12])
	}
	if _, again := crafted(t, d.Make, ordered(t, m, body, nil)); !bytes.Equal(files[0], again[0]) {
		t.Error("the same order gives another film")
	}
	checkStills(t, outputs, files)
	probe(t, files[0], "h264", "aac", "width=640", "height=360", "nb_frames=15", "duration=1.5")
	stops(t, d.Make, ordered(t, m, `"prompt":"Hello","duration":30,"fps":30,"resolution":"720p","sound":false,"output_format":"mp4"`, nil))
}

func TestAnotherProgramReadsTheFilm(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	_, files := crafted(t, director.Make, ordered(t, modelOf(t, "motion.yaml"), `"prompt":"Hello","duration":2,"fps":10,"resolution":"360p"`, nil))
	probe(t, files[0], "codec_name=vp8", "codec_name=opus", "width=640", "height=360", "duration=2.000", "format_name=matroska,webm")
}
