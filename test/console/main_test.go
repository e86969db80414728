// Package console uses the console as a person does, with what it shows to be pasted.
package console

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
