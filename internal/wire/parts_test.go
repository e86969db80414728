package wire_test

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"strings"
	"testing"

	"stele/internal/wire"
)

func TestPartsAreReadInTurn(t *testing.T) {
	t.Parallel()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	long := strings.Repeat("x", 1<<20)
	for _, name := range []string{"a", "b", "c"} {
		if err := form.WriteField(name, name+long); err != nil {
			t.Fatal(err)
		}
	}
	_ = form.Close()
	parts := wire.NewParts(&body, form.Boundary())
	for _, name := range []string{"a", "b", "c"} { // b is passed over unread
		part, err := parts.Next()
		if err != nil || part.FormName() != name {
			t.Fatal(name, err)
		}
		if name == "b" {
			continue
		}
		if got, err := io.ReadAll(part); err != nil || string(got) != name+long {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if _, err := parts.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// Headers are kept in memory, so there is a bound for them.
func TestLongHeadersOfPartsAreRefused(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"one":   "X-Long: " + strings.Repeat("x", 1<<20) + "\r\n",
		"many":  strings.Repeat("X-Short: x\r\n", 1<<16),
		"a end": strings.Repeat("x", 1<<20),
	} {
		source := strings.NewReader("--b\r\n" + head)
		_, err := wire.NewParts(source, "b").Next()
		if err == nil || int64(source.Len()) < source.Size()-64<<10 {
			t.Errorf("%s: %v after %d bytes", name, err, source.Size()-int64(source.Len()))
		}
	}
}
