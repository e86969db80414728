package dialect

import (
	"strings"
	"unicode"

	"stele/internal/fault"
)

// Known are the members of an object that are looked at. A member that differs from
// one of them only in letter case is refused: some upstreams take it for the same
// one, so that what was checked would not be what is served.
type Known struct {
	exact  map[string]bool
	folded map[string]string // folded → as it is written
}

// NewKnown makes one of lists of names.
func NewKnown(lists ...[]string) *Known {
	k := &Known{exact: make(map[string]bool), folded: make(map[string]string)}
	for _, list := range lists {
		for _, name := range list {
			k.exact[name], k.folded[fold(name)] = true, name
		}
	}
	return k
}

// Check refuses a member that is a known one but for its letters' case.
func (k *Known) Check(name string) error {
	if k.exact[name] {
		return nil
	}
	meant, wrong := k.folded[fold(name)]
	if !wrong {
		return nil
	}
	return fault.New(fault.InvalidParameter, "%.64q is not a field: write %q.", name, meant).Field(name)
}

// Names lists the members as they are written.
func (k *Known) Names() []string {
	var list []string
	for name := range k.exact {
		list = append(list, name)
	}
	return list
}

// fold is a name without its letters' case, by the rules of Unicode: ſ is an s and
// the Kelvin sign a k.
func fold(name string) string {
	plain := true
	for i := range len(name) {
		c := name[i]
		plain = plain && c < 0x80 && (c < 'A' || c > 'Z')
	}
	if plain {
		return name
	}
	if len(name) > 256 {
		return "" // no member is called so
	}
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		if least >= 'A' && least <= 'Z' {
			least += 'a' - 'A'
		}
		return least
	}, name)
}
