package file_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"stele/internal/access"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/uid"
)

// made is an output that a maker has.
func made(kind, body string) media.Output {
	return media.Output{Kind: kind, Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil }}
}

func TestOutputsAreCopiedOnceAndMeasured(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	body := sample(t, "film.mp4")
	first, err := h.Keep(t.Context(), "one", "gen_1", 0, made("video", body))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(body))
	if first.Type != "video/mp4" || first.Width != 64 || first.Height != 48 || math.Abs(first.Duration-1) > 0.1 || first.SHA256 != hex.EncodeToString(sum[:]) ||
		first.Expires.Sub(first.Created) != 20*time.Hour || h.read(t, first) != body || first.Generation != "gen_1" {
		t.Errorf("%+v", first)
	}
	again, err := h.Keep(t.Context(), "one", "gen_1", 0, media.Output{Kind: "video", Open: func(context.Context) (io.ReadCloser, error) {
		return nil, errors.New("the link is dead")
	}})
	if err != nil || again.ID != first.ID {
		t.Error(again, err)
	}
	other, err := h.Keep(t.Context(), "one", "gen_1", 1, made("image", sample(t, "a.jpg")))
	if err != nil || other.ID == first.ID || h.left(t) != 2 {
		t.Error(other, err)
	}
}

func TestOutputsThatAreNoneAreFailures(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for name, test := range map[string]struct {
		output media.Output
		class  media.Class
	}{
		"a page":          {made("image", "<html>quota exceeded</html>"), media.ModelFailed},
		"nothing":         {made("image", ""), media.ModelFailed},
		"another kind":    {made("image", sample(t, "a.wav")), media.ModelFailed},
		"noise":           {made("audio", "\x00\x01\x02\x03"), media.ModelFailed},
		"a broken stream": {broken(sample(t, "film.mp4")[:100]), media.Transient},
		"a dead link":     {media.Output{Kind: "image", Open: func(context.Context) (io.ReadCloser, error) { return nil, &media.Failure{Class: media.Gone} }}, media.Gone},
		"a lost link":     {media.Output{Kind: "image", Open: func(context.Context) (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }}, media.Transient},
	} {
		_, err := h.Keep(t.Context(), "one", "gen_1", 0, test.output)
		if err == nil || media.ToFailure(err).Class != test.class {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := h.left(t); n != 0 {
		t.Error("left behind:", n)
	}
	// What is odd at its end, but plainly a film, was paid for and is kept.
	if _, err := h.Keep(t.Context(), "one", "gen_2", 0, made("video", sample(t, "film.mp4")+"odd")); err != nil {
		t.Error(err)
	}
}

func broken(body string) media.Output {
	return media.Output{Kind: "video", Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(body), iotest.ErrReader(errors.New("connection reset")))), nil
	}}
}

func TestSourcesHaveALinkOnlyWhereOthersCanReachIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	f, source := h.picture(t)
	if source.Link == nil || source.Type != "image/png" || source.Size != f.Size || source.Field != "image_urls" {
		t.Fatalf("%+v", source)
	}
	if link, err := source.Link(t.Context()); err != nil || !strings.HasPrefix(link, h.public+"/files/"+f.ID+"/image.png?") {
		t.Error(link, err)
	}
	r, err := source.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); err != nil || string(b) != sample(t, "a.png") {
		t.Error(len(b), err)
	}
	for _, private := range []string{"http://127.0.0.1:8080", "http://localhost:8080", "http://192.168.1.2"} {
		h.public = private
		if source, err := h.Source(t.Context(), "one", "image_urls", f.ID); err != nil || source.Link != nil {
			t.Error(private, err)
		}
	}
	if _, err := h.Source(t.Context(), "two", "image_urls", f.ID); err == nil {
		t.Error("another workspace's file was opened")
	}
}

func TestAFileInUseIsNotForgotten(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	f, err := h.Save(t.Context(), file.Upload{Workspace: "one", Name: "a.png", Body: strings.NewReader(sample(t, "a.png"))})
	if err != nil {
		t.Fatal(err)
	}
	task := &generation.Task{
		ID: uid.New("gen"), Workspace: "one", State: media.Pending, Stage: generation.Ordered, Created: h.now, Updated: h.now, Version: 1,
		Order: generation.Order{Sources: []generation.Source{{Field: "image_urls", File: f.ID}}},
	}
	if err := h.store.InsertTask(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	h.now = h.now.Add(1000 * time.Hour)
	if n, err := h.Sweep(t.Context()); err != nil || n != 0 || h.left(t) != 1 {
		t.Fatal(n, err)
	}
	_, err = h.store.UpdateTask(t.Context(), task.Workspace, task.ID, func(t *generation.Task) error {
		t.Stage, t.State, t.Ended = generation.Ended, media.Failed, h.now
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := h.Sweep(t.Context()); err != nil || n != 1 || h.left(t) != 0 {
		t.Error(n, err)
	}
	task.ID = uid.New("gen")
	if err := h.store.InsertTask(t.Context(), task); !errors.Is(err, access.ErrNotFound) {
		t.Error("a task with a file that is gone was saved:", err)
	}
}

func TestASweepThatFailsIsMadeUpFor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	f, err := h.Save(t.Context(), file.Upload{Workspace: "one", Name: "a.png", Body: strings.NewReader(sample(t, "a.png"))})
	if err != nil {
		t.Fatal(err)
	}
	h.now = h.now.Add(1000 * time.Hour)
	h.blobs.delete = errors.New("the storage is out of order")
	if n, err := h.Sweep(t.Context()); err == nil || n != 0 {
		t.Error(n, err)
	}
	if _, err := h.File(t.Context(), "one", f.ID); err == nil {
		t.Error("a file that is being deleted is still offered")
	}
	h.blobs.delete = nil
	if n, err := h.Sweep(t.Context()); err != nil || n != 1 || h.left(t) != 0 {
		t.Error(n, err)
	}
}

// TestWhatAKilledProcessLeftIsSwept plays a process that died between the row and
// the bytes, and one that died between the bytes and the row.
func TestWhatAKilledProcessLeftIsSwept(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i, withBytes := range []bool{false, true} {
		id := uid.New("file")
		f := &file.File{ID: id, Workspace: "one", State: file.Arriving, Blob: "one/2026-01/" + id + ".png", Name: "a", Created: h.now, Expires: h.now.Add(time.Hour), Place: i}
		if err := h.store.InsertFile(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		if withBytes {
			if _, err := h.blobs.Put(t.Context(), f.Blob, strings.NewReader("half")); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.File(t.Context(), "one", id); err == nil {
			t.Error("a file is offered that has not arrived")
		}
	}
	if n, err := h.Sweep(t.Context()); err != nil || n != 0 {
		t.Error("too early:", n, err)
	}
	h.now = h.now.Add(2 * time.Hour)
	if n, err := h.Sweep(t.Context()); err != nil || n != 2 || h.left(t) != 0 {
		t.Error(n, err)
	}
}

func TestAStorageThatRefusesLeavesNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.blobs.put = errors.New("no space left")
	_, err := h.Save(t.Context(), file.Upload{Workspace: "one", Name: "a.png", Body: strings.NewReader(sample(t, "a.png"))})
	if err == nil || strings.Contains(string(code(err)), "space") {
		t.Error(err)
	}
	h.now = h.now.Add(1000 * time.Hour)
	if n, err := h.Sweep(t.Context()); err != nil || n != 0 || h.left(t) != 0 {
		t.Error("a row was left:", n, err)
	}
}
