// Package sdk runs the official SDKs, in Go and Node, against the built program: lists
// and errors, and every scene of a conversation in each of the nine pairs of dialects.
package sdk

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
