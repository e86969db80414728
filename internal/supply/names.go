package supply

import (
	"encoding/json"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/config"
)

// Name is a name for all as people see it.
type Name struct {
	access.Name

	Origin   Origin
	Wrong    map[string]string
	Revision int64
}

// namesOf are those of a configuration that lead to models.
func namesOf(cfg *config.Config) (list access.Names) {
	for _, n := range cfg.Names {
		list = append(list, access.Name{Pattern: n.Pattern, Model: n.Model})
	}
	return list
}

// Names lists the names for all, those of the file first.
func (s *Supply) Names() []Name {
	file, records, faults := s.sources()
	var list []Name
	for _, n := range file.Names {
		list = append(list, Name{Name: access.Name{Pattern: n.Pattern, Model: n.Model}, Origin: originOf(file, "name "+n.Pattern)})
	}
	for _, o := range records {
		if o.Sort == catalog.NameRecord {
			list = append(list, ShowName(&o, faults[o.Name()]))
		}
	}
	return list
}

// ShowName is a name of the database as people see it.
func ShowName(o *catalog.UnsealedRecord, wrong map[string]string) Name {
	var fields struct{ Model string }
	_ = json.Unmarshal(o.Fields, &fields) // what cannot be read is in wrong
	return Name{Name: access.Name{Pattern: o.ID, Model: fields.Model}, Wrong: wrong, Revision: o.Revision}
}
