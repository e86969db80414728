// Package loops runs agents in loops of tool calls, with signed thoughts, through every
// pair of dialects.
package loops

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
