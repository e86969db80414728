package main

import (
	"context"
	"fmt"
	"strings"

	"stele/internal/config"
)

// greet tells whoever started the server where it is, and at the very first
// start how to get in. Secrets are printed here and nowhere else.
func greet(ctx context.Context, h *house, w world, cfg *config.Config, public, console string) error {
	welcome, err := h.access.FirstStart(ctx)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Stele %s serves at %s\n", versionText(), public)
	for _, d := range cfg.Detected {
		fmt.Fprintf(&b, "  provider %s is on, because of %s\n", d.Provider, strings.Join(d.Variables, " and "))
	}
	if welcome == nil {
		fmt.Fprintf(&b, "  console    %s/console/\n  reference  %s/reference\n", console, console)
		_, err := fmt.Fprint(w.stdout, b.String())
		return err
	}
	if welcome.SetupToken != "" {
		fmt.Fprintf(&b, "\nOpen the console and become its administrator. The link works once:\n  %s/console/setup?token=%s\n", console, welcome.SetupToken)
	}
	fmt.Fprintf(&b, "\nA development key, shown only now:\n  %s\n\nTry it:\n  curl %s/api/v1/models -H \"Authorization: Bearer %s\"\n\n", welcome.Key, public, welcome.Key)
	_, err = fmt.Fprint(w.stdout, b.String())
	return err
}
