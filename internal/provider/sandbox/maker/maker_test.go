package maker_test

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/fair"
	"stele/internal/media"
	"stele/internal/provider/sandbox/maker"
)

// books is a journal in memory.
type books map[string][][]byte

func (b books) Accept(_ context.Context, key string, life []byte) error {
	b[key] = append(b[key], life)
	return nil
}

func (b books) FindAccepted(_ context.Context, key string) ([]byte, bool, error) {
	if len(b[key]) == 0 {
		return nil, false, nil
	}
	return b[key][0], true, nil
}

func request(kind, prompt string) media.Request {
	return media.Request{Key: "gen_1", Model: &media.Model{MediaType: kind}, Prompt: prompt}
}

func TestItsModelFilesAreGood(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(maker.Models(), "*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		src, _ := fs.ReadFile(maker.Models(), file)
		if _, err := media.Read(file, src); err != nil {
			t.Error(err)
		}
	}
}

func TestItLivesTheLifeThatIsOrdered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := maker.New(books{}, fair.New(2, 1), time.Now)
		got, err := m.Submit(t.Context(), request("image", "a cat [[sandbox: queue=1s work=4s outputs=2 expire=30s]]"))
		if err != nil || got.State != media.Pending {
			t.Fatalf("%+v, %v", got, err)
		}
		look := func(after time.Duration) media.Status {
			t.Helper()
			time.Sleep(after)
			got, err := maker.New(books{}, fair.New(2, 1), time.Now).Poll(t.Context(), got.Ticket) // from another process
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if now := look(2 * time.Second); now.State != media.Processing || now.Progress != 0.25 {
			t.Errorf("after 2 s: %+v", now)
		}
		now := look(3 * time.Second)
		if now.State != media.Success || len(now.Outputs) != 2 {
			t.Fatalf("after 5 s: %+v", now)
		}
		a, b := bytesOf(t, now.Outputs[0]), bytesOf(t, look(0).Outputs[0])
		if !bytes.Equal(a, b) {
			t.Error("two looks give two pictures")
		}
		if _, err := png.Decode(bytes.NewReader(a)); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if _, err := m.Poll(t.Context(), got.Ticket); media.ToFailure(err).Class != media.Gone {
			t.Errorf("expired outputs: %v", err)
		}
	})
}

func bytesOf(t *testing.T, o media.Output) []byte {
	t.Helper()
	r, err := o.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestItFailsAsOrdered(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"generation_failed", "content_policy", "invalid_input", "provider_unavailable", "provider_rejected_credentials", "timeout", "canceled",
	} {
		got, err := maker.New(books{}, fair.New(2, 1), time.Now).Submit(t.Context(), request("image", "[[sandbox: error="+code+"]]"))
		if err != nil || got.State != media.Failed || got.Failure.TaskCode() != code {
			t.Errorf("%s: %+v, %v", code, got, err)
		}
	}
	m := maker.New(books{}, fair.New(2, 1), time.Now)
	for i := range 3 {
		_, err := m.Submit(t.Context(), request("image", "[[sandbox: refuse=rate refusals=2]]"))
		if refused := err != nil && media.ToFailure(err).Class == media.Rate; refused != (i < 2) {
			t.Errorf("submission %d: %v", i, err)
		}
	}
	for _, prompt := range []string{"[[sandbox: dance]]", "[[sandbox: work=long]]", "[[sandbox: pending=no]]", "[[sandbox: error=418]]"} {
		if _, err := m.Submit(t.Context(), request("image", prompt)); err == nil || media.ToFailure(err).Class != media.BadInput {
			t.Errorf("%s: %v", prompt, err)
		}
	}
}

// slow is a journal that takes a minute to write.
type slow struct{ books }

func (s slow) Accept(ctx context.Context, key string, life []byte) error {
	time.Sleep(time.Minute)
	return s.books.Accept(ctx, key, life)
}

// TestWorkBeginsBehindItsAnswer writes the journal for longer than the work takes: it is under way
// when it is accepted all the same, and done at the first look.
func TestWorkBeginsBehindItsAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := maker.New(slow{books{}}, fair.New(2, 1), time.Now)
		got, err := m.Submit(t.Context(), request("image", "[[sandbox: work=50ms]]"))
		if err != nil || got.State != media.Processing {
			t.Fatalf("%+v, %v", got, err)
		}
		if got, err = m.Poll(t.Context(), got.Ticket); err != nil || got.State != media.Success {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestALostAnswerIsInItsJournal(t *testing.T) {
	t.Parallel()
	journal := books{}
	m := maker.New(journal, fair.New(2, 1), time.Now)
	if _, found, _ := m.Find(t.Context(), "gen_1", time.Time{}); found {
		t.Error("found before it was accepted")
	}
	if _, err := m.Submit(t.Context(), request("audio", "[[sandbox: lose_answer]]")); media.ToFailure(err).Class != media.SubmitUnknown {
		t.Fatal(err)
	}
	ticket, found, err := maker.New(journal, fair.New(2, 1), time.Now).Find(t.Context(), "gen_1", time.Time{})
	if err != nil || !found {
		t.Fatal(found, err)
	}
	if got, err := m.Poll(t.Context(), ticket); err != nil || got.State != media.Success || len(bytesOf(t, got.Outputs[0])) < 32000 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestItsClipsAndSoundsAreReal(t *testing.T) {
	t.Parallel()
	m := maker.New(books{}, fair.New(2, 1), time.Now)
	for kind, magic := range map[string]string{"video": "\x1a\x45\xdf\xa3", "audio": "RIFF", "image": "\x89PNG"} {
		got, err := m.Submit(t.Context(), request(kind, "anything"))
		if err != nil {
			t.Fatal(err)
		}
		if data := bytesOf(t, got.Outputs[0]); !bytes.HasPrefix(data, []byte(magic)) {
			t.Errorf("%s begins with %q", kind, data[:4])
		}
	}
	got, _ := m.Submit(t.Context(), request("image", "[[sandbox: bytes=1000000]]"))
	data := bytesOf(t, got.Outputs[0])
	if _, err := png.Decode(bytes.NewReader(data)); err != nil || len(data) < 1_000_000 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}
