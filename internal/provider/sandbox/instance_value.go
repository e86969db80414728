package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"
)

// count is a keyword that holds a small number.
func count(s map[string]any, keyword string, otherwise int) int {
	n, ok := rational(s, keyword)
	if !ok || !n.IsInt() || !n.Num().IsInt64() {
		return otherwise
	}
	return int(min(max(n.Num().Int64(), 0), 1<<30))
}

func rational(s map[string]any, keyword string) (*big.Rat, bool) {
	n, ok := s[keyword].(json.Number)
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetString(string(n)) // parseSchema left out what is too big for it
}

// makeNumber makes the nth number for a schema: 1 where that fits, else the nearest.
func makeNumber(s map[string]any, whole bool, nth int) (any, bool) {
	one := big.NewRat(1, 1)
	unit, stepped := rational(s, "multipleOf")
	if !stepped || unit.Sign() <= 0 {
		unit, stepped = one, whole
	}
	if whole && !unit.IsInt() {
		unit = new(big.Rat).SetInt(unit.Num()) // the least whole multiple of it
	}
	low, hasLow := rational(s, "minimum")
	high, hasHigh := rational(s, "maximum")
	above, open := rational(s, "exclusiveMinimum")
	openLow := open && (!hasLow || above.Cmp(low) >= 0)
	if openLow {
		low, hasLow = above, true
	}
	below, open := rational(s, "exclusiveMaximum")
	openHigh := open && (!hasHigh || below.Cmp(high) <= 0)
	if openHigh {
		high, hasHigh = below, true
	}
	v := new(big.Rat).Set(one)
	switch {
	case hasLow && v.Cmp(low) < 0, hasLow && openLow && v.Cmp(low) == 0:
		v.Set(low)
	case hasHigh && v.Cmp(high) > 0, hasHigh && openHigh && v.Cmp(high) == 0:
		v.Set(high)
		if stepped {
			v = floor(v, unit)
		}
	}
	if stepped {
		v = ceil(v, unit)
	}
	if hasLow && openLow && v.Cmp(low) <= 0 {
		v.Add(v, unit)
	}
	if hasHigh && openHigh && v.Cmp(high) >= 0 {
		v.Sub(v, unit)
	}
	if !stepped && hasLow && hasHigh && (v.Cmp(low) <= 0 && openLow || v.Cmp(high) >= 0 && openHigh || v.Cmp(low) < 0 || v.Cmp(high) > 0) {
		v = new(big.Rat).Quo(new(big.Rat).Add(low, high), big.NewRat(2, 1))
	}
	v.Add(v, new(big.Rat).Mul(unit, big.NewRat(int64(nth), 1)))
	return decimal(v), true
}

func floor(v, unit *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(v, unit)
	n := new(big.Int).Div(q.Num(), q.Denom()) // Euclidean: rounds down
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), unit)
}

func ceil(v, unit *big.Rat) *big.Rat {
	down := floor(v, unit)
	if down.Cmp(v) < 0 {
		down.Add(down, unit)
	}
	return down
}

// decimal writes a number without losing anything of it, where that is possible.
func decimal(v *big.Rat) json.Number {
	places, exact := v.FloatPrec()
	if !exact {
		places = 12
	}
	return json.Number(v.FloatString(places))
}

// makeText makes the nth string for a schema: its property's name where that fits.
func (m *maker) makeText(s map[string]any, name string, nth int) (string, bool) {
	least, most := count(s, "minLength", 0), count(s, "maxLength", mostRunes)
	if least > mostRunes {
		return "", false
	}
	plain := nameText(name, nth, least, most)
	if text, given := s["pattern"].(string); given {
		if p := m.patterns.of(text); p != nil && p.re.MatchString(plain) {
			return plain, true
		}
		if v, ok := m.patterns.writeMatch(text, least, most, nth); ok {
			return v, true
		}
	}
	if format, given := s["format"].(string); given {
		if v, known := fillFormat(format, nth); known {
			return v, true
		}
	}
	return plain, true
}

// nameText gives the nth text of a name, of a length between least and most.
func nameText(name string, nth, least, most int) string {
	name = cmp.Or(name, "text")
	if nth > 0 {
		name = fmt.Sprintf("%s %d", name, nth+1)
	}
	n := utf8.RuneCountInString(name)
	switch {
	case n < least:
		return name + strings.Repeat("x", least-n)
	case n > most:
		return string([]rune(name)[n-most:]) // the end is what differs
	}
	return name
}

// fillFormat gives the nth string of a format that JSON Schema knows.
func fillFormat(format string, nth int) (string, bool) {
	form, known := map[string]string{
		"date-time":             "2026-01-%02dT12:00:00Z",
		"date":                  "2026-01-%02d",
		"time":                  "12:%02d:00Z",
		"duration":              "PT%dM",
		"email":                 "person%d@example.com",
		"idn-email":             "person%d@example.com",
		"hostname":              "host%d.example.com",
		"idn-hostname":          "host%d.example.com",
		"ipv4":                  "192.0.2.%d",
		"ipv6":                  "2001:db8::%d",
		"uri":                   "https://example.com/%d",
		"uri-reference":         "/%d",
		"iri":                   "https://example.com/%d",
		"iri-reference":         "/%d",
		"uri-template":          "https://example.com/%d/{id}",
		"uuid":                  "00000000-0000-4000-8000-%012d",
		"json-pointer":          "/%d",
		"relative-json-pointer": "%d/a",
		"regex":                 "^%d$",
	}[format]
	if !known {
		return "", false
	}
	return fmt.Sprintf(form, nth%28+1), true
}
