package test

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// newMasterKey writes a master key to a file.
func newMasterKey(t *testing.T) string {
	t.Helper()
	secret := make([]byte, 32)
	rand.Read(secret)
	file := filepath.Join(t.TempDir(), "master.key")
	if err := os.WriteFile(file, []byte(hex.EncodeToString(secret)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
