package price

import (
	"strconv"
	"strings"
)

// EachToken is what one token costs where a million cost so much: in USD, exactly and as
// short as it can be, as lists of models write prices: "0.000003".
func EachToken(million Amount) string {
	const all = places + 6
	digits := strconv.FormatInt(int64(million), 10)
	if short := all + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	whole, rest := digits[:len(digits)-all], strings.TrimRight(digits[len(digits)-all:], "0")
	if rest == "" {
		return whole
	}
	return whole + "." + rest
}
