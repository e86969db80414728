package studio_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"stele/internal/chromium"
	"stele/internal/media"
	"stele/internal/provider/studio"
	"stele/internal/race"
)

// page plays a file and tells what it is like: how long, how large, whether it goes
// on, what is seen half way through and whether anything is heard.
const page = `<!doctype html><title>player</title><script>
async function play(kind, address, at) {
  const player = document.createElement(kind)
  document.body.append(player)
  player.src = address
  const event = name => new Promise((done, fail) => {
    player.addEventListener(name, done, {once: true})
    player.addEventListener('error', () => fail(new Error(player.error ? player.error.message : name)), {once: true})
  })
  await event('loadedmetadata')
  const told = {duration: player.duration, width: player.videoWidth || 0, height: player.videoHeight || 0}
  const context = new AudioContext()
  const meter = context.createAnalyser()
  context.createMediaElementSource(player).connect(meter)
  player.currentTime = at
  await event('seeked')
  if (kind === 'video') {
    const canvas = document.createElement('canvas')
    canvas.width = told.width
    canvas.height = told.height
    const pen = canvas.getContext('2d')
    for (const end = Date.now() + 5000; Date.now() < end; await new Promise(next => setTimeout(next, 50))) {
      pen.drawImage(player, 0, 0)
      const pixels = pen.getImageData(0, 0, told.width, told.height).data
      const seen = new Set()
      let light = 0
      for (let i = 0; i < pixels.length; i += 4 * 97) {
        seen.add(pixels[i] >> 4 << 8 | pixels[i + 1] >> 4 << 4 | pixels[i + 2] >> 4)
        light += pixels[i] + pixels[i + 1] + pixels[i + 2]
      }
      told.colours = seen.size
      told.light = light / (pixels.length / 4 / 97) / 3
      if (seen.size > 1) break // a busy browser has sought the frame before it can be drawn
    }
  }
  player.currentTime = 0
  await event('seeked')
  await context.resume()
  await player.play()
  const samples = new Float32Array(meter.fftSize)
  told.loudest = 0
  const end = Date.now() + 20000
  while (!player.ended && Date.now() < end) {
    meter.getFloatTimeDomainData(samples)
    told.loudest = Math.max(told.loudest, ...samples)
    await new Promise(next => setTimeout(next, 20))
  }
  told.ended = player.ended
  told.stopped = player.currentTime
  return JSON.stringify(told)
}
async function show(address) {
  const picture = new Image()
  picture.src = address
  await picture.decode()
  return picture.naturalWidth + 'x' + picture.naturalHeight
}
</script><body></body>`

// told is what the page found out.
type told struct {
	Duration, Light, Loudest, Stopped float64
	Width, Height, Colours            int
	Ended                             bool
}

// browser starts Chromium on a page that plays files, which are served beside it.
func browser(t *testing.T, files map[string][]byte, types map[string]string) (play func(kind, name string, at float64) told, show func(name string) string) {
	t.Helper()
	ctx := chromium.Open(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if data, ok := files[r.URL.Path[1:]]; ok {
			w.Header().Set("Content-Type", types[r.URL.Path[1:]])
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(server.Close)
	if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/")); err != nil {
		t.Fatal(err)
	}
	show = func(name string) string {
		t.Helper()
		size, err := chromedp.Run(ctx, chromedp.Evaluate[string]("show('/"+name+"')", chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return size
	}
	return func(kind, name string, at float64) told {
		t.Helper()
		script, _ := json.Marshal([]any{kind, "/" + name, at})
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("play(..."+string(script)+")", chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var out told
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %+v", name, out)
		return out
	}, show
}

// TestABrowserPlaysWhatWasMade is the judge of films and sound: they must play to
// their end, be seen and be heard.
func TestABrowserPlaysWhatWasMade(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	files, types := map[string][]byte{}, map[string]string{}
	add := func(name string, make crafting, model, body string, sources map[string][]byte) {
		outputs, made := crafted(t, make, ordered(t, modelOf(t, model), body, sources))
		for i, o := range outputs {
			files[name+o.Role], types[name+o.Role] = made[i], o.Type
		}
	}
	add("film", director.Make, "motion.yaml", `"prompt":"Sunset over the quiet sea","duration":1.5,"fps":12,"resolution":"360p","seed":1`, nil)
	add("silent", director.Make, "motion.yaml", `"prompt":"We are open","duration":1.5,"fps":16,"resolution":"360p","aspect_ratio":"9:16","style":"kinetic","sound":false`, nil)
	add("pictures", director.Make, "motion.yaml", `"start_frame":"a","end_frame":"b","duration":1.5,"fps":10,"resolution":"360p","caption":"Two views"`,
		map[string][]byte{"a": asPNG(t, photo(320, 240)), "b": asJPEG(t, photo(300, 240))})
	add("opus", studio.Tone, "tone.yaml", `"prompt":"An upbeat tune","duration":2,"output_format":"opus"`, nil)
	add("wav", studio.Tone, "tone.yaml", `"prompt":"A calm tune","duration":2,"output_format":"wav"`, nil)
	play, show := browser(t, files, types)
	if size := show("film" + media.Preview); size != "320x180" {
		t.Errorf("the preview is %s", size)
	}
	for _, row := range []struct {
		kind, name    string
		seconds       float64
		width, height int
		sound         bool
	}{
		{"video", "film", 1.5, 640, 360, true},
		{"video", "silent", 1.5, 360, 640, false},
		{"video", "pictures", 1.5, 480, 360, true},
		{"audio", "opus", 2, 0, 0, true},
		{"audio", "wav", 2, 0, 0, true},
	} {
		got := play(row.kind, row.name, row.seconds/2)
		if d := got.Duration - row.seconds; d < -0.03 || d > 0.03 {
			t.Errorf("%s lasts %v", row.name, got.Duration)
		}
		if got.Width != row.width || got.Height != row.height {
			t.Errorf("%s is %dx%d", row.name, got.Width, got.Height)
		}
		if row.kind == "video" && (got.Colours < 3 || got.Light < 4) {
			t.Errorf("%s shows %d colours, at a brightness of %v", row.name, got.Colours, got.Light)
		}
		if !got.Ended || got.Stopped < row.seconds-0.15 {
			t.Errorf("%s stops at %v", row.name, got.Stopped)
		}
		if heard := got.Loudest > 0.01; heard != row.sound {
			t.Errorf("%s: the loudest sample is %v", row.name, got.Loudest)
		}
	}
}
