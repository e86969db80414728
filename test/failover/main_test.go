// Package failover breaks targets and looks who is asked next, and what the client is told.
package failover

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
