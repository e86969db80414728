package supply

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stele/internal/catalog"
	"stele/internal/config"
)

// SecretsBox is what the secrets of providers in the database are sealed with.
const SecretsBox = "provider secrets"

// Reach says where the secrets of a record are sent; "" is nowhere.
func Reach(by Connector) func(catalog.StoredRecord) string {
	return func(r catalog.StoredRecord) string {
		if r.Sort != catalog.ProviderRecord {
			return ""
		}
		return by.Origin(config.ReadProvider(config.Record{Name: r.ID, Fields: r.Fields}))
	}
}

// merge is a configuration with records beside what its file has. What is wrong
// with one record keeps no other from counting.
func (s *Supply) merge(file *config.Config, records []catalog.UnsealedRecord) (*config.Config, catalog.Faults) {
	faults := make(catalog.Faults)
	var providers, models, prices, names []config.Record
	for _, o := range records {
		words, err := o.Words()
		switch {
		case o.Locked:
			faults[o.Name()] = map[string]string{"": "Its secrets were sealed with another master key. Set them again."}
		case o.Moved:
			faults[o.Name()] = map[string]string{"": "Its secrets were entered for another address. Set them again."}
		case err != nil:
			faults[o.Name()] = map[string]string{"": "It cannot be read."}
		case o.Sort == catalog.ModelRecord:
			models = append(models, config.Record{Name: o.ID, Fields: words, Off: !o.Enabled})
		case o.Sort == catalog.PriceRecord:
			prices = append(prices, config.Record{Name: o.ID, Fields: words, Off: !o.Enabled})
		case o.Sort == catalog.NameRecord:
			names = append(names, config.Record{Name: o.ID, Fields: words, Off: !o.Enabled})
		default:
			one := config.Record{Name: o.ID, Fields: words, Off: !o.Enabled}
			if field, why := s.whyUnopenable(file, one); why != "" {
				faults[o.Name()] = map[string]string{field: why}
				continue
			}
			providers = append(providers, one)
		}
	}
	both := file.With(s.o.Connector.Kinds(), providers, models)
	for name, wrong := range both.Providers {
		faults[string(catalog.ProviderRecord)+" "+name] = wrong
	}
	for id, wrong := range both.Models {
		faults[string(catalog.ModelRecord)+" "+id] = wrong
	}
	for name := range both.Covered {
		sort, id := catalog.ProviderRecord, name
		if model, ok := strings.CutPrefix(name, "model "); ok {
			sort, id = catalog.ModelRecord, model
		}
		faults[string(sort)+" "+id] = map[string]string{"id": fmt.Sprintf("The configuration has a %s of this name, which counts instead.", sort)}
	}
	cfg, wrongPrices := both.WithPrices(s.o.Connector.Kinds(), prices)
	for name, wrong := range wrongPrices {
		faults[string(catalog.PriceRecord)+" "+name] = wrong
	}
	cfg, wrongNames := cfg.WithNames(names)
	for name, wrong := range wrongNames {
		faults[string(catalog.NameRecord)+" "+name] = wrong
	}
	return cfg, faults
}

// whyUnopenable says why no client could be made of a provider that is otherwise right.
func (s *Supply) whyUnopenable(file *config.Config, o config.Record) (field, why string) {
	o.Off = false
	kinds := s.o.Connector.Kinds()
	both := file.With(kinds, []config.Record{o}, nil)
	if len(both.Providers) > 0 || both.Covered[o.Name] {
		return "", "" // that is told otherwise
	}
	account := both.Config.Providers[len(both.Config.Providers)-1]
	_, chats := s.o.Connector.Chat(account, EgressClients{})
	_, makes := s.o.Connector.Maker(account, MakerOptions{})
	err := errors.Join(chats, makes)
	if err == nil {
		return "", ""
	}
	text := strings.TrimPrefix(err.Error(), "provider "+account.Name+": ")
	if strings.Contains(text, "base_url") {
		field = "base_url"
	}
	kind := slices.IndexFunc(kinds, func(k config.Kind) bool { return k.Name == account.Kind })
	for _, option := range kinds[kind].Options {
		if strings.Contains(text, option.Name) {
			field = "options." + option.Name
			break
		}
	}
	return field, strings.ToUpper(text[:1]) + text[1:] + "."
}
