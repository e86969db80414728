package dialect_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/dialect"
	"stele/internal/race"
	"stele/internal/relay"
)

// endless is a body that is made while it is read.
type endless struct {
	head, frame, tail string
	left              int
	rest              string
	stage             int
}

func (e *endless) Read(p []byte) (int, error) {
	for e.rest == "" {
		switch {
		case e.stage == 0:
			e.rest, e.stage = e.head, 1
		case e.stage == 1 && e.left > 0:
			n := min(e.left, 100)
			e.rest = strings.Repeat(e.frame, n)
			e.left -= n
		case e.stage == 1:
			e.rest, e.stage = e.tail, 2
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// answering gives one body to whoever calls.
type answering struct {
	body   io.Reader
	header http.Header
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: a.header, Body: io.NopCloser(a.body), ContentLength: -1, Request: r}, nil
}

var limits = relay.Target{Model: "m", Timeouts: catalog.Timeouts{FirstByte: time.Minute, Gap: time.Minute, Total: time.Minute}}

// TestHard228ManyDeltasLeaveNothingBehind streams very many deltas from each
// upstream to a client of another and watches the memory that is alive on the way.
func TestHard228ManyDeltasLeaveNothingBehind(t *testing.T) { //nolint:paralleltest // what other tests hold would count
	race.Skip(t, "nothing in it runs at the same time")
	const n = 200_000
	frames := map[string]endless{
		O: split(chunksO("stop", `{"content":"word "}`), "word "),
		A: split(messageA(textA(0, "word "), "end_turn"), "word "),
		G: split(sse(`{"candidates":[{"content":{"role":"model","parts":[{"text":"word "}]}}]}`, wholeG(`{"text":""}`)), "word "),
	}
	for to, body := range frames {
		from := map[string]string{O: A, A: G, G: O}[to]
		ask := map[string]string{O: streamO, A: streamA, G: streamG}[from]
		client := codecOf(from)
		req, err := client.DecodeRequest(dialect.Incoming{Model: "m", Stream: true, Framed: true, Body: []byte(ask)})
		if err != nil {
			t.Fatal(err)
		}
		body.left = n
		way := trip{from: from, to: to}
		reply, err := account(&way, answering{&body, http.Header{"Content-Type": {"text/event-stream"}}}).Do(context.Background(), req, limits)
		if err != nil {
			t.Fatal(err)
		}
		encoder := client.NewEncoder(req)
		var out []byte
		var early, late runtime.MemStats
		chunks, size := 0, 0
		for chunk, err := range reply.Stream {
			if err != nil {
				t.Fatal(err)
			}
			out = out[:0]
			for i := range chunk.Events {
				if out, err = encoder.Encode(out, &chunk.Events[i]); err != nil {
					t.Fatal(err)
				}
			}
			size += strings.Count(string(out), "word ")
			switch chunks++; chunks {
			case n / 10:
				runtime.GC()
				runtime.ReadMemStats(&early)
			case n * 9 / 10:
				runtime.GC()
				runtime.ReadMemStats(&late)
			}
		}
		is(t, "the words from "+to, size, n)
		const most = 2 << 20 // a fraction of what the deltas are together
		if grown := int64(late.HeapAlloc) - int64(early.HeapAlloc); grown > most {
			t.Errorf("%s from %s: %d bytes more are alive after %d deltas", from, to, grown, n)
		}
	}
}

// split finds the frame with a word in it and what is before and after.
func split(stream, word string) endless {
	at := strings.Index(stream, word)
	from := strings.LastIndex(stream[:at], "\n\n") + 2
	if from == 1 {
		from = 0
	}
	to := at + strings.Index(stream[at:], "\n\n") + 2
	return endless{head: stream[:from], frame: stream[from:to], tail: stream[to:]}
}

// stillIncremental checks that the first word of a packed stream arrives before
// the second was sent.
func stillIncremental(t *testing.T) {
	t.Helper()
	r, w := io.Pipe()
	packed := gzip.NewWriter(w)
	body := split(chunksO("stop", `{"content":"first"}`), "first")
	arrived := make(chan struct{})
	go func() {
		_, _ = io.WriteString(packed, body.head+body.frame)
		_ = packed.Flush()
		<-arrived
		_, _ = io.WriteString(packed, body.tail)
		_ = packed.Close()
		_ = w.Close()
	}()
	way := trip{from: A, to: O}
	req, err := codecOf(A).DecodeRequest(dialect.Incoming{Body: []byte(streamA)})
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}}
	reply, err := account(&way, answering{r, header}).Do(context.Background(), req, limits)
	if err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	for chunk, err := range reply.Stream {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range chunk.Events {
			if e.Part.Text != "" {
				seen.WriteString(e.Part.Text)
				close(arrived)
			}
		}
	}
	is(t, "the text", seen.String(), "first")
}
