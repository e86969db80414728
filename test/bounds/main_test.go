// Package bounds has callers who take as much as they can get, and looks at what the
// process takes.
package bounds

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
