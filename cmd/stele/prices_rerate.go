package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/meter"
	"stele/internal/price"
)

// wireRerated is what rating again makes of the requests of one target.
type wireRerated struct {
	Provider string       `json:"provider"`
	Target   string       `json:"target"`
	Requests int          `json:"requests"`
	Before   price.Amount `json:"usd_before"`
	After    price.Amount `json:"usd_after"`
	Unpriced int          `json:"unpriced"`
}

func (p *program) pricesRerate() *cobra.Command {
	var from, to string
	var write bool
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "rerate", Short: "Rate requests again by today's price lists, and show the difference", Args: cobra.NoArgs,
		Long: "Rates requests again: by the price that the lists have now for the time of each request.\n" +
			"What an upstream said itself stays. Without --write nothing is changed.",
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		since, until, err := span(from, to, time.Now())
		if err != nil {
			return err
		}
		by, err := h.Catalog(c.Context(), p.process())
		if err != nil {
			return err
		}
		sums := make(map[[2]string]*wireRerated)
		looked, written, err := h.Rerate(c.Context(), by, since, until, write, func(r *meter.Rerated) { addRerated(sums, r) })
		if err != nil {
			return err
		}
		list := make([]wireRerated, 0, len(sums))
		for _, key := range slices.SortedFunc(maps.Keys(sums), func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }) {
			list = append(list, *sums[key])
		}
		if err := printTable(c, list, "", "PROVIDER\tTARGET\tREQUESTS\tBEFORE\tAFTER\tUNPRICED", func(w wireRerated) []string {
			return []string{w.Provider, w.Target, fmt.Sprint(w.Requests), w.Before.Exact(), w.After.Exact(), fmt.Sprint(w.Unpriced)}
		}); err != nil || wantsJSON(c) {
			return err
		}
		return say(c, nil, "%d requests looked at, %d written.\n", looked, written)
	})
	c.Flags().StringVar(&from, "from", "", "the first day, such as 2026-11-01 (default: 30 days ago)")
	c.Flags().StringVar(&to, "to", "", "the first day that is not in it (default: now)")
	c.Flags().BoolVar(&write, "write", false, "write the difference, with a line in the audit log")
	return c
}

func addRerated(sums map[[2]string]*wireRerated, r *meter.Rerated) {
	key := [2]string{r.Record.Provider, r.Record.Target}
	if sums[key] == nil {
		sums[key] = &wireRerated{Provider: r.Record.Provider, Target: r.Record.Target}
	}
	sum := sums[key]
	sum.Requests++
	sum.Before += price.Amount(r.Record.Nano)
	sum.After += price.Amount(r.Cost.Nano)
	if !r.Cost.Known {
		sum.Unpriced++
	}
}

// span is the days that two texts mean, in UTC.
func span(from, to string, now time.Time) (since, until time.Time, err error) {
	since, until = now.AddDate(0, 0, -30), now
	for _, end := range []struct {
		name, text string
		to         *time.Time
	}{{"--from", from, &since}, {"--to", to, &until}} {
		if end.text == "" {
			continue
		}
		if *end.to, err = time.Parse(time.DateOnly, end.text); err != nil {
			return since, until, fmt.Errorf("%s: expected a day such as 2026-11-01", end.name)
		}
	}
	if !since.Before(until) {
		return since, until, errors.New("--from must be before --to")
	}
	return since, until, nil
}
