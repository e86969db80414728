package catalog

import (
	"time"

	"stele/internal/chat"
	"stele/internal/price"
)

// Where the price of a request is from, as its record says.
const (
	FromBook     = "book"
	FromFile     = "file"
	FromConsole  = "console"
	FromUpstream = "upstream" // it said so itself
	FromModel    = "model"    // a media model's own
	Unpriced     = "none"     // not known, which is not free
)

// Prices are what targets cost: the operator's own list, by accounts, before the book,
// by kinds.
type Prices struct {
	Own      *price.List
	Accounts map[string]Account
}

// Account is what the price of a provider's models depends on.
type Account struct {
	Part  string // of the book
	Bills bool   // its answers say what they cost, and that counts
}

// TargetPrice is what a target costs, and where that is from.
type TargetPrice struct {
	*price.Price // nil: it is unpriced
	Source       string
}

// Price is what a model costs at one of its targets: the operator's price for the target
// that is valid then; else the one of the model; else the book's.
func (c *Catalog) Price(m *Model, t Target, at time.Time) TargetPrice {
	p, _ := c.Quote(m, t, at)
	return p
}

// Quote is Price, and what the book knows of the target; nil where it knows nothing.
func (c *Catalog) Quote(m *Model, t Target, at time.Time) (TargetPrice, *price.Entry) {
	prices := &c.contents.Load().Prices
	book, _ := prices.book(t)
	if e, ok := prices.Own.Lookup(t.Provider, t.Model); ok {
		if p := e.At(at); p != nil {
			return TargetPrice{p, p.Source}, book
		}
	}
	if m != nil && m.Price != nil && !at.Before(m.Price.From) {
		return TargetPrice{m.Price, m.Price.Source}, book
	}
	if book != nil {
		if p := book.At(at); p != nil {
			return TargetPrice{p, FromBook}, book
		}
	}
	return TargetPrice{Source: Unpriced}, book
}

// Cost is what a call cost.
type Cost struct {
	Nano    int64  // billionths of a USD
	Known   bool   // otherwise it is unpriced, which is not free
	Source  string // where the price is from
	Version string // of the price list
	Rates   string // what was applied, as price.Sheet writes it
}

// Cost is what a call of a model cost at the target that served it: what the upstream
// itself says, where its word counts, else by the prices of the time it began.
func (c *Catalog) Cost(m *Model, t Target, u chat.Usage, began time.Time) Cost {
	return c.CostAt(c.Price(m, t, began), t, u, began)
}

// CostAt is Cost at a price that was looked up before the call.
func (c *Catalog) CostAt(p TargetPrice, t Target, u chat.Usage, began time.Time) Cost {
	if u.BilledKnown && c.contents.Load().Prices.Accounts[t.Provider].Bills {
		return Cost{Nano: u.Billed, Known: true, Source: FromUpstream}
	}
	return c.rateTarget(p, t, u, began)
}

// RateCall reckons what a call costs by the price lists, whatever its upstream said. What another model
// took of it has that model's price, or the target's where that one has none.
func (c *Catalog) RateCall(m *Model, t Target, u chat.Usage, began time.Time) Cost {
	return c.rateTarget(c.Price(m, t, began), t, u, began)
}

func (c *Catalog) rateTarget(p TargetPrice, t Target, u chat.Usage, began time.Time) Cost {
	if p.Price == nil {
		return Cost{Source: p.Source}
	}
	if a := u.Advised; a != nil {
		if advice := c.RateCall(nil, Target{Provider: t.Provider, Model: a.Model}, a.Usage, began); advice.Known {
			own := c.rateTarget(p, t, u.Own(), began)
			own.Nano += advice.Nano
			return own
		}
	}
	usage := UsageOf(u)
	return Cost{
		Nano: int64(price.Rate(p.Sheet, usage, u.Tier)), Known: true, Source: p.Source, Version: p.Version, Rates: p.AppliedRates(&usage, u.Tier),
	}
}

// UsageOf is usage in the classes that have prices.
func UsageOf(u chat.Usage) price.Usage {
	return price.Usage{Searches: u.Searches, Tokens: [price.Classes]int64{
		price.Input:       u.Input - u.Of.AudioInput - u.Of.ImageInput,
		price.CachedInput: u.CacheRead - u.Of.AudioCached - u.Of.ImageCached,
		price.CacheWrite:  u.CacheWrite - u.CacheWrite1h, price.CacheWrite1h: u.CacheWrite1h,
		price.Output: u.Output - u.Of.AudioOutput - u.Of.ImageOutput, price.Reasoning: u.Reasoning,
		price.AudioInput: u.Of.AudioInput, price.AudioCached: u.Of.AudioCached, price.AudioOutput: u.Of.AudioOutput,
		price.ImageInput: u.Of.ImageInput, price.ImageCached: u.Of.ImageCached, price.ImageOutput: u.Of.ImageOutput,
	}}
}

// Entry is what the book knows of a target: its price and its facts.
func (c *Catalog) Entry(t Target) (*price.Entry, bool) { return c.contents.Load().Prices.book(t) }

func (p *Prices) book(t Target) (*price.Entry, bool) {
	account, ok := p.Accounts[t.Provider]
	if !ok {
		return nil, false
	}
	return price.BuiltIn().Lookup(account.Part, t.Model)
}
