package test

import (
	"os"
	"path/filepath"
	"testing"

	"stele/test/house"
)

// node is the Node that runs the official Node SDKs.
func node(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("STELE_TEST_NODE"); path != "" {
		return path
	}
	path, err := filepath.Abs("sdk/node_modules/.bin/node")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		house.Lacking(t, "there is no Node: run npm ci in test/sdk, or set STELE_TEST_NODE")
	}
	return path
}
