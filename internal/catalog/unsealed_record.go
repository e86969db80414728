package catalog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stele/internal/seal"
)

// UnsealedRecord is a record with its secrets, for those who make calls with them.
type UnsealedRecord struct {
	StoredRecord

	Secrets map[string]string // by their fields: api_key, options.session_token
	Locked  bool              // the secrets were sealed with another master key
	Moved   bool              // the secrets were entered for another address
}

// Faults says what is wrong with which records: sentences by field, by Name.
type Faults map[string]map[string]string

// WrongRecord says why a record is not saved or removed.
type WrongRecord struct { //nolint:errname // what callers say: catalog.WrongRecord
	Fields map[string]string // sentences by field; "" is the record as a whole
	Broken []string          // other records that would not work any more
}

// Sentences are what is wrong, in the order of the fields.
func Sentences(wrong map[string]string) []string {
	list := []string{}
	for _, field := range slices.Sorted(maps.Keys(wrong)) {
		list = append(list, cmp.Or(wrong[field], field))
	}
	return list
}

func (w *WrongRecord) Error() string { return fmt.Sprintf("the record is wrong: %v", w.Fields) }

// Name tells records of both sorts apart.
func (o *UnsealedRecord) Name() string { return string(o.Sort) + " " + o.ID }

func unseal(o StoredRecord, box *seal.Box, reach string) UnsealedRecord {
	out := UnsealedRecord{StoredRecord: o}
	if len(o.Sealed) == 0 {
		return out
	}
	plain, err := box.OpenFor(reach, o.Sealed)
	if errors.Is(err, seal.ErrContext) {
		out.Moved = true
	} else if err != nil || json.Unmarshal(plain, &out.Secrets) != nil {
		out.Locked = true
	}
	return out
}

// Words is the record as the configuration file would have it, secrets included.
func (o *UnsealedRecord) Words() ([]byte, error) {
	if len(o.Secrets) == 0 {
		return o.Fields, nil
	}
	var words map[string]any
	if err := json.Unmarshal(o.Fields, &words); err != nil {
		return nil, fmt.Errorf("read %s: %w", o.Name(), err)
	}
	for field, secret := range o.Secrets {
		into := words
		for {
			first, rest, deeper := strings.Cut(field, ".")
			if !deeper {
				into[first] = secret
				break
			}
			inner, ok := into[first].(map[string]any)
			if !ok {
				inner = make(map[string]any)
				into[first] = inner
			}
			into, field = inner, rest
		}
	}
	return json.Marshal(words)
}
