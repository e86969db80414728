package studio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"stele/internal/media"
	"stele/internal/provider/studio"
	"stele/internal/race"
)

func TestTheSameOrderGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	for _, format := range []string{"png", "jpeg", "webp"} {
		body := `{"model":"stele/canvas","prompt":"Northern lights","size":256,"seed":77,"output_format":"` + format + `"}`
		a, b := make1(t, asked(t, body)), make1(t, asked(t, body))
		if !bytes.Equal(a.file, b.file) {
			t.Errorf("%s: two bytes of the same picture differ", format)
		}
		other := make1(t, asked(t, strings.Replace(body, "77", "78", 1)))
		if difference(a, other) < 2 {
			t.Errorf("%s: another seed is the same picture", format)
		}
	}
}

var seedNote = regexp.MustCompile(`seed (\d+)`)

// The seed that was chosen is in the file, and gives the picture again.
func TestAChosenSeedCanBeGivenBack(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	for _, format := range []string{"png", "jpeg", "webp"} {
		body := `{"model":"stele/canvas","prompt":"Paper boats","size":256,"output_format":"` + format + `"%s}`
		first := make1(t, asked(t, fmt.Sprintf(body, "")))
		note := seedNote.FindSubmatch(first.file)
		if note == nil {
			t.Fatalf("%s: no seed in the file", format)
		}
		if first.Title != "Seed "+string(note[1]) {
			t.Errorf("title %q, file %q", first.Title, note[0])
		}
		again := asked(t, fmt.Sprintf(body, `,"seed":`+string(note[1])))
		again.Key = "gen_other"
		if !bytes.Equal(make1(t, again).file, first.file) {
			t.Errorf("%s: its own seed gives another picture", format)
		}
		other := asked(t, fmt.Sprintf(body, ""))
		other.Key = "gen_other"
		if bytes.Equal(make1(t, other).file, first.file) {
			t.Errorf("%s: another request has the same seed", format)
		}
	}
}

func TestFurtherPicturesHaveTheNextSeeds(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	const body = `{"model":"stele/canvas","prompt":"Jazz","size":256,"seed":%s,"n":%d}`
	all := makeAll(t, asked(t, fmt.Sprintf(body, "4294967294", 4)))
	if len(all) != 4 {
		t.Fatalf("%d pictures", len(all))
	}
	for i, seed := range []string{"4294967294", "4294967295", "0", "1"} {
		if one := make1(t, asked(t, fmt.Sprintf(body, seed, 1))); !bytes.Equal(one.file, all[i].file) {
			t.Errorf("picture %d is not that of seed %s", i, seed)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	for fields, want := range map[string]image.Point{
		`"aspect_ratio":"1:1"`:                              {1024, 1024},
		`"aspect_ratio":"16:9","size":512`:                  {512, 288},
		`"aspect_ratio":"9:16","size":512`:                  {288, 512},
		`"aspect_ratio":"4:3","size":400`:                   {400, 300},
		`"aspect_ratio":"3:4","size":400`:                   {300, 400},
		`"aspect_ratio":"3:2","size":300`:                   {300, 200},
		`"aspect_ratio":"2:3","size":300`:                   {200, 300},
		`"aspect_ratio":"21:9","size":256`:                  {256, 110},
		`"width":300,"height":500,"aspect_ratio":"16:9"`:    {300, 500},
		`"width":320,"aspect_ratio":"16:9","size":2048`:     {320, 180},
		`"height":320,"aspect_ratio":"16:9"`:                {569, 320},
		`"width":2048,"aspect_ratio":"21:9","style":"type"`: {2048, 878},
	} {
		t.Run(fields, func(t *testing.T) {
			t.Parallel()
			m := make1(t, asked(t, `{"model":"stele/canvas","prompt":"Size",`+fields+`}`))
			if got := m.Bounds().Size(); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

func TestASizeThatDoesNotGoIsTheClientsFault(t *testing.T) {
	t.Parallel()
	req := asked(t, `{"model":"stele/canvas","prompt":"Size","height":2000,"aspect_ratio":"21:9"}`)
	_, err := studio.Canvas(t.Context(), req, func(float64) {})
	failure, ok := errors.AsType[*media.Failure](err)
	if !ok || failure.Class != media.BadInput || !strings.Contains(failure.Message, "4667 by 2000") {
		t.Error(err)
	}
}

func TestProgressIsTold(t *testing.T) {
	t.Parallel()
	for body, least := range map[string]int{
		`{"model":"stele/canvas","prompt":"Progress","size":256,"n":2}`:        10,
		`{"model":"stele/canvas","mode":"image_to_image","blur":2,"width":80}`: 4,
	} {
		var files [][]byte
		if strings.Contains(body, "image_to_image") {
			files = [][]byte{asPNG(t, photo(90, 60)), asJPEG(t, photo(90, 60))}
		}
		var told []float64
		_, err := studio.Canvas(t.Context(), asked(t, body, files...), func(p float64) { told = append(told, p) })
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range told {
			if p < 0 || p > 1 || i > 0 && p < told[i-1] {
				t.Errorf("progress goes %v", told)
				break
			}
		}
		if len(told) < least || told[len(told)-1] != 1 {
			t.Errorf("progress was told %d times: %v", len(told), told)
		}
	}
}

// looked is a context that is cancelled at one of the looks at it, and counts them.
type looked struct {
	context.Context
	cancel context.CancelFunc
	last   int64
	looks  atomic.Int64
}

func (l *looked) Err() error {
	if l.looks.Add(1) == l.last {
		l.cancel()
	}
	return l.Context.Err()
}

// A cancelled order ends at once, wherever it is: it looks often, and after the last look
// every processor may look once more, and everything above it on the way out.
func TestCancelTakesEffect(t *testing.T) {
	t.Parallel()
	large := asJPEG(t, photo(1200, 1000))
	for _, body := range []string{
		`{"model":"stele/canvas","prompt":"Stop","size":2048,"style":"topographic"}`,
		`{"model":"stele/canvas","prompt":"Stop","size":2048,"style":"poster","output_format":"webp"}`,
		`{"model":"stele/canvas","mode":"image_to_image","blur":40,"sharpen":2,"width":4096,"output_format":"webp"}`,
	} {
		var files [][]byte
		if strings.Contains(body, "image_to_image") {
			files = [][]byte{large}
		}
		req := asked(t, body, files...)
		for _, last := range []int64{1, 4, 16, 64} {
			ctx, cancel := context.WithCancel(t.Context())
			l := &looked{Context: ctx, cancel: cancel, last: last}
			_, err := studio.Canvas(l, req, func(float64) {})
			cancel()
			more := l.looks.Load() - last
			if !errors.Is(err, context.Canceled) || more > int64(4*runtime.GOMAXPROCS(0)+16) {
				t.Errorf("%s, cancelled at look %d: %v after %d more", body, last, err, more)
			}
			t.Log(last, more)
		}
	}
}
