package guard

import (
	"crypto/x509"
	"fmt"
	"os"
)

// Roots returns the system's certificates and those in caFile, a PEM file with a
// private authority. Without a file it returns nil, which means the system's.
func Roots(caFile string) (*x509.CertPool, error) {
	if caFile == "" {
		return nil, nil //nolint:nilnil // nil is a pool: the system's
	}
	pem, err := os.ReadFile(caFile) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read certificates: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("load the system's certificates: %w", err)
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read certificates: %s holds none", caFile)
	}
	return pool, nil
}
