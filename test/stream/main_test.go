// Package stream looks at whether an answer tells the truth however it ends: cut, late,
// endless, left by its client, or well.
package stream

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
