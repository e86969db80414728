package meter

import (
	"stele/internal/access"
	"stele/internal/catalog"
)

// Rerated is a record and what it costs by other price lists.
type Rerated struct {
	Record Record // as it is kept
	Cost   catalog.Cost
}

// Delta is what the new price adds to what was used.
func (r *Rerated) Delta() Figures {
	d := Figures{Nano: r.Cost.Nano - r.Record.Nano}
	if r.Record.PriceSource == catalog.Unpriced {
		d.Unpriced--
	}
	if r.Cost.Source == catalog.Unpriced {
		d.Unpriced++
	}
	return d
}

// Rerate rates a record again by the prices that c has for its time, and reports whether
// anything about its price is another now. What an upstream said itself stays, and so
// does what is not sold by the token.
func (r *Record) Rerate(c *catalog.Catalog) (Rerated, bool) {
	used := r.Input+r.CacheRead+r.CacheWrite+r.Output+r.Reasoning > 0
	if !used || r.Provider == "" || r.PriceSource == catalog.FromUpstream || r.PriceSource == catalog.FromModel {
		return Rerated{}, false
	}
	m, err := c.Model(r.Model, access.Scope{})
	if err != nil {
		m = nil // it is offered no more; its target may still have a price
	}
	again := Rerated{*r, c.RateCall(m, catalog.Target{Provider: r.Provider, Model: r.Target}, r.Usage(), r.At)}
	same := again.Cost.Nano == r.Nano && again.Cost.Known == r.Priced && again.Cost.Rates == r.Rates
	return again, !same
}
