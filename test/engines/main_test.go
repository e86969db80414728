// Package engines takes PostgreSQL and object storage away from running servers, each
// in the ways in which it goes in the world, and looks what goes on meanwhile, what is
// refused, and whether everything heals by itself with nothing lost and nothing paid twice.
package engines

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
