package wire_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"
	"testing"

	"stele/internal/wire"
)

func pack(t *testing.T, open func(io.Writer) io.WriteCloser, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := open(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	const text = `{"model":"m"}`
	gzipped := pack(t, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, text)
	framed := pack(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, text)
	bare := pack(t, func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 9); return f }, text)
	for _, c := range []struct {
		name, coding, packed, plain string
		err                         error
	}{
		{"gzip", "gzip", gzipped, text, nil},
		{"gzip by its old name", " X-GZIP", gzipped, text, nil},
		{"two members", "gzip", gzipped + gzipped, text + text, nil},
		{"zlib", "deflate", framed, text, nil},
		{"no frame", "Deflate", bare, text, nil},
		{"not packed", "gzip", text, "", wire.ErrPacked},
		{"not packed either", "deflate", "\xff\xff\xff", "", wire.ErrPacked},
		{"cut off", "gzip", gzipped[:len(gzipped)-9], text, io.ErrUnexpectedEOF},
		{"changed", "gzip", gzipped[:len(gzipped)-8] + "12345678", text, wire.ErrPacked},
		{"nothing", "deflate", "", "", io.ErrUnexpectedEOF},
	} {
		plain, ok := wire.Unpack(c.coding, io.NopCloser(strings.NewReader(c.packed)))
		if !ok {
			t.Fatalf("%s: %q is not read", c.name, c.coding)
		}
		got, err := io.ReadAll(plain)
		if string(got) != c.plain || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	for _, coding := range []string{"", "identity", "br", "zstd", "gzip, gzip", "utf-8"} {
		if _, ok := wire.Unpack(coding, nil); ok {
			t.Errorf("%q is read", coding)
		}
	}
}
