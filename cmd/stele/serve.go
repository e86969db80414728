package main

import (
	"context"
	"fmt"
	"strings"

	"stele/internal/assembly"
)

// serve serves until ctx ends.
func serve(ctx context.Context, w world, f *flags) error {
	p := process(w, f)
	p.Greet = func(g assembly.Greeting) error { return greet(w, g) }
	return assembly.Serve(ctx, p)
}

// greet tells the operator where the server is, and at the very first start how to
// get in. Secrets are printed here and nowhere else.
func greet(w world, g assembly.Greeting) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Stele %s serves at %s\n", versionText(), g.Public)
	for _, d := range g.Detected {
		fmt.Fprintf(&b, "  provider %s is on, because of %s\n", d.Provider, strings.Join(d.Variables, " and "))
	}
	if g.Welcome == nil {
		fmt.Fprintf(&b, "  console    %s/console/\n  reference  %s/reference\n", g.Console, g.Console)
		_, err := fmt.Fprint(w.stdout, b.String())
		return err
	}
	if g.Welcome.SetupToken != "" {
		fmt.Fprintf(&b, "\nOpen the console and become its administrator. The link works once:\n  %s/console/setup?token=%s\n", g.Console, g.Welcome.SetupToken)
	}
	fmt.Fprintf(&b, "\nA development key, shown only now:\n  %s\n\nTry it:\n  curl %s/api/v1/models -H \"Authorization: Bearer %s\"\n\n", g.Welcome.Key, g.Public, g.Welcome.Key)
	_, err := fmt.Fprint(w.stdout, b.String())
	return err
}
