package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/console/audit"
	"stele/internal/telemetry"
	"stele/internal/wire"
)

func (p *program) audit() *cobra.Command {
	return group("audit", "Read and check the audit log", p.auditList(), p.auditVerify(), p.auditExport())
}

func (p *program) auditList() *cobra.Command {
	filter := access.Filter{}
	var since time.Duration
	c := p.onInstallation(&cobra.Command{Use: "list", Short: "List what was changed in a workspace, the newest first", Args: cobra.NoArgs},
		func(c *cobra.Command, h *assembly.Installation, _ []string) error {
			if filter.Limit < 1 || filter.Limit > 10_000 {
				return errors.New("--limit is between 1 and 10000")
			}
			if since > 0 {
				filter.Since = time.Now().Add(-since)
			}
			list, err := h.Access.Audit(c.Context(), access.CommandLine(filter.Workspace), filter)
			if err != nil {
				return err
			}
			if wantsJSON(c) {
				return printEntries(c, list)
			}
			return printTable(c, list, "", "TIME\tWHO\tACTION\tTARGET\tDETAIL\tCHANGES", func(e access.Entry) []string {
				return []string{wire.Time(e.At), cmp.Or(e.ActorName, e.Actor), e.Action, e.Target, e.Detail, audit.ChangeWords(e.Changes)}
			})
		})
	flags := c.Flags()
	flags.StringVar(&filter.Workspace, "workspace", access.DefaultWorkspace, "whose log")
	flags.StringVar(&filter.Action, "action", "", "only this action, such as key.create")
	flags.StringVar(&filter.Actor, "actor", "", "only what this person did: their id, command-line or configuration")
	flags.StringVar(&filter.About, "about", "", "only what is about this id or name")
	flags.DurationVar(&since, "since", 0, "only the last while, such as 24h")
	flags.IntVar(&filter.Limit, "limit", 100, "at most this many")
	flags.Bool("json", false, "print JSON lines for scripts")
	return c
}

// printEntries prints a line of JSON for each.
func printEntries(c *cobra.Command, list []access.Entry) error {
	for _, e := range list {
		if _, err := c.OutOrStdout().Write(telemetry.AuditLine(e)); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) auditVerify() *cobra.Command {
	var anchor string
	var noted access.Chained
	c := p.onInstallation(&cobra.Command{
		Use: "verify", Short: "Find out whether any entry of the audit log was changed or removed", Args: cobra.NoArgs,
		Long: "Looks at every entry of every workspace: each carries a hash of itself and of the one before, and the last hash is proven\n" +
			"with a key that is not in the database. It prints the head of the chain. Note it down elsewhere, and give it to --head later:\n" +
			"then even a database that was put back whole is found.",
		PreRunE: func(*cobra.Command, []string) (err error) {
			noted, err = readAnchor(anchor)
			return err
		},
	}, func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		v, err := access.VerifyAudit(c.Context(), h.Store, h.Proves(), noted)
		if err != nil {
			return err
		}
		for _, fault := range v.Faults {
			fmt.Fprintln(c.ErrOrStderr(), "stele:", fault)
		}
		fmt.Fprintf(c.OutOrStdout(), "%d entries\nhead %d:%s\n", v.Entries, v.Head.Seq, v.Head.Hash)
		if len(v.Faults) > 0 {
			fmt.Fprintln(c.ErrOrStderr(), "stele: the audit log is not what was written")
			return errTold
		}
		return say(c, nil, "nothing was changed or removed\n")
	})
	c.Flags().StringVar(&anchor, "head", "", "a head that was noted down before, as SEQ:HASH; it must be part of the chain")
	return c
}

func readAnchor(text string) (a access.Chained, err error) {
	if text == "" {
		return a, nil
	}
	seq, hash, ok := strings.Cut(text, ":")
	a.Seq, err = strconv.ParseInt(seq, 10, 64)
	if a.Hash = hash; !ok || err != nil || a.Seq < 1 || len(hash) != 64 {
		return a, errors.New("--head is written as stele audit verify prints it: SEQ:HASH")
	}
	return a, nil
}

func (p *program) auditExport() *cobra.Command {
	var after int64
	c := p.onInstallation(&cobra.Command{Use: "export", Short: "Print the audit log of all workspaces as JSON lines, the oldest first", Args: cobra.NoArgs},
		func(c *cobra.Command, h *assembly.Installation, _ []string) error {
			for {
				list, err := h.Store.EntriesAfter(c.Context(), after, 1000)
				if err != nil || len(list) == 0 {
					return err
				}
				if err := printEntries(c, list); err != nil {
					return err
				}
				after = list[len(list)-1].Seq
			}
		})
	c.Flags().Int64Var(&after, "after", 0, "only the entries after this place (seq)")
	return c
}
