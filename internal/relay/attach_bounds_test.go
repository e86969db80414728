package relay

import (
	"context"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/memory"
	"stele/internal/scope"
)

// cabinet has files of one size, and counts how often one is opened.
type cabinet struct {
	size   int64
	opened atomic.Int64
}

func (c *cabinet) Own(string) (string, bool) { return "", false }

func (c *cabinet) File(_ context.Context, _, id string) (*file.File, error) {
	return &file.File{ID: id, Kind: file.Image, Type: "image/png", Size: c.size}, nil
}

func (c *cabinet) Open(context.Context, *file.File, int64, int64) (io.ReadCloser, error) {
	c.opened.Add(1)
	return io.NopCloser(strings.NewReader(strings.Repeat("x", int(c.size)))), nil
}

// web has something of one size at every address.
type web struct {
	size  int
	asked atomic.Int64
}

func (w *web) Fetch(_ context.Context, _ *chat.Part, most int64) (*chat.Media, error) {
	w.asked.Add(1)
	if int64(w.size) > most {
		return nil, fault.New(fault.InvalidMediaURL, "too large")
	}
	return &chat.Media{Type: "image/png", Base64: strings.Repeat("x", w.size)}, nil
}

// naming is a conversation whose parts name files or addresses, and their places.
func naming(names ...string) (*chat.Conversation, []attachment) {
	talk := &chat.Conversation{Messages: []chat.Message{{}}}
	for _, name := range names {
		talk.Messages[0].Parts = append(talk.Messages[0].Parts, chat.Part{Kind: chat.Image, Media: &chat.Media{URL: name}})
	}
	var found []attachment
	for i := range names {
		at := attachment{part: i, inner: -1, at: &talk.Messages[0].Parts[i]}
		if strings.HasPrefix(names[i], "file_") {
			at.own = names[i]
		}
		found = append(found, at)
	}
	return talk, found
}

func repeat(name string, n int) []string {
	return strings.Split(strings.TrimSuffix(strings.Repeat(name+",", n), ","), ",")
}

// A file that is named forty times is read once, and counts forty times.
func TestAnAttachmentCountsAsOftenAsItIsSent(t *testing.T) {
	t.Parallel()
	const each, most = 40, 1000 // 30 bytes are 40 characters
	for name, c := range map[string]struct {
		names   []string
		refused bool
		reads   int64
	}{
		"a file, as often as it fits":     {repeat("file_1", 25), false, 1},
		"a file, once more":               {repeat("file_1", 26), true, 0},
		"an address, as often as it fits": {repeat("https://a.example/x", 25), false, 1},
		"an address, once more":           {repeat("https://a.example/x", 26), true, 1},
		"two files":                       {append(repeat("file_1", 10), repeat("file_2", 15)...), false, 2},
	} {
		files, outside := &cabinet{size: each * 3 / 4}, &web{size: each}
		r := New(Options{Files: files, Fetch: outside, Attached: func() int64 { return most }})
		budget := memory.New(1<<20, 1<<20)
		lease := budget.Open("w")
		ctx := scope.With(t.Context(), &scope.Request{Memory: lease})
		talk, found := naming(c.names...)
		var got fetched
		err := got.get(ctx, r, "w", talk, found)
		if (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
		if reads := files.opened.Load() + outside.asked.Load(); reads != c.reads {
			t.Errorf("%s: read %d times, want %d", name, reads, c.reads)
		}
		if held := budget.Taken(); strings.Contains(name, "file") && held != files.opened.Load()*each {
			t.Errorf("%s: %d bytes are held", name, held)
		}
	}
}

func TestAnAttachmentWithoutRoomIsRefused(t *testing.T) {
	t.Parallel()
	budget := memory.New(100, 100)
	ctx := scope.With(t.Context(), &scope.Request{Memory: budget.Open("w")})
	files := &cabinet{size: 90}
	talk, found := naming("file_1")
	var got fetched
	err := got.get(ctx, New(Options{Files: files}), "w", talk, found)
	if fault.From(err).Code != fault.BodyTooLarge || files.opened.Load() != 0 {
		t.Errorf("%v, opened %d times", err, files.opened.Load())
	}
}

// Answers without a byte weigh nothing: what is asked for is counted as well.
func TestAChatNamesABoundedNumberOfAddresses(t *testing.T) {
	t.Parallel()
	for _, more := range []int{0, 1} {
		var names []string
		for n := range mostNamed + more {
			names = append(names, "https://a.example/"+strconv.Itoa(n))
		}
		outside := &web{}
		ctx := scope.With(t.Context(), &scope.Request{Memory: memory.New(1<<20, 1<<20).Open("w")})
		talk, found := naming(names...)
		var got fetched
		err := got.get(ctx, New(Options{Fetch: outside}), "w", talk, found)
		if want := int64((1 - more) * mostNamed); (err != nil) != (more > 0) || outside.asked.Load() != want {
			t.Errorf("%d addresses: %v, %d were asked", len(names), err, outside.asked.Load())
		}
	}
}
