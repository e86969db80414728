package reference

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
)

func compressed(body []byte) []byte {
	var small bytes.Buffer
	z := gzip.NewWriter(&small)
	_, _ = z.Write(body) // into memory: neither fails
	_ = z.Close()
	return small.Bytes()
}

func acceptsGzip(header string) bool {
	return slices.ContainsFunc(strings.Split(header, ","), func(coding string) bool {
		name, q, weighted := strings.Cut(strings.ReplaceAll(coding, " ", ""), ";q=")
		return strings.EqualFold(name, "gzip") && (!weighted || strings.Trim(q, "0.") != "")
	})
}
