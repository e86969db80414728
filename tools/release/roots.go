package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/pem"
	"slices"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// rootCertificates are Mozilla's, of the version that go.mod names and not of this machine. Those that Mozilla trusts under
// conditions only are left out: a list of certificates cannot say them.
func rootCertificates() ([]byte, error) {
	var list [][]byte
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			list = append(list, root.Certificate)
		}
	}
	slices.SortFunc(list, func(a, b []byte) int {
		x, y := sha256.Sum256(a), sha256.Sum256(b)
		return bytes.Compare(x[:], y[:])
	})
	var out bytes.Buffer
	for _, der := range list {
		if err := pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: der}); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
