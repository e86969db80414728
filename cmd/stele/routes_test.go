package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/api"
	"stele/internal/console"
)

var updateRoutes = flag.Bool("update-routes", false, "write the list of routes that the attack suite goes over")

// TestTheAttackSuiteKnowsEveryRoute keeps its list equal to the tables. The suite
// knows nothing of what is inside the program, so that it is handed a text.
func TestTheAttackSuiteKnowsEveryRoute(t *testing.T) {
	t.Parallel()
	const file = "../../test/attack/routes.txt"
	var b strings.Builder
	for _, r := range api.Routes() {
		fmt.Fprintln(&b, "api", r.Method, r.Path)
	}
	for _, r := range console.Routes() {
		fmt.Fprintln(&b, "console", r.Method, r.Pattern)
	}
	if *updateRoutes {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(have)); diff != "" {
		t.Errorf("go test ./cmd/stele -run AttackSuite -update-routes writes it anew:\n%s", diff)
	}
}
