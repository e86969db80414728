// Package files uploads and fetches: in memory's bounds, and in object storage.
package files

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
