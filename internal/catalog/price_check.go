package catalog

import (
	"time"

	"stele/internal/access"
)

// old is how long ago a price may have been checked.
const old = 270 * 24 * time.Hour

// PriceProblem is what is wrong with the price of a model's target.
type PriceProblem struct {
	Model  string
	Target Target
	Sort   string // unpriced, retired, retires, old
	Said   string
}

// CheckPrices lists the targets without a price, those whose maker has retired them or
// will, and those whose price was looked at long ago.
func (c *Catalog) CheckPrices(now time.Time) (list []PriceProblem) {
	for _, m := range c.Models(access.Scope{}) {
		for _, t := range m.Targets {
			add := func(sort, said string) { list = append(list, PriceProblem{m.ID, t, sort, said}) }
			cost := c.Price(&m, t, now)
			if cost.Price == nil {
				add("unpriced", "unpriced: neither the book nor you know what it costs")
			}
			e, ok := c.Entry(t)
			if !ok {
				continue
			}
			next := ""
			if e.Traits.Next != "" {
				next = "; its maker names " + e.Traits.Next
			}
			if day, err := time.Parse(time.DateOnly, e.Traits.Retires); err == nil {
				if now.Before(day) {
					add("retires", "retires on "+e.Traits.Retires+next)
				} else {
					add("retired", "retired since "+e.Traits.Retires+next)
				}
			}
			if day, err := time.Parse(time.DateOnly, e.Checked); err == nil && cost.Source == FromBook && now.Sub(day) > old {
				add("old", "its price was checked on "+e.Checked)
			}
		}
	}
	return list
}
