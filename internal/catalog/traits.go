package catalog

import (
	"maps"
	"slices"
	"time"

	"stele/internal/price"
)

// Traits are what is known of a model, whichever of its targets serves it.
type Traits struct {
	price.Traits

	Abilities map[string]bool // what the operator says of it, then what the book does; others are not known
	Price     *price.Sheet    // at its first target; nil: not known
	End       End
}

// End is when a model goes away.
type End struct {
	Known time.Time // since when that is known
	On    time.Time // zero: it does not go away, as far as is known
	Next  string    // what its maker names in its place
}

// Traits are what is known of a model. Of several targets the smallest figures that are
// known count, and an ability or a medium only if all of them are known to have it.
func (c *Catalog) Traits(m *Model, at time.Time) Traits {
	f := Traits{Abilities: maps.Clone(m.Capabilities), End: c.End(m)}
	for i, t := range m.Targets {
		var its price.Traits
		if e, ok := c.Entry(t); ok {
			its = e.Traits
		}
		f.Window, f.Output = least(f.Window, its.Window), least(f.Output, its.Output)
		if i == 0 {
			f.Takes, f.Gives, f.Can = its.Takes, its.Gives, its.Can
		} else {
			f.Takes, f.Gives, f.Can = common(f.Takes, its.Takes), common(f.Gives, its.Gives), common(f.Can, its.Can)
		}
	}
	for _, what := range f.Can {
		if _, said := f.Abilities[what]; !said {
			if f.Abilities == nil {
				f.Abilities = make(map[string]bool)
			}
			f.Abilities[what] = true
		}
	}
	if len(m.Targets) > 0 {
		if p := c.Price(m, m.Targets[0], at); p.Price != nil && p.Sheet.Known() {
			f.Price = p.Sheet
		}
	}
	return f
}

// End is when a model goes away: with the last of its targets, and only if all of them do.
func (c *Catalog) End(m *Model) (end End) {
	for i, t := range m.Targets {
		e, ok := c.Entry(t)
		if !ok || e.Traits.Retires == "" {
			return End{}
		}
		on, err := time.Parse(time.DateOnly, e.Traits.Retires)
		if err != nil {
			return End{}
		}
		known, err := time.Parse(time.DateOnly, e.Checked)
		if err != nil || known.After(on) {
			known = on
		}
		if on.After(end.On) {
			end.On = on
		}
		if known.After(end.Known) {
			end.Known = known
		}
		if i == 0 && !m.HideUpstream {
			end.Next = e.Traits.Next
		}
	}
	return end
}

// least is the smaller of two figures, of which one that is 0 is not known.
func least(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// common is what two lists have in common.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(one string) bool { return !slices.Contains(b, one) })
}
