// Package metering reads the rows of usage from outside: one for each request, right
// whatever became of it.
package metering

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
