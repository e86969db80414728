package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/fault"
	"stele/internal/media"
	"stele/internal/provider"
	"stele/internal/provider/blueprint"
)

// offerBox is what the secrets of providers in the database are sealed with.
const offerBox = "provider secrets"

// stock is what is offered now: the file's side and the database's.
type stock struct {
	file   *config.Config
	offers []catalog.OpenOffer
	faults catalog.Faults // what is wrong with which offers
}

// reachOf is where the secrets of an offer are sent: what kind of account it is,
// and scheme, host and port. "" has none.
func reachOf(o catalog.Offer) string {
	if o.Sort != catalog.ProviderOffer {
		return ""
	}
	account := accountOf(config.ReadProvider(config.Offer{Name: o.ID, Fields: o.Fields}))
	origin, err := account.Origin()
	if err != nil {
		return account.Kind.Name + " nowhere"
	}
	return account.Kind.Name + " " + origin
}

// takeOffers makes these the offers that count beside the file.
func (l *live) takeOffers(offers []catalog.OpenOffer) error {
	l.reloading.Lock()
	defer l.reloading.Unlock()
	read := l.read
	l.read = nil
	return l.settle(l.stock.Load().file, read, offers)
}

// tryOffers says what would be wrong if these were the offers.
func (l *live) tryOffers(offers []catalog.OpenOffer) catalog.Faults {
	_, faults := combine(l.stock.Load().file, offers)
	return faults
}

// settle offers what a file and the database have together. Read are the file's
// own contents where they are known already.
func (l *live) settle(file *config.Config, read *contents, offers []catalog.OpenOffer) error {
	cfg, faults := file, catalog.Faults(nil)
	if len(offers) > 0 {
		cfg, faults = combine(file, offers)
		read = nil
	}
	if read == nil {
		all, err := readContents(cfg)
		if err != nil {
			return err
		}
		read = &all
	}
	if err := l.offer(cfg, *read); err != nil {
		return err
	}
	l.stock.Store(&stock{file, offers, faults})
	l.take(cfg)
	return nil
}

// combine is a configuration with offers beside what its file has. What is wrong
// with an offer keeps no other from counting.
func combine(file *config.Config, offers []catalog.OpenOffer) (*config.Config, catalog.Faults) {
	faults := make(catalog.Faults)
	var providers, models []config.Offer
	for _, o := range offers {
		words, err := o.Words()
		switch {
		case o.Locked:
			faults[o.Name()] = map[string]string{"": "Its secrets were sealed with another master key. Set them again."}
		case o.Moved:
			faults[o.Name()] = map[string]string{"": "Its secrets were entered for another address. Set them again."}
		case err != nil:
			faults[o.Name()] = map[string]string{"": "It cannot be read."}
		case o.Sort == catalog.ModelOffer:
			models = append(models, config.Offer{Name: o.ID, Fields: words, Off: !o.Enabled})
		default:
			one := config.Offer{Name: o.ID, Fields: words, Off: !o.Enabled}
			if field, why := unopenable(file, one); why != "" {
				faults[o.Name()] = map[string]string{field: why}
				continue
			}
			providers = append(providers, one)
		}
	}
	both := file.With(kinds(), providers, models)
	for name, wrong := range both.Providers {
		faults[string(catalog.ProviderOffer)+" "+name] = wrong
	}
	for id, wrong := range both.Models {
		faults[string(catalog.ModelOffer)+" "+id] = wrong
	}
	for name := range both.Covered {
		sort, id := catalog.ProviderOffer, name
		if model, ok := strings.CutPrefix(name, "model "); ok {
			sort, id = catalog.ModelOffer, model
		}
		faults[string(sort)+" "+id] = map[string]string{"id": fmt.Sprintf("The configuration has a %s of this name, which counts instead.", sort)}
	}
	return both.Config, faults
}

// unopenable says why no client could be made of a provider that is otherwise right.
func unopenable(file *config.Config, o config.Offer) (field, why string) {
	o.Off = false
	both := file.With(kinds(), []config.Offer{o}, nil)
	if len(both.Providers) > 0 || both.Covered[o.Name] {
		return "", "" // that is told otherwise
	}
	account := accountOf(both.Config.Providers[len(both.Config.Providers)-1])
	var err error
	if d, ok := dialects()[account.Kind.Dialect]; ok {
		_, err = provider.Open(account, d, nil)
	}
	if blueprint.Makes(account.Kind.Name) {
		_, makes := blueprint.Open(account, blueprint.Options{})
		err = errors.Join(err, makes)
	}
	if err == nil {
		return "", ""
	}
	text := strings.TrimPrefix(err.Error(), "provider "+account.Name+": ")
	if strings.Contains(text, "base_url") {
		field = "base_url"
	}
	for _, option := range account.Kind.Options {
		if strings.Contains(text, option.Name) {
			field = "options." + option.Name
			break
		}
	}
	return field, strings.ToUpper(text[:1]) + text[1:] + "."
}

// renewed lists the providers whose account is not what it was, the new and the
// gone ones included.
func renewed(before map[string]string, cfg *config.Config) (now map[string]string, changed []string) {
	now = make(map[string]string, len(cfg.Providers))
	for _, p := range cfg.Providers {
		now[p.Name] = fmt.Sprintf("%+v", accountOf(p))
		if was, ok := before[p.Name]; ok && was != now[p.Name] {
			changed = append(changed, p.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, still := now[name]; !still {
			changed = append(changed, name)
		}
	}
	return now, changed
}

// seen tells the router how an order of media went.
func (l *live) seen(provider string, err error) {
	if err == nil {
		l.router.Note(provider, nil)
		return
	}
	f := media.Failing(err)
	switch f.Class {
	case media.Auth:
		l.router.Note(provider, fault.New(fault.UpstreamError, "%s", f.Message).With("credentials", true))
	case media.Quota, media.Rate, media.Concurrency:
		l.router.Note(provider, fault.New(fault.RateLimited, "%s", f.Message))
	case media.Transient, media.SubmitUnknown, media.Late, media.ModelFailed:
		l.router.Note(provider, fault.New(fault.UpstreamError, "%s", f.Message))
	case media.BadInput, media.PolicyInput, media.PolicyOutput, media.Gone:
		l.router.Note(provider, nil) // it answered
	case media.Stopped:
	}
}
