package main

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables into docs/scale.md")

// TestThePageHasTheseTables compares docs/scale.md with what the program prints.
func TestThePageHasTheseTables(t *testing.T) {
	t.Parallel()
	const path, from, to = "../../docs/scale.md", "<!-- tables -->\n", "<!-- end of tables -->\n"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(raw), from)
	tables, tail, more := strings.Cut(rest, to)
	if !ok || !more {
		t.Fatalf("%s has no %q and %q", path, from, to)
	}
	want, err := report(measuredHere)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(head+from+want+to+tail), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if tables != want {
		t.Errorf("docs/scale.md has other tables than the program: go -C test test ./scale -update")
	}
}
