package media

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Amount is money in billionths of a USD. A file writes it in USD, with up to
// nine decimals.
type Amount int64

// unit is a USD in billionths; places is how many decimals that is.
const (
	unit   = 1_000_000_000
	places = 9
)

var (
	errAmount   = errors.New("expected an amount in USD such as 0.04")
	errDecimals = errors.New("an amount has at most nine decimals")
)

// UnmarshalText reads an amount as a file writes it, exactly.
func (a *Amount) UnmarshalText(text []byte) error {
	whole, rest, _ := strings.Cut(string(text), ".")
	if whole == "" && rest == "" {
		return errAmount
	}
	for _, digits := range []string{whole, rest} {
		if strings.Trim(digits, "0123456789") != "" {
			return errAmount
		}
	}
	if rest = strings.TrimRight(rest, "0"); len(rest) > places {
		return errDecimals
	}
	n, err := strconv.ParseInt("0"+whole+rest+strings.Repeat("0", places-len(rest)), 10, 64)
	if err != nil || n > math.MaxInt64/1000 {
		return errAmount
	}
	*a = Amount(n)
	return nil
}

// String is the amount in USD, exactly and as short as it can be: "0.04".
func (a Amount) String() string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	whole, rest := uint64(a)/unit, uint64(a)%unit
	if rest == 0 {
		return sign + strconv.FormatUint(whole, 10)
	}
	digits := strconv.FormatUint(rest, 10)
	digits = strings.Repeat("0", places-len(digits)) + digits
	return sign + strconv.FormatUint(whole, 10) + "." + strings.TrimRight(digits, "0")
}
