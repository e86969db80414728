// Package load puts the built program under as much work as it promises to bear,
// on both databases, and measures what it promises to be quick at. A test looks
// only at whether everything ends well; the figures are those of its benchmarks.
package load

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
