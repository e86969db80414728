package supply

import (
	"encoding/json"
	"time"

	"stele/internal/catalog"
)

// TargetPrice is what an operator pays for a model at an account, as people see it.
type TargetPrice struct {
	ID       string // provider/model, by the upstream's name
	Line     string // as price.Sheet writes it
	From     string // the day it is valid from; "": always
	Origin   Origin
	Wrong    map[string]string
	Revision int64
}

// Catalog is what can be called, and what it costs.
func (s *Supply) Catalog() *catalog.Catalog { return s.o.Catalog }

// Prices lists the operator's own, those of the file first.
func (s *Supply) Prices() []TargetPrice {
	file, records, faults := s.sources()
	var list []TargetPrice
	for _, t := range file.Prices {
		p := TargetPrice{ID: t.Name, Line: t.Price.Sheet.Text(), Origin: originOf(file, "price "+t.Name)}
		if !t.Price.From.IsZero() {
			p.From = t.Price.From.Format(time.DateOnly)
		}
		list = append(list, p)
	}
	for _, o := range records {
		if o.Sort == catalog.PriceRecord {
			list = append(list, ShowPrice(&o, faults[o.Name()]))
		}
	}
	return list
}

// ShowPrice is a price of the database as people see it.
func ShowPrice(o *catalog.UnsealedRecord, wrong map[string]string) TargetPrice {
	var fields struct{ Sheet, From string }
	_ = json.Unmarshal(o.Fields, &fields) // what cannot be read is in wrong
	return TargetPrice{ID: o.ID, Line: fields.Sheet, From: fields.From, Wrong: wrong, Revision: o.Revision}
}
