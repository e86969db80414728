package main

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"stele/internal/race"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"stele": func() {
			w := world{getenv: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
			if run(context.Background(), os.Args[1:], w) != nil {
				os.Exit(1)
			}
		},
	})
}

// TestScripts runs the command line as a person would: one script a file.
func TestScripts(t *testing.T) {
	t.Parallel()
	race.Skip(t, "each of hundreds of short programs would take a second to start")
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}
