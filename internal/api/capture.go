package api

import (
	"io"
	"log/slog"
	"net/http"
	"time"

	"stele/internal/meter"
	"stele/internal/scope"
	"stele/internal/trace"
)

// Bodies keeps what clients say and hear in chat. It must not make them wait.
type Bodies interface{ Keep(meter.Bodies) }

// serveCaptured serves a chat route while it takes down what is said: the bodies, never
// a header.
func (d *Door) serveCaptured(w http.ResponseWriter, c call) error {
	asked := &recordingBody{ReadCloser: c.Body}
	c.Body = asked
	said := &startedWriter{ResponseWriter: &recordingWriter{ResponseWriter: w, prefix: &asked.reply}}
	at := time.Now()
	defer func() {
		if span := trace.From(c.Context()); d.TraceBodies && span.On() {
			span.Note(slog.String(trace.Asked, asked.body().Text), slog.String(trace.Said, asked.reply.body().Text))
		}
		if record := scope.From(c.Context()).Record; record != "" {
			d.Bodies.Keep(meter.Bodies{
				Record: record, Workspace: c.who.Workspace, At: at, Request: asked.body(), Reply: asked.reply.body(),
			})
		}
	}()
	if err := d.handle(said, c); err != nil { // answered here, so that the answer is taken down, too
		d.fail(said, c.Request, c.route.family.of(c.Request), err)
	}
	return nil
}

// prefix is the beginning of a body and the size of all of it.
type prefix struct {
	kept []byte
	size int64
}

func (c *prefix) add(b []byte) {
	c.kept = append(c.kept, b[:min(len(b), meter.MostBody-len(c.kept))]...)
	c.size += int64(len(b))
}

func (c *prefix) body() meter.Body { return meter.NewBody(c.kept, c.size) }

// recordingBody is a request's body that is recorded while it is read.
type recordingBody struct {
	io.ReadCloser
	prefix

	reply prefix
}

func (h *recordingBody) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	h.add(p[:n])
	return n, err
}

// recordingWriter is an answer that is recorded while it is written.
type recordingWriter struct {
	http.ResponseWriter
	*prefix
}

func (t *recordingWriter) Write(b []byte) (int, error) {
	t.add(b)
	return t.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (t *recordingWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }
