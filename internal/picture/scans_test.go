package picture

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"testing"
	"testing/iotest"
)

// A picture of very many scans is not read to its end: each takes as long as all of it.
func TestManyScansAreRefused(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 64)), nil); err != nil {
		t.Fatal(err)
	}
	scan := []byte{0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0, 0x55, 0xff, 0}
	many := append(b.Bytes(), bytes.Repeat(scan, 2*mostScans)...)
	for name, test := range map[string]struct {
		file []byte
		err  error
	}{"usual": {b.Bytes(), nil}, "many": {many, errScans}} {
		for _, r := range []io.Reader{bytes.NewReader(test.file), iotest.OneByteReader(bytes.NewReader(test.file))} {
			if _, err := io.ReadAll(&scans{Reader: r}); !errors.Is(err, test.err) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
