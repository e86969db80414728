// Package passing looks at what passes through where client and upstream speak the
// same dialect: bytes, names, headers, and no secret of the operator's.
package passing

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
