// Package operate is the life of a server: from the first start, through reloads,
// rotations and several processes on one database, to the last request.
package operate

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
