package rig

import (
	"os"
	"path/filepath"
	"testing"
)

// Node is the Node that runs the official Node SDKs.
func Node(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("STELE_TEST_NODE"); path != "" {
		return path
	}
	path := filepath.Join(Root(), "test/sdk/node_modules/.bin/node")
	if _, err := os.Stat(path); err != nil {
		Lacking(t, "there is no Node: run npm ci in test/sdk, or set STELE_TEST_NODE")
	}
	return path
}
