package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/meter"
	"stele/internal/price"
)

// wireStatement is a statement as scripts read it.
type wireStatement struct {
	Workspace string     `json:"workspace"`
	Month     string     `json:"month"`
	Lines     []wireLine `json:"lines"` // the first is the total
}

// wireLine is a line of a statement.
type wireLine struct {
	By        string        `json:"by"` // total, model, key, person or tag:NAME
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Requests  int64         `json:"requests"`
	Failed    int64         `json:"failed"`
	Unpriced  int64         `json:"unpriced_requests"`
	Input     int64         `json:"input_tokens"`
	CacheRead int64         `json:"cache_read_tokens"`
	CacheNew  int64         `json:"cache_write_tokens"`
	Output    int64         `json:"output_tokens"`
	Reasoning int64         `json:"reasoning_tokens"`
	Cost      *price.Amount `json:"cost_usd"` // null: nothing of it has a price
	Charge    *price.Amount `json:"charge_usd"`
}

func toWireLine(by, id, name string, f meter.Figures) wireLine {
	w := wireLine{
		By: by, ID: id, Name: name, Requests: f.Requests, Failed: f.Failed, Unpriced: f.Unpriced, Input: f.Input, CacheRead: f.CacheRead,
		CacheNew: f.CacheWrite, Output: f.Output, Reasoning: f.Reasoning,
	}
	if !f.Costless() {
		cost, charge := price.Amount(f.Nano), price.Amount(f.Charge())
		w.Cost, w.Charge = &cost, &charge
	}
	return w
}

func (p *program) moneyStatement() *cobra.Command {
	var workspace, month string
	var asCSV bool
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "statement", Short: "Print what a workspace used in a month", Args: cobra.NoArgs,
		Long: "Adds up what a workspace used in a month, in UTC: by model, key, person and tag. Each part adds up to the total, to the nano-dollar.\n" +
			"Requests without a price are counted, and are not in the sums.",
		Example: "  stele money statement --month 2026-10 --workspace acme --csv > acme-2026-10.csv",
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		if month == "" {
			now := time.Now().UTC()
			month = time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
		}
		from, until, err := meter.Month(month)
		if err != nil {
			return fmt.Errorf("--month is written as 2026-01, not %q", month)
		}
		s, err := h.Store.Statement(c.Context(), workspace, from, until)
		if err != nil {
			return err
		}
		name, err := statementNames(c, h, workspace)
		if err != nil {
			return err
		}
		if asCSV {
			return csv.NewWriter(c.OutOrStdout()).WriteAll(s.Table(name))
		}
		return printStatement(c, &s, name)
	})
	c.Flags().StringVar(&workspace, "workspace", access.DefaultWorkspace, "whose usage")
	c.Flags().StringVar(&month, "month", "", "such as 2026-11 (default: the last month that is over)")
	c.Flags().BoolVar(&asCSV, "csv", false, "print CSV")
	c.MarkFlagsMutuallyExclusive("csv", "json")
	return c
}

// statementNames is what people call keys and people.
func statementNames(c *cobra.Command, h *assembly.Installation, workspace string) (func(by meter.Split, id string) string, error) {
	who := access.CommandLine(workspace)
	keys, err := h.Access.Keys(c.Context(), who, workspace)
	if err != nil {
		return nil, err
	}
	people, err := h.Access.Accounts(c.Context(), who)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for i := range keys {
		names[keys[i].ID] = keys[i].Name
	}
	for i := range people {
		names[people[i].ID] = people[i].Email
	}
	return func(by meter.Split, id string) string {
		if by == meter.ByKey && id == "" {
			return "Console"
		}
		if by == meter.ByKey || by == meter.ByPerson {
			return cmp.Or(names[id], id)
		}
		return cmp.Or(id, meter.NoneNamed)
	}, nil
}

func printStatement(c *cobra.Command, s *meter.Statement, name func(by meter.Split, id string) string) error {
	lines := []wireLine{toWireLine("total", "", "", s.Total)}
	for _, section := range s.Sections {
		for _, g := range section.Groups {
			lines = append(lines, toWireLine(string(section.By), g.Name, name(section.By, g.Name), g.Figures))
		}
		if section.Rest.Requests != 0 {
			lines = append(lines, toWireLine(string(section.By), "", section.RestName(), section.Rest))
		}
	}
	if wantsJSON(c) {
		return printJSON(c, wireStatement{s.Workspace, s.Month(), lines})
	}
	fmt.Fprintf(c.OutOrStdout(), "%s, %s\n", s.Workspace, s.From.Format("January 2006"))
	return printTable(c, lines, "", "BY\tNAME\tREQUESTS\tUNPRICED\tINPUT\tOUTPUT\tCOST\tCHARGE", func(w wireLine) []string {
		cost, charge := "not known", "not known"
		if w.Cost != nil {
			cost, charge = "$"+w.Cost.Decimal(), "$"+w.Charge.Decimal()
		}
		return []string{w.By, w.Name, fmt.Sprint(w.Requests), fmt.Sprint(w.Unpriced), fmt.Sprint(w.Input + w.CacheRead + w.CacheNew), fmt.Sprint(w.Output + w.Reasoning), cost, charge}
	})
}
