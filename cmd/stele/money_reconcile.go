package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/meter"
	"stele/internal/meter/bill"
	"stele/internal/price"
	"stele/internal/supply"
)

// wireReconciled is a bill beside our count as scripts read it.
type wireReconciled struct {
	Provider string      `json:"provider"`
	Format   string      `json:"format"`
	Rows     int         `json:"rows"`
	Days     []wireDrift `json:"days"`
	Models   []wireDrift `json:"models"`
	Total    wireDrift   `json:"total"`
}

// wireDrift is what a provider billed beside what we counted.
type wireDrift struct {
	Day      string       `json:"day,omitempty"`
	Model    string       `json:"model,omitempty"`
	Theirs   price.Amount `json:"theirs_usd"`
	Ours     price.Amount `json:"ours_usd"`
	By       price.Amount `json:"difference_usd"` // ours less theirs
	Percent  *string      `json:"difference_percent"`
	Requests int64        `json:"requests"`
	Unpriced int64        `json:"unpriced_requests"`
	Marked   bool         `json:"marked"`
}

func toWireDrift(d meter.Drift) wireDrift {
	w := wireDrift{
		Model: d.Model, Theirs: price.Amount(d.Theirs), Ours: price.Amount(d.Ours), By: price.Amount(d.By()), Requests: d.Requests, Unpriced: d.Unpriced, Marked: d.Differs(),
	}
	if !d.Day.IsZero() {
		w.Day = d.Day.Format(time.DateOnly)
	}
	if hundredths, ok := d.Percent(); ok {
		text := fmt.Sprintf("%+.2f", float64(hundredths)/100)
		w.Percent = &text
	}
	return w
}

func (p *program) moneyReconcile() *cobra.Command {
	var provider string
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "reconcile --provider NAME FILE", Short: "Set a provider's own bill beside what was counted", Args: cobra.ExactArgs(1),
		Long: "Reads the cost export of a provider and sets it beside what was counted for its models, by day and model, in all workspaces.\n" +
			"It reads OpenAI's costs, Anthropic's cost report, Google's billing and OpenRouter's activity, as CSV or JSON, and finds out which one it is.\n" +
			"What differs by a cent and a hundredth or more is marked. Nothing is kept.",
		Example: "  stele money reconcile --provider openai cost_2026-11-01_2026-11-30.csv",
	}), func(c *cobra.Command, h *assembly.Installation, args []string) error {
		file, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer file.Close()
		theirs, err := bill.Read(file)
		if err != nil {
			return err
		}
		ours, err := h.Store.ProviderDays(c.Context(), provider, theirs.First, theirs.End)
		if err != nil {
			return err
		}
		if len(ours) == 0 { // nothing was counted, perhaps because it is called otherwise
			s, err := h.Supply(c.Context(), p.process())
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(s.Providers(c.Context()), func(known supply.Provider) bool { return known.ID == provider }) {
				return fmt.Errorf("there is no provider %q, and nothing was counted for one in these days: stele providers list shows them", provider)
			}
		}
		return printReconciled(c, provider, meter.Reconcile(theirs, ours))
	})
	c.Flags().StringVar(&provider, "provider", "", "the provider, as it is called in the configuration or the console")
	_ = c.MarkFlagRequired("provider")
	return c
}

func printReconciled(c *cobra.Command, provider string, r meter.Reconciled) error {
	w := wireReconciled{
		Provider: provider, Format: r.Bill.Format, Rows: r.Bill.Rows, Days: each(r.Days, toWireDrift), Models: each(r.Models, toWireDrift), Total: toWireDrift(r.Total),
	}
	if wantsJSON(c) {
		return printJSON(c, w)
	}
	out := c.OutOrStdout()
	fmt.Fprintf(out, "%s, %s, %d rows\n", provider, w.Format, w.Rows)
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "DAY\tMODEL\tTHEIRS\tOURS\tDIFFERENCE\tPERCENT\tUNPRICED\t")
	for _, d := range w.Models {
		printDrift(t, d, printable(cmp.Or(d.Model, "(not named)")))
	}
	for _, d := range w.Days {
		printDrift(t, d, "(all)")
	}
	w.Total.Day = "total"
	printDrift(t, w.Total, "(all)")
	if err := t.Flush(); err != nil {
		return err
	}
	if r.Bill.Other > 0 {
		fmt.Fprintf(out, "%s about other services left out\n", count(int64(r.Bill.Other), "row"))
	}
	if r.Bill.More {
		fmt.Fprintln(c.ErrOrStderr(), "stele: the export says that another page follows it: days may be missing")
	}
	return nil
}

func printDrift(t *tabwriter.Writer, d wireDrift, model string) {
	mark := ""
	if d.Marked {
		mark = "differs"
	}
	fmt.Fprintf(t, "%s\t%s\t$%s\t$%s\t%s\t%s\t%d\t%s\n", d.Day, model, d.Theirs.Decimal(), d.Ours.Decimal(), d.By.Decimal(), orText(d.Percent, "-"), d.Unpriced, mark)
}
