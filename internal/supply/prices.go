package supply

import (
	"net/url"

	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/price"
)

// Prices are what a configuration's targets cost.
func Prices(cfg *config.Config, kinds []config.Kind) catalog.Prices {
	p := catalog.Prices{Accounts: map[string]catalog.Account{config.Builtin: {Part: config.Builtin}}}
	bills := make(map[string]bool)
	for _, k := range kinds {
		bills[k.Name] = k.Bills
	}
	for _, account := range cfg.Providers {
		host := ""
		if u, err := url.Parse(account.BaseURL); err == nil {
			host = u.Hostname()
		}
		part := price.Part(account.Kind, host)
		p.Accounts[account.Name] = catalog.Account{Part: part, Bills: bills[part]}
	}
	p.Own = price.NewList(ownPrices(cfg.Prices))
	return p
}

// ownPrices are the operator's prices, those of one target together: of all that are valid
// the newest counts, and of equally new ones the file's.
func ownPrices(list config.TargetPrices) []*price.Entry {
	var entries []*price.Entry
	byName := make(map[string]*price.Entry)
	for _, t := range list {
		e := byName[t.Name]
		if e == nil {
			e = &price.Entry{Provider: t.Provider, Names: []string{t.Model}}
			byName[t.Name] = e
			entries = append(entries, e)
		}
		e.Prices = append(e.Prices, *OwnPrice(t.Price, t.Console))
		e.Source = e.Prices[0].Source
	}
	return entries
}

// OwnPrice is a price of the operator's; nil where there is none.
func OwnPrice(p config.Price, console bool) *price.Price {
	if p.Sheet == nil {
		return nil
	}
	out := price.NewPrice(p.Sheet, p.From, nil)
	out.Source = catalog.FromFile
	if console {
		out.Source = catalog.FromConsole
	}
	return &out
}
