package price

import (
	"math"
	"strconv"
	"strings"
)

// All ways in which an amount is written for people, beside String.

// Decimal is the amount exactly, with two decimals at least: "1234.50", "0.000125".
func (a Amount) Decimal() string {
	whole, rest, _ := strings.Cut(a.String(), ".")
	if len(rest) < 2 {
		rest += "00"[len(rest):]
	}
	return whole + "." + rest
}

// Dollars is Decimal with the sign of money and thousands apart: "$1,234.50", "-$0.25".
func (a Amount) Dollars() string {
	if text, negative := strings.CutPrefix(a.Decimal(), "-"); negative {
		return "-$" + GroupThousands(text)
	}
	return "$" + GroupThousands(a.Decimal())
}

// Exact is String with the sign of money: "$0.04".
func (a Amount) Exact() string { return "$" + a.String() }

// Rounded is the amount with as many digits as say something: two, or three that are not
// zero.
func (a Amount) Rounded() string {
	usd := float64(a) / float64(USD)
	digits := 2
	if usd > 0 && usd < 1 {
		digits = max(2, 2-int(math.Floor(math.Log10(usd))))
	}
	text := strconv.FormatFloat(usd, 'f', min(digits, places), 64)
	if whole, rest, ok := strings.Cut(text, "."); ok && len(rest) > 2 {
		rest = rest[:2] + strings.TrimRight(rest[2:], "0")
		text = whole + "." + rest
	}
	return "$" + GroupThousands(text)
}

// Short is Rounded, and of a thousand on in whole dollars, where cents say nothing.
func (a Amount) Short() string {
	if a < 1000*USD {
		return a.Rounded()
	}
	return "$" + GroupThousands(strconv.FormatInt(int64(math.Round(float64(a)/float64(USD))), 10))
}
