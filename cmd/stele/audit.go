package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/console/audit"
	"stele/internal/telemetry"
)

func newAudit(w world, f *flags) *cobra.Command {
	c := &cobra.Command{Use: "audit", Short: "Read and check the audit log"}
	c.AddCommand(newAuditList(w, f), newAuditVerify(w, f), newAuditExport(w, f))
	return c
}

func newAuditList(w world, f *flags) *cobra.Command {
	filter := access.Filter{}
	var since time.Duration
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List what was changed in a workspace, the newest first", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withHouse(c.Context(), w, f, func(h *house) error {
				if filter.Limit < 1 || filter.Limit > 10_000 {
					return errors.New("--limit is between 1 and 10000")
				}
				if since > 0 {
					filter.Since = time.Now().Add(-since)
				}
				list, err := h.access.Audit(c.Context(), access.CommandLine(filter.Workspace), filter)
				if err != nil {
					return err
				}
				return printEntries(c, list, asJSON)
			})
		},
	}
	c.Flags().StringVar(&filter.Workspace, "workspace", access.DefaultWorkspace, "whose log")
	c.Flags().StringVar(&filter.Action, "action", "", "only this action, such as key.create")
	c.Flags().StringVar(&filter.Actor, "actor", "", "only what this person did: their id, command-line or configuration")
	c.Flags().StringVar(&filter.About, "about", "", "only what is about this id or name")
	c.Flags().DurationVar(&since, "since", 0, "only the last while, such as 24h")
	c.Flags().IntVar(&filter.Limit, "limit", 100, "at most this many")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON lines for scripts")
	return c
}

func printEntries(c *cobra.Command, list []access.Entry, asJSON bool) error {
	if asJSON {
		for _, e := range list {
			if _, err := c.OutOrStdout().Write(telemetry.AuditLine(e)); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "TIME\tWHO\tACTION\tTARGET\tDETAIL\tCHANGES")
	for _, e := range list {
		who := e.ActorName
		if who == "" {
			who = e.Actor
		}
		fmt.Fprintln(t, strings.Join([]string{stamp(e.At), who, e.Action, e.Target, e.Detail, audit.ChangeWords(e.Changes)}, "\t"))
	}
	return t.Flush()
}

func newAuditVerify(w world, f *flags) *cobra.Command {
	var anchor string
	c := &cobra.Command{
		Use: "verify", Short: "Find out whether any entry of the audit log was changed or removed", Args: cobra.NoArgs,
		Long: "Looks at every entry of every workspace: each carries a hash of itself and of the one before, and the last hash is proven\n" +
			"with a key that is not in the database. It prints the head of the chain. Note it down elsewhere, and give it to --head later:\n" +
			"then even a database that was put back whole is found.",
		RunE: func(c *cobra.Command, _ []string) error {
			noted, err := readAnchor(anchor)
			if err != nil {
				return err
			}
			return withHouse(c.Context(), w, f, func(h *house) error {
				v, err := access.VerifyAudit(c.Context(), h.store, h.proves(), noted)
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
				_, err = fmt.Fprintln(c.OutOrStdout(), "nothing was changed or removed")
				return err
			})
		},
	}
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

func newAuditExport(w world, f *flags) *cobra.Command {
	var after int64
	c := &cobra.Command{
		Use: "export", Short: "Print the audit log of all workspaces as JSON lines, the oldest first", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withHouse(c.Context(), w, f, func(h *house) error {
				for {
					list, err := h.store.EntriesAfter(c.Context(), after, 1000)
					if err != nil || len(list) == 0 {
						return err
					}
					if err := printEntries(c, list, true); err != nil {
						return err
					}
					after = list[len(list)-1].Seq
				}
			})
		},
	}
	c.Flags().Int64Var(&after, "after", 0, "only the entries after this place (seq)")
	return c
}

// openForwarder sends the audit log on.
func openForwarder(h *house, l *live, node string) *telemetry.Forwarder {
	return telemetry.NewForwarder(telemetry.AuditOptions{
		Log: h.store, Node: node, Folder: l.started.Data, Now: time.Now,
		Client: func() *http.Client { return l.outside },
		Settings: func() telemetry.AuditSettings {
			a := l.config().Audit
			return telemetry.AuditSettings{File: a.File, URL: a.URL, Token: a.Token.Reveal()}
		},
	})
}

// auditLags is what the console shows of it.
func auditLags(f *telemetry.Forwarder) func(context.Context) ([]audit.Lag, error) {
	return func(ctx context.Context) ([]audit.Lag, error) {
		lags, err := f.Lags(ctx)
		var list []audit.Lag
		for _, l := range lags {
			list = append(list, audit.Lag(l))
		}
		return list, err
	}
}
