// Package price knows what a model's tokens cost, and what else is known about a model:
// a book by provider kind and upstream model name, dated and sourced. It reckons in
// whole billionths of a USD, never in floating point. It must not know requests,
// accounts or where usage is kept.
package price

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Amount is money in billionths of a USD. Texts write it in USD, with up to nine
// decimals.
type Amount int64

// USD is one dollar.
const USD Amount = 1_000_000_000

// places is how many decimals a USD has.
const places = 9

// Most is the largest amount that is read: nine million USD.
const Most = Amount(math.MaxInt64 / 1000)

var (
	errAmount   = errors.New("expected an amount in USD such as 0.04")
	errDecimals = errors.New("an amount has at most nine decimals")
)

// Parse reads an amount as an operator writes it, exactly: digits, and at most nine
// of them after the point.
func Parse(text string) (Amount, error) {
	whole, rest, _ := strings.Cut(text, ".")
	if whole == "" && rest == "" {
		return 0, errAmount
	}
	for _, digits := range [...]string{whole, rest} {
		if strings.Trim(digits, "0123456789") != "" {
			return 0, errAmount
		}
	}
	if rest = strings.TrimRight(rest, "0"); len(rest) > places {
		return 0, errDecimals
	}
	n, err := strconv.ParseInt("0"+whole+rest+strings.Repeat("0", places-len(rest)), 10, 64)
	if err != nil || Amount(n) > Most {
		return 0, errAmount
	}
	return Amount(n), nil
}

// Nearest reads a figure as an upstream writes it: a JSON number of any precision. It
// is rounded to the nearest billionth, halves up. What is negative, too large or no
// number is refused.
func Nearest(text string) (Amount, bool) { return NearestOf(text, 0) }

// NearestOf is Nearest of a number times ten to a power, for those who count in other
// parts of a dollar.
func NearestOf(text string, power int) (Amount, bool) {
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
		e, err := strconv.Atoi(exponent)
		if err != nil || e < -1000 || e > 1000 {
			return 0, false
		}
		power += e
	}
	whole, rest, _ := strings.Cut(mantissa, ".")
	if whole == "" || strings.Trim(whole, "0123456789")+strings.Trim(rest, "0123456789") != "" {
		return 0, false
	}
	digits := strings.TrimLeft(whole+rest, "0")
	// The last digit that counts is the one of a billionth.
	keep := len(digits) - len(rest) + power + places
	switch {
	case digits == "" || keep < 0:
		return 0, true
	case keep > 18:
		return 0, false
	case keep >= len(digits):
		n, err := strconv.ParseInt(digits+strings.Repeat("0", keep-len(digits)), 10, 64)
		return Amount(n), err == nil && Amount(n) <= Most
	}
	n, err := strconv.ParseInt("0"+digits[:keep], 10, 64)
	if digits[keep] >= '5' {
		n++
	}
	return Amount(n), err == nil && Amount(n) <= Most
}

// UnmarshalText reads an amount as Parse does.
func (a *Amount) UnmarshalText(text []byte) (err error) {
	*a, err = Parse(string(text))
	return err
}

// MarshalText writes an amount as String does.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// String is the amount in USD, exactly and as short as it can be: "0.04".
func (a Amount) String() string { return string(a.Append(nil)) }

// Append appends what String says.
func (a Amount) Append(dst []byte) []byte {
	n := uint64(a)
	if a < 0 {
		dst, n = append(dst, '-'), -n
	}
	dst = strconv.AppendUint(dst, n/uint64(USD), 10)
	rest := n % uint64(USD)
	if rest == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := uint64(USD) / 10; rest > 0; unit /= 10 {
		dst = append(dst, byte('0'+rest/unit))
		rest %= unit
	}
	return dst
}

// GroupThousands writes a whole or decimal number with its thousands apart, for people:
// "-1234567.50" is "-1,234,567.50".
func GroupThousands(number string) string {
	whole, rest, _ := strings.Cut(number, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		rest = "." + rest
	}
	return sign + whole + rest
}

// Ungroup is a number that people wrote, as Parse reads it: without its "$" and without
// commas, where those are what GroupThousands writes. "12,50" stays as it is: it is not 1250.
func Ungroup(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "$")
	if plain := strings.ReplaceAll(text, ",", ""); GroupThousands(plain) == text {
		return plain
	}
	return text
}

// Times is the amount times a factor, which is an amount of one as 1 is: 1.2 is "1.2".
// It is rounded to the nearest billionth, halves away from zero.
func (a Amount) Times(factor Amount) Amount {
	n := uint64(a)
	if a < 0 {
		n = -n
	}
	high, low := bits.Mul64(n, uint64(factor))
	low, carry := bits.Add64(low, uint64(USD)/2, 0)
	if high += carry; high >= uint64(USD) {
		return Most
	}
	quotient, _ := bits.Div64(high, low, uint64(USD))
	out := Amount(min(quotient, uint64(Most)))
	if a < 0 {
		return -out
	}
	return out
}
