package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"stele/test/upstream"
)

// can holds answers down to the last byte of HTTP: what net/http would do for each
// request again is done once.
type can struct {
	whole  []byte
	stream [][]byte // one element is one write
	usage  [][]byte // the same with OpenAI's usage at its end
	delay  time.Duration
}

var (
	notFound = []byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
	goOn     = []byte("HTTP/1.1 100 Continue\r\n\r\n")
)

func prepare(dialect string, chunks, perWrite int) (*can, error) {
	whole, plain, err := upstream.Canned(dialect, chunks, false)
	if err != nil {
		return nil, err
	}
	_, counted, err := upstream.Canned(dialect, chunks, true)
	if err != nil {
		return nil, err
	}
	return &can{whole: head(whole, frame(whole)), stream: writes(plain, perWrite), usage: writes(counted, perWrite)}, nil
}

// head is the reply's headers and then its body.
func head(r upstream.Reply, body []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", r.Status, http.StatusText(r.Status))
	r.Header.Write(&b) //nolint:errcheck // to memory
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

func frame(r upstream.Reply) []byte {
	var b bytes.Buffer
	for _, f := range r.Frames {
		b.Write(f.Bytes)
	}
	return b.Bytes()
}

// writes is a stream in HTTP chunks, gathered into writes. The headers go with the
// first and the end with the last.
func writes(r upstream.Reply, perWrite int) [][]byte {
	if perWrite <= 0 {
		perWrite = len(r.Frames)
	}
	r.Header.Set("Transfer-Encoding", "chunked")
	var out [][]byte
	for i, f := range r.Frames {
		chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", len(f.Bytes), f.Bytes)
		if i%perWrite == 0 {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], chunk...)
	}
	out[0] = head(r, out[0])
	out[len(out)-1] = append(out[len(out)-1], "0\r\n\r\n"...)
	return out
}

// serve answers the requests of one connection, one after another.
func (c *can) serve(conn net.Conn) {
	defer conn.Close()
	reader := bufio.NewReaderSize(conn, 16<<10)
	var body bytes.Buffer
	for {
		r, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if r.Header.Get("Expect") != "" {
			if _, err := conn.Write(goOn); err != nil {
				return
			}
		}
		body.Reset()
		if _, err := body.ReadFrom(r.Body); err != nil {
			return
		}
		if !c.answer(conn, r, body.Bytes()) || r.Close {
			return
		}
	}
}

// answer writes what fits the request, and tells whether the client is still there.
func (c *can) answer(conn net.Conn, r *http.Request, body []byte) bool {
	switch {
	case r.Method != http.MethodPost:
		_, err := conn.Write(notFound)
		return err == nil
	case !streams(r.URL.Path, body):
		_, err := conn.Write(c.whole)
		return err == nil
	}
	parts := c.stream
	if bytes.Contains(body, []byte(`"include_usage":true`)) {
		parts = c.usage
	}
	for i, p := range parts {
		if i > 0 && c.delay > 0 {
			time.Sleep(c.delay)
		}
		if _, err := conn.Write(p); err != nil {
			return false
		}
	}
	return true
}

func streams(path string, body []byte) bool {
	return strings.HasSuffix(path, ":streamGenerateContent") ||
		bytes.Contains(body, []byte(`"stream":true`)) || bytes.Contains(body, []byte(`"stream": true`))
}
