package studio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"

	"stele/internal/media"
	"stele/internal/provider/studio"
)

type crafting func(ctx context.Context, req media.Request, report func(float64)) ([]media.Output, error)

// nothing is a machine without any program.
func nothing(string) (string, error) { return "", exec.ErrNotFound }

// modelOf reads a model file of the studio.
func modelOf(t *testing.T, file string) *media.Model {
	t.Helper()
	src, err := fs.ReadFile(studio.Models(), file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := media.Read(file, src)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

// ordered is a request as a client writes it, checked against a model. Media fields
// name the files by which they are given: "start_frame":"a".
func ordered(t *testing.T, m *media.Model, body string, files map[string][]byte) media.Request {
	t.Helper()
	ask := parsed(t, `{"model":"`+m.ID+`",`+body+`}`)
	return checked(t, m, &ask, func(i int) []byte { return files[ask.Media[i].URL] })
}

// checked is what becomes of an order that a model takes, with the files it names.
func checked(t *testing.T, m *media.Model, ask *media.Ask, file func(i int) []byte) media.Request {
	t.Helper()
	o, err := m.Infer(ask)
	if err != nil {
		t.Fatal(err)
	}
	values, err := o.Check(ask)
	if err != nil {
		t.Fatal(err)
	}
	req := media.Request{Key: "gen_test", Model: m, Operation: o, Prompt: ask.Prompt, Parameters: values}
	for i, given := range ask.Media {
		content := file(i)
		req.Sources = append(req.Sources, media.Source{
			Field: given.Field, Name: given.URL, Size: int64(len(content)),
			Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		})
	}
	return req
}

// crafted makes what is asked for and reads it.
func crafted(t *testing.T, make crafting, req media.Request) ([]media.Output, [][]byte) {
	t.Helper()
	outputs, err := make(t.Context(), req, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	var contents [][]byte
	for _, o := range outputs {
		r, err := o.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, data)
	}
	return outputs, contents
}

// tellsProgress fails unless a craft reports several times, never back, and ends at 1.
func tellsProgress(t *testing.T, make crafting, req media.Request) {
	t.Helper()
	var mu sync.Mutex
	var told []float64
	if _, err := make(t.Context(), req, func(p float64) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, p)
	}); err != nil {
		t.Fatal(err)
	}
	if len(told) < 4 || told[len(told)-1] != 1 {
		t.Fatalf("told %v", told)
	}
	for i := 1; i < len(told); i++ {
		if told[i] < told[i-1] || told[i] > 1 {
			t.Errorf("told %v after %v", told[i], told[i-1])
		}
	}
}

// stops fails unless a craft that is cancelled while it works ends: what it had begun is
// all that it tells of.
func stops(t *testing.T, make crafting, req media.Request) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var after atomic.Int64 // reports since it was cancelled
	_, err := make(ctx, req, func(p float64) {
		if ctx.Err() != nil {
			after.Add(1)
		}
		if p > 0.03 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	t.Logf("it told of its progress %d times more", after.Load())
	if after.Load() > 16 {
		t.Errorf("it told of its progress %d times more", after.Load())
	}
}

// over is the fields of a request with one of them changed.
func over(t *testing.T, base, change string) string {
	t.Helper()
	fields := map[string]json.RawMessage{}
	for _, part := range []string{base, change} {
		if err := json.Unmarshal([]byte("{"+part+"}"), &fields); err != nil {
			t.Fatal(err)
		}
	}
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(body[1 : len(body)-1])
}

// everyParameterShows makes a thing with and without each parameter of a mode, and
// fails where it makes no difference, or where one is not tried.
func everyParameterShows(t *testing.T, make crafting, m *media.Model, mode, base string, changes map[string]string, files map[string][]byte) {
	t.Helper()
	_, before := crafted(t, make, ordered(t, m, base, files))
	for _, o := range m.Operations {
		if o.Mode != mode {
			continue
		}
		for _, p := range o.Parameters {
			change, ok := changes[p.Name]
			if !ok {
				t.Errorf("%s of %s is not tried", p.Name, mode)
				continue
			}
			t.Run(p.Name, func(t *testing.T) {
				t.Parallel()
				_, after := crafted(t, make, ordered(t, m, over(t, base, change), files))
				if bytes.Equal(before[0], after[0]) {
					t.Errorf("%s changes nothing", change)
				}
				if p.Name == "seed" && bytes.Equal(before[1], after[1]) { // the file names it as well
					t.Errorf("%s changes nothing that is seen", change)
				}
			})
		}
	}
}
