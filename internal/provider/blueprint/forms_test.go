package blueprint

import (
	"context"
	"io"
	"strings"
	"testing"

	"stele/internal/media"
	"stele/internal/race"
)

func linked(s media.Source) media.Source {
	s.Link = func(context.Context) (string, error) { return "https://stele.example.com/files/1", nil }
	return s
}

func large(field string, size int64) media.Source {
	s := source(field, nil)
	s.Size = size
	s.Open = func(context.Context) (io.ReadCloser, error) { return io.NopCloser(io.LimitReader(zeros{}, size)), nil }
	return s
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestFilesAreGivenInTheCheapestWay(t *testing.T) {
	t.Parallel()
	stage := fakeReplicate(fakePictures(1))
	defer stage.Close()
	m, _ := open(t, "replicate", stage.URL, nil).(*Maker)
	for name, c := range map[string]struct {
		source media.Source
		forms  []string
		want   string
	}{
		"an address, where there is one":  {linked(source("image_urls", []byte("x"))), []string{"url", "data_uri", "file"}, "https://stele.example.com/files/1"},
		"the text itself, if it is short": {source("image_urls", []byte("x")), []string{"url", "data_uri", "file"}, "data:image/png;base64,eA=="},
		"an upload, if it is long":        {large("image_urls", 300<<10), []string{"url", "data_uri", "file"}, stage.URL + "/files/file_1.png"},
		"bare, where that is wanted":      {linked(source("image_urls", []byte("x"))), []string{"base64"}, "eA=="},
		"as the operation likes it":       {large("image_urls", 300<<10), nil, stage.URL + "/files/file_1.png"},
		"in no way":                       {source("image_urls", []byte("x")), []string{"url"}, ""},
	} {
		req := request(t, "replicate/flux-kontext-pro", "image_to_image", "image_urls")
		op := *req.Operation
		op.Limits = map[string]media.Limit{"image_urls": {Forms: c.forms}}
		req.Operation = &op
		w := &writing{maker: m, op: m.ops["replicate/prediction"], req: &req, encode: "json"}
		got, err := w.give(t.Context(), &c.source, "")
		if c.want == "" {
			if media.ToFailure(err).Class != media.BadInput {
				t.Errorf("%s: %v, %v", name, got, err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %.80v, %v", name, got, err)
		}
	}
}

func TestNoMoreIsInlinedThanABodyMayHold(t *testing.T) {
	t.Parallel()
	race.Skip(t, "nothing in it runs at the same time")
	w := plain(t)
	first, second := large("image_urls", 60<<20), large("image_urls", 60<<20)
	if _, err := w.give(t.Context(), &first, "base64"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.give(t.Context(), &second, "base64"); media.ToFailure(err).Class != media.BadInput {
		t.Errorf("%v", err)
	}
}

func TestFormsAreReadAsTheyAreSent(t *testing.T) {
	t.Parallel()
	big := large("image_urls", 200<<20)
	body, err := encodeForm(map[string]any{
		"prompt": "a \"fox\"", "n": int64(2), "image": []any{&attachment{&big, "a.png"}, &attachment{&big, "b.png"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := body.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if err != nil || n != body.size || n < 400<<20 || !strings.HasPrefix(body.kind, "multipart/form-data; boundary=") {
		t.Errorf("%d bytes of %d as %s, %v", n, body.size, body.kind, err)
	}
	if _, err := encodeForm(map[string]any{"a": map[string]any{}}); err == nil {
		t.Error("an object in a form")
	}
}

func TestBareSoundGetsAHeader(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]sound{
		"audio/L16;codec=pcm;rate=24000": {24000, 1}, "audio/l16; rate=48000; channels=2": {48000, 2}, "audio/pcm": {24000, 1}, "audio/L16;rate=1": {24000, 1},
	} {
		if got, ok := readRawSound(kind); !ok || got != want {
			t.Errorf("%s: %+v, %t", kind, got, ok)
		}
	}
	for _, kind := range []string{"audio/mpeg", "", "audio", ";;"} {
		if _, ok := readRawSound(kind); ok {
			t.Errorf("%q is bare", kind)
		}
	}
	file := sound{24000, 1}.wav([]byte{1, 2, 3, 4, 5})
	if len(file) != 48 || string(file[:4]) != "RIFF" || file[4] != 40 || string(file[8:16]) != "WAVEfmt " || file[40] != 4 || file[44] != 1 {
		t.Errorf("% x", file)
	}
}

func TestReplicateSaysNothingWhereItCannotKnow(t *testing.T) {
	t.Parallel()
	stage := fakeReplicate(fakePictures(1))
	defer stage.Close()
	if _, ok := open(t, "replicate", stage.URL, nil).(*Finder); ok {
		t.Fatal("finds without a mark")
	}
	f, ok := open(t, "replicate", stage.URL, map[string]string{"webhook_url": "https://stele.example.com/hooks"}).(*Finder)
	if !ok {
		t.Fatal("does not find")
	}
	op := *f.ops["replicate/prediction"]
	if _, err := f.Submit(t.Context(), request(t, "replicate/flux-schnell", "text_to_image")); err != nil {
		t.Fatal(err)
	}
	find := *op.Find
	find.Mark = route{path{{key: "hidden"}}}
	op.Find = &find
	f.ops["replicate/prediction"] = &op
	if ticket, found, err := f.Find(t.Context(), "gen_x", f.now().Add(-1e9)); err == nil {
		t.Errorf("%s, %t", ticket, found)
	}
}
