package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
)

// serve serves until it is told to end.
func (p *program) serve(c *cobra.Command, _ []string) error {
	process := p.process()
	process.Greet = p.greet
	return assembly.Serve(c.Context(), process)
}

// greet tells the operator where the server is, and at the very first start how to
// get in. Secrets are printed here and nowhere else.
func (p *program) greet(g assembly.Greeting) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Stele %s serves at %s\n", versionText(), g.Public)
	for _, d := range g.Detected {
		fmt.Fprintf(&b, "  provider %s is on, because of %s\n", d.Provider, strings.Join(d.Variables, " and "))
	}
	if g.Welcome == nil {
		fmt.Fprintf(&b, "  console    %s/console/\n  reference  %s/reference\n", g.Console, g.Console)
		_, err := fmt.Fprint(p.stdout, b.String())
		return err
	}
	if g.Welcome.SetupToken != "" {
		fmt.Fprintf(&b, "\nOpen the console and become its administrator. The link works once:\n  %s/console/setup?token=%s\n", g.Console, g.Welcome.SetupToken)
	}
	fmt.Fprintf(&b, "\nA development key, shown only now:\n  %s\n\nTry it:\n  curl %s/api/v1/models -H \"Authorization: Bearer %[1]s\"\n\n", g.Welcome.Key, g.Public)
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}
