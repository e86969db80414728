//go:build clients || pages

// Package clients runs agents and libraries of others, as they come from npm, against the
// built program. make clients connects pinned ones with `stele connect`, on fresh home folders,
// and has each go through a loop in which it writes a file. make pages does what the pages of
// docs/clients say, with the newest there are.
package clients

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
