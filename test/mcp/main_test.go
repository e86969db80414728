// Package mcp speaks with stele mcp as agents do: over its standard input and output and
// over HTTP, beside a server of its own.
package mcp

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
