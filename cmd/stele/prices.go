package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/price"
)

func (p *program) prices() *cobra.Command {
	return group("prices", "What models cost: the price book, what it does not know, and rating again",
		p.pricesList(), p.pricesShow(), p.pricesCheck(), p.pricesRerate())
}

// wirePrice is an entry of the price book as scripts read it.
type wirePrice struct {
	Kind      string   `json:"kind"`
	Model     string   `json:"model"`
	Names     []string `json:"names"`
	Price     string   `json:"price"` // now, as price.Sheet writes it
	Input     string   `json:"input_usd_per_million,omitempty"`
	Output    string   `json:"output_usd_per_million,omitempty"`
	Version   string   `json:"version"`
	Window    int64    `json:"context_window,omitempty"`
	MaxOutput int64    `json:"max_output,omitempty"`
	Takes     []string `json:"input_modalities,omitempty"`
	Gives     []string `json:"output_modalities,omitempty"`
	Can       []string `json:"capabilities,omitempty"`
	Retires   string   `json:"retires,omitempty"`
	Successor string   `json:"successor,omitempty"`
	Source    string   `json:"source"`
	Checked   string   `json:"checked"`
}

func toWirePrice(kind string, e *price.Entry) wirePrice {
	w := wirePrice{
		Kind: kind, Model: e.Names[0], Names: e.Names, Window: e.Traits.Window, MaxOutput: e.Traits.Output, Takes: e.Traits.Takes, Gives: e.Traits.Gives,
		Can: e.Traits.Can, Retires: e.Traits.Retires, Successor: e.Traits.Next, Source: e.Source, Checked: e.Checked,
	}
	if now := e.At(time.Now()); now != nil {
		w.Price, w.Version = now.Sheet.Text(), now.Version
		w.Input, w.Output = ownRate(now.Sheet, price.Input), ownRate(now.Sheet, price.Output)
	}
	return w
}

func ownRate(s *price.Sheet, c price.Class) string {
	if usd, ok := s.Rates.Own(c); ok {
		return usd.String()
	}
	return ""
}

func (p *program) pricesList() *cobra.Command {
	var kind, search string
	c := jsonFlag(&cobra.Command{Use: "list", Short: "List what the price book knows", Args: cobra.NoArgs})
	c.RunE = func(c *cobra.Command, _ []string) error {
		kinds := price.BuiltIn().Kinds()
		if kind != "" {
			kinds = []string{kind}
		}
		list := []wirePrice{}
		for _, k := range kinds {
			for _, e := range price.BuiltIn().Of(k) {
				if (kind != "" || e.Provider == k) && matches(e, search) {
					list = append(list, toWirePrice(k, e))
				}
			}
		}
		return printTable(c, list, "The book has no such model.", "KIND\tMODEL\tINPUT\tOUTPUT\tWINDOW\tCHECKED", func(w wirePrice) []string {
			return []string{w.Kind, w.Model, w.Input, w.Output, orDash(w.Window), w.Checked}
		})
	}
	c.Flags().StringVar(&kind, "kind", "", "only this kind of provider, such as openai")
	c.Flags().StringVar(&search, "search", "", "only models whose names have this text")
	return c
}

func matches(e *price.Entry, search string) bool {
	return slices.ContainsFunc(e.Names, func(name string) bool { return strings.Contains(strings.ToLower(name), strings.ToLower(search)) })
}

func orDash(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func (p *program) pricesShow() *cobra.Command {
	var kind string
	c := jsonFlag(&cobra.Command{Use: "show MODEL", Short: "Show all that the price book knows of a model, by the upstream's name", Args: cobra.ExactArgs(1)})
	c.RunE = func(c *cobra.Command, args []string) error {
		list := []wirePrice{}
		var found []*price.Entry
		for _, k := range price.BuiltIn().Kinds() {
			e, ok := price.BuiltIn().Lookup(k, args[0])
			if ok && (kind == k || kind == "" && e.Provider == k && e.Names[0] != "*") {
				list, found = append(list, toWirePrice(k, e)), append(found, e)
			}
		}
		if len(list) == 0 {
			return fmt.Errorf("the price book has no %s: see stele prices list --search", args[0])
		}
		if wantsJSON(c) {
			return printJSON(c, list)
		}
		for i := range list {
			showPrice(c, list[i], found[i])
		}
		return nil
	}
	c.Flags().StringVar(&kind, "kind", "", "at this kind of provider")
	return c
}

func showPrice(c *cobra.Command, w wirePrice, e *price.Entry) {
	out := c.OutOrStdout()
	fmt.Fprintf(out, "%s %s\n", w.Kind, w.Model)
	for _, p := range e.Prices {
		since := ""
		if !p.From.IsZero() {
			since = " since " + p.From.Format(time.DateOnly)
		}
		for _, h := range p.Hours {
			since += fmt.Sprintf(" from %02d:%02d to %02d:%02d UTC", int(h.From.Hours()), int(h.From.Minutes())%60, int(h.Until.Hours()), int(h.Until.Minutes())%60)
		}
		fmt.Fprintf(out, "  price%s: %s (%s)\n", since, p.Sheet.Text(), p.Version)
	}
	for _, row := range [][2]string{
		{"also called", strings.Join(e.Names[1:], " ")}, {"window", orDash(w.Window)}, {"largest answer", orDash(w.MaxOutput)},
		{"takes", strings.Join(w.Takes, ", ")}, {"gives", strings.Join(w.Gives, ", ")}, {"can", strings.Join(w.Can, ", ")},
		{"retires", w.Retires}, {"successor", w.Successor}, {"source", w.Source + ", checked " + w.Checked},
	} {
		if row[1] != "" {
			fmt.Fprintf(out, "  %s: %s\n", row[0], row[1])
		}
	}
}

// wireUnpriced is what is wrong with the price of a target, as scripts read it.
type wireUnpriced struct {
	Model    string `json:"model"`
	Provider string `json:"provider"`
	Target   string `json:"target"`
	Problem  string `json:"problem"` // unpriced, retired, retires, old
	Said     string `json:"said"`
}

func (p *program) pricesCheck() *cobra.Command {
	return p.onInstallation(jsonFlag(&cobra.Command{
		Use: "check", Short: "Name the configured models without a price, and those that are retired or whose price is old", Args: cobra.NoArgs,
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		offered, err := h.Catalog(c.Context(), p.process())
		if err != nil {
			return err
		}
		list := []wireUnpriced{}
		for _, problem := range offered.CheckPrices(time.Now()) {
			list = append(list, wireUnpriced{problem.Model, problem.Target.Provider, problem.Target.Model, problem.Sort, problem.Said})
		}
		return printTable(c, list, "Every configured model has a price.", "MODEL\tPROVIDER\tTARGET\tPROBLEM", func(w wireUnpriced) []string {
			return []string{w.Model, w.Provider, w.Target, w.Said}
		})
	})
}
