// Command licenses checks what Stele is made of: every module that is linked into the binary carries a licence we may
// ship, and every direct dependency is explained by a page in docs/decisions.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"stele/tools/modules"
)

func main() {
	root := flag.String("root", ".", "folder of the module to check")
	target := flag.String("target", "./cmd/stele", "package whose dependencies are linked")
	verbose := flag.Bool("v", false, "print every module with its licence")
	texts := flag.String("texts", "", "write the texts of all licences to this file instead")
	flag.Parse()

	do := func() error { return check(*root, *target, *verbose) }
	if *texts != "" {
		do = func() error { return gather(*root, *target, *texts) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(root, target string, verbose bool) error {
	list, err := modules.Linked(root, target)
	if err != nil {
		return err
	}
	var wrong []string
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, m := range list {
		found, err := m.Licences()
		if err != nil {
			return err
		}
		if verbose {
			fmt.Fprintf(table, "%s\t%s\t%s\n", m.Path, m.Version, strings.Join(found, ", "))
		}
		if why := modules.Refuse(m.Path, found); why != "" {
			wrong = append(wrong, fmt.Sprintf("  %s %s: %s", m.Path, m.Version, why))
		}
	}
	table.Flush()

	unexplained, err := modules.Unexplained(root)
	if err != nil {
		return err
	}
	return errors.Join(
		lines("modules that may not be linked:", wrong),
		lines("direct dependencies that no page in docs/decisions mentions:", unexplained),
	)
}

// lines is nil if there are no lines.
func lines(head string, list []string) error {
	if len(list) == 0 {
		return nil
	}
	return errors.New(head + "\n" + strings.Join(list, "\n"))
}
