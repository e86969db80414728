package api

import (
	"io"
	"net/http"
	"time"

	"stele/internal/meter"
	"stele/internal/scope"
)

// Bodies keeps what clients say and hear in chat. It must not make them wait.
type Bodies interface{ Keep(meter.Bodies) }

// captured serves a chat route while it takes down what is said: the bodies, never
// a header.
func (d *Door) captured(w http.ResponseWriter, c call) error {
	asked := &heard{ReadCloser: c.Body}
	c.Body = asked
	said := &answer{ResponseWriter: &told{ResponseWriter: w, copied: &asked.reply}}
	at := time.Now()
	defer func() {
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

// copied is the beginning of a body and the size of all of it.
type copied struct {
	kept []byte
	size int64
}

func (c *copied) add(b []byte) {
	c.kept = append(c.kept, b[:min(len(b), meter.MostBody-len(c.kept))]...)
	c.size += int64(len(b))
}

func (c *copied) body() meter.Body { return meter.NewBody(c.kept, c.size) }

// heard is a request's body that is copied while it is read.
type heard struct {
	io.ReadCloser
	copied

	reply copied
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	h.add(p[:n])
	return n, err
}

// told is an answer that is copied while it is written.
type told struct {
	http.ResponseWriter
	*copied
}

func (t *told) Write(b []byte) (int, error) {
	t.add(b)
	return t.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (t *told) Unwrap() http.ResponseWriter { return t.ResponseWriter }
