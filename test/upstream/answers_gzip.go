package upstream

import (
	"bytes"
	"compress/gzip"
)

// Gzipped compresses the body, flushed after every frame.
func Gzipped() Answer {
	return func(_ *Exchange, r Reply) Reply {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		last := len(r.Frames) - 1
		compressed := r.each(func(i int, frame []byte) []byte {
			w.Write(frame) //nolint:errcheck // to memory
			if i == last {
				w.Close()
			} else {
				w.Flush() //nolint:errcheck // to memory
			}
			out := bytes.Clone(b.Bytes())
			b.Reset()
			return out
		})
		compressed.Header = compressed.Header.Clone()
		compressed.Header.Set("Content-Encoding", "gzip")
		return compressed
	}
}

// GzipBomb is an answer of a few kilobytes that unpacks to so many megabytes of
// white space.
func GzipBomb(megabytes int) Answer {
	return func(_ *Exchange, r Reply) Reply {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		w.Write(bytes.Repeat([]byte(" "), 1<<20)) //nolint:errcheck // to memory
		w.Close()
		r.Header = r.Header.Clone()
		r.Header.Del("Content-Length")
		r.Header.Set("Content-Encoding", "gzip")
		r.Frames = []Frame{{Bytes: bytes.Repeat(b.Bytes(), megabytes)}} // a file of many members
		return r
	}
}
