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
)

func main() {
	root := flag.String("root", ".", "folder of the module to check")
	target := flag.String("target", "./cmd/stele", "package whose dependencies are linked")
	verbose := flag.Bool("v", false, "print every module with its licence")
	flag.Parse()

	if err := check(*root, *target, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(root, target string, verbose bool) error {
	modules, err := linked(root, target)
	if err != nil {
		return err
	}
	var wrong []string
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, m := range modules {
		found, err := m.licences()
		if err != nil {
			return err
		}
		if verbose {
			fmt.Fprintf(table, "%s\t%s\t%s\n", m.Path, m.Version, strings.Join(found, ", "))
		}
		if why := refuse(m.Path, found); why != "" {
			wrong = append(wrong, fmt.Sprintf("  %s %s: %s", m.Path, m.Version, why))
		}
	}
	table.Flush()

	unexplained, err := unexplained(root)
	if err != nil {
		return err
	}
	return errors.Join(
		list("modules that may not be linked:", wrong),
		list("direct dependencies that no page in docs/decisions mentions:", unexplained),
	)
}

// list is nil if there are no lines.
func list(head string, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	return errors.New(head + "\n" + strings.Join(lines, "\n"))
}
