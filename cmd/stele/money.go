package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/limit"
)

func (p *program) money() *cobra.Command {
	return group("money", "Check what was counted, print statements, compare with bills", p.moneyVerify(), p.moneyStatement(), p.moneyReconcile())
}

// wireVerified is a check of the money as scripts read it.
type wireVerified struct {
	Counters    int64            `json:"counters"`
	Partly      int64            `json:"partly"` // whose requests are not all kept any more
	Requests    int64            `json:"requests"`
	Differences []wireDifference `json:"differences"`
	More        int64            `json:"more"` // differences beyond those
}

// wireDifference is a counter that disagrees with what it is the sum of.
type wireDifference struct {
	Limit   string `json:"limit"`
	Subject string `json:"subject"`
	From    string `json:"from"`
	What    string `json:"what"`
	Counted int64  `json:"counted"` // nano-dollars, or what the limit counts
	Summed  int64  `json:"summed"`
}

func (p *program) moneyVerify() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{
		Use: "verify", Short: "Find out whether requests, counters and the ledger agree", Args: cobra.NoArgs,
		Long: "Adds up what every counter of every limit is the sum of, as it was at one moment: what requests took, what servers have on lease,\n" +
			"and what is in doubt. It prints each difference to the nano-dollar, and ends with status 1 if there is one. The server may run meanwhile.\n" +
			"What requests took is checked where all of them are still kept (retention.requests).",
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		v, err := h.VerifyMoney(c.Context())
		if err != nil {
			return err
		}
		w := wireVerified{Counters: v.Counters, Partly: v.Partly, Requests: v.Rows, Differences: each(v.Differences, toWireDifference), More: v.More}
		if err := printVerified(c, w); err != nil {
			return err
		}
		if len(w.Differences) > 0 {
			return errTold
		}
		return nil
	})
}

func toWireDifference(d limit.Difference) wireDifference {
	return wireDifference{
		Limit: d.Limit, Subject: strings.ReplaceAll(d.Subject, "\n", ", "), From: d.Start.UTC().Format(time.RFC3339), What: d.What,
		Counted: d.Counted, Summed: d.Summed,
	}
}

func printVerified(c *cobra.Command, w wireVerified) error {
	if wantsJSON(c) {
		return printJSON(c, w)
	}
	for _, d := range w.Differences {
		fmt.Fprintf(c.ErrOrStderr(), "stele: %s %q from %s: %s is %d, and adds up to %d (%+d)\n", d.Limit, d.Subject, d.From, d.What, d.Counted, d.Summed, d.Counted-d.Summed)
	}
	if w.More > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "stele: and %d more\n", w.More)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s (%d of them older than the requests that are kept), %s\n", count(w.Counters, "counter"), w.Partly, count(w.Requests, "request"))
	if len(w.Differences) == 0 {
		fmt.Fprintln(c.OutOrStdout(), "everything agrees")
	}
	return nil
}

// count is 1 counter, 2 counters.
func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
