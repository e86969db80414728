package blueprint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/jsonscan"
	"stele/internal/provider/spool"
	"stele/internal/scope"
)

// Bounds of what an answer may hold: one that is looked at, and one that has the
// work itself in it. What is larger than inMemory lies on the disk.
const (
	mostAnswer = 64 << 20
	mostWhole  = 512 << 20
	inMemory   = 1 << 20
	readTimes  = 3 // how much memory reading a large answer takes: its text, its values, and outputs out of them

	// A text of nothing but small values takes thirty times its length once it is read.
	fewValues  = 4 << 10 // of an answer that is read at once; one with more waits for memory, however short it is
	mostValues = 1 << 18
	valueBytes = 96
)

// exchange sends a request and takes the whole answer.
func exchange(client *http.Client, r *http.Request, most int64) (answer, error) {
	res, err := client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	got := answer{status: res.StatusCode, header: res.Header}
	if !got.fine() {
		got.body, _ = io.ReadAll(io.LimitReader(res.Body, inMemory)) // a refusal that breaks off is one all the same
		got.doc, _ = parseDocument(got.body, fewValues)
		return got, nil
	}
	if err := got.take(res.Body, most); err != nil {
		return answer{}, fmt.Errorf("read the answer: %w", err)
	}
	if got.file == nil {
		got.doc, _ = parseDocument(got.body, fewValues)
	}
	return got, nil
}

// tally counts bytes that a value of JSON may follow, whether they are in a text or not.
type tally int64

func (t *tally) Write(p []byte) (int, error) {
	for _, sign := range []byte(",[{") {
		*t += tally(bytes.Count(p, []byte{sign}))
	}
	return len(p), nil
}

// take reads the body to its end before anything is made of it: what was paid for is
// here then, however long it has to wait for memory.
func (a *answer) take(body io.Reader, most int64) (err error) {
	body = io.TeeReader(body, &a.values)
	if a.body, err = io.ReadAll(io.LimitReader(body, inMemory+1)); err != nil || len(a.body) <= inMemory {
		return err
	}
	a.file = spool.New()
	n, err := io.Copy(a.file, io.MultiReader(bytes.NewReader(a.body), io.LimitReader(body, most+1-int64(len(a.body)))))
	if err == nil && n > most {
		err = fmt.Errorf("it is larger than %d bytes", most)
	}
	return err
}

// read understands a body that is JSON and was not read at once, as soon as its workspace has memory for it.
// One that takes more than a workspace can have gets all of that.
func (a *answer) read(ctx context.Context) error {
	if a.doc != nil || !a.fine() || !startsJSON(a.body) {
		return nil
	}
	size := int64(len(a.body))
	if a.file != nil {
		size = a.file.Size()
	}
	lease := scope.From(ctx).Memory
	lease.Shrink(lease.Held()) // of an answer before this one
	if err := lease.Await(ctx, min(readTimes*size+valueBytes*min(int64(a.values), mostValues), lease.Most())); err != nil {
		return fmt.Errorf("wait for memory: %w", err)
	}
	whole := a.body
	if a.file != nil {
		whole = make([]byte, size)
		if _, err := io.ReadFull(a.file.Section(0, size), whole); err != nil {
			return fmt.Errorf("read the answer again: %w", err)
		}
	}
	doc, ok := parseDocument(whole, mostValues)
	if a.doc = doc; ok {
		a.file = nil // all of it is in doc
	}
	return nil
}

// parseDocument reads a body as JSON, where it has no more than so many values.
func parseDocument(body []byte, most int) (doc any, ok bool) {
	if !startsJSON(body) {
		return nil, false
	}
	if seen, err := (jsonscan.Scan{Allow: jsonscan.Lenient}).Walk(body, nil); err != nil || seen.Values > most {
		return nil, false
	}
	if json.Unmarshal(body, &doc, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return nil, false
	}
	return doc, true
}

func startsJSON(body []byte) bool {
	body = bytes.TrimLeft(body, " \t\r\n")
	return len(body) > 0 && (body[0] == '{' || body[0] == '[')
}

// output is the body as an output.
func (a *answer) output() opener {
	if a.file == nil {
		return openMemory(a.body)
	}
	return openSpooled(a.file)
}

// openRead opens an output that was read out of an answer. A large one is put on the disk: it
// may wait there for long until it is fetched.
func openRead(body []byte) opener {
	if len(body) <= inMemory {
		return openMemory(body)
	}
	f := spool.New()
	if _, err := f.Write(body); err != nil {
		return openMemory(body) // it is paid for, and there is no other place
	}
	return openSpooled(f)
}

// openMemory opens an output that is in memory.
func openMemory(body []byte) opener {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
}

// openSpooled opens an output that is on the disk.
func openSpooled(f *spool.File) opener {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(f.Section(0, f.Size())), nil }
}
