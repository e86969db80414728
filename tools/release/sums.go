package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// sums writes SHA256SUMS, as sha256sum --check reads it, and prints what was made.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	return write(filepath.Join(r.out, "SHA256SUMS"), func(w io.Writer) error {
		for _, e := range entries {
			sum, size, err := sum(filepath.Join(r.out, e.Name()))
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "%x  %s\n", sum, e.Name()); err != nil {
				return err
			}
			fmt.Printf("%6.1f MB  %s\n", float64(size)/1e6, e.Name())
		}
		return nil
	})
}

func sum(name string) (digest []byte, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return h.Sum(nil), size, err
}
