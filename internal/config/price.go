package config

import (
	"strings"
	"time"

	"stele/internal/label"
	"stele/internal/manifest"
	"stele/internal/price"
)

// Price is what a model's tokens cost. The zero value says nothing.
type Price struct {
	Sheet *price.Sheet
	From  time.Time // valid since; zero: always
}

// UnmarshalManifest reads a mapping from classes of tokens to USD for a million of them,
// or the whole sheet as one text, as price.Sheet writes it.
func (p *Price) UnmarshalManifest(n *manifest.Node) {
	if n.Kind() != manifest.Mapping {
		var err error
		if p.Sheet, err = price.ReadSheet(n.Text()); err != nil {
			n.Report("expected a mapping, or a line such as 1.25 0.125 - 10: %s", err)
		}
		return
	}
	sheet := new(price.Sheet)
	for name, value := range n.Entries() {
		p.readField(sheet, name, value)
	}
	if p.Sheet == nil && sheet.Known() {
		p.Sheet = sheet
	}
}

// readField reads one price. Everything is in USD: for a million tokens, or for one request.
func (p *Price) readField(sheet *price.Sheet, name string, value *manifest.Node) {
	switch name {
	case "from":
		day, err := time.Parse(time.DateOnly, value.Text())
		if err != nil {
			value.Report("expected a day such as 2026-12-31")
		}
		p.From = day
		return
	case "sheet":
		var err error
		if p.Sheet, err = price.ReadSheet(value.Text()); err != nil {
			value.Report("%s", err)
		}
		return
	}
	class, ok := price.ClassByName(name)
	if !ok && name != "request" && name != "search" {
		value.Report("unknown field")
		return
	}
	usd, problem := readAmount(value)
	switch {
	case problem != "":
		value.Report("%s", problem)
	case name == "request":
		sheet.PerRequest = usd
	case name == "search":
		sheet.PerSearch = usd
	default:
		sheet.Rates.Set(class, usd)
	}
}

func readAmount(n *manifest.Node) (price.Amount, string) {
	text := n.Text()
	switch usd, err := price.Parse(text); {
	case err == nil:
		return usd, ""
	case strings.HasPrefix(text, "-"):
		return 0, "must not be negative"
	case n.Kind() == manifest.Int || n.Kind() == manifest.Float:
		return 0, err.Error()
	}
	return 0, "expected a number, found " + n.Kind().String()
}

// TargetPrice is what a model costs at one account, by the upstream's name.
type TargetPrice struct {
	Name            string // provider/model, as it is written
	Provider, Model string // the model may end in *: all that begin so
	Price           Price
	Console         bool // from the database rather than from the file
}

// TargetPrices are prices in the order of the file.
type TargetPrices []TargetPrice

// UnmarshalManifest reads a mapping from provider/model to price.
func (list *TargetPrices) UnmarshalManifest(n *manifest.Node) {
	for name, value := range n.Entries() {
		t := TargetPrice{Name: name}
		t.Provider, t.Model, _ = strings.Cut(name, "/")
		value.Decode(&t.Price)
		*list = append(*list, t)
	}
}

func (c *checker) checkPrices() {
	for _, t := range c.cfg.Prices {
		at := manifest.At("prices", t.Name)
		switch {
		case t.Provider == "" || !label.IsModelID(t.Model):
			c.report(at, "expected provider/model, such as openai/gpt-5 or openai/gpt-5*")
		case c.noProvider(t.Provider) != "":
			c.report(at, "%s", c.noProvider(t.Provider))
		case t.Price.Sheet == nil && len(c.doc.Problems()) == 0:
			c.report(at, "neither input nor output has a price")
		}
	}
}

// WithPrices adds prices that are kept elsewhere than in the file, and says what is wrong
// with which.
func (c *Config) WithPrices(kinds []Kind, records []Record) (*Config, map[string]Wrong) {
	next := *c
	next.Prices = append(TargetPrices(nil), c.Prices...)
	bad := make(map[string]Wrong)
	for _, o := range records {
		check := readRecord(kinds, "prices", o)
		if len(check.cfg.Prices) != 1 {
			bad[o.Name] = Wrong{"": "It cannot be read."}
			continue
		}
		check.cfg.Providers = c.Providers
		check.checkPrices()
		if wrong := check.wrongFields(manifest.At("prices", o.Name)); len(wrong) > 0 {
			bad[o.Name] = wrong
			continue
		}
		t := check.cfg.Prices[0]
		t.Console = true
		if !o.Off {
			next.Prices = append(next.Prices, t)
		}
	}
	return &next, bad
}
