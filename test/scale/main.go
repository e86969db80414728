// Command scale reckons what servers and a PostgreSQL carry, and plays a day of a million
// tasks and up to a billion usage rows, with costs that benchmarks have measured:
//
//	go -C test run ./scale                     with the figures that docs/scale.md has
//	go -C test run ./scale -measured FILE      with those of another machine
//
// FILE is what `go test -bench` prints for BenchmarkRow (internal/store) and BenchmarkCost
// (test/load). `make scale` takes the figures on this machine and reckons with them.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
)

//go:embed testdata/measured.txt
var measuredHere string

func main() {
	path := flag.String("measured", "", "what the benchmarks printed")
	flag.Parse()
	text := measuredHere
	if *path != "" {
		raw, err := os.ReadFile(*path)
		if err != nil {
			fail(err)
		}
		text = string(raw)
	}
	out, err := report(text)
	if err != nil {
		fail(err)
	}
	fmt.Print(out)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "scale:", err)
	os.Exit(1)
}
