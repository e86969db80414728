package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"stele/internal/price"
)

// FormatGrouped writes a number with its thousands apart: 1,234,567.
func FormatGrouped(n int64) string { return price.GroupThousands(strconv.FormatInt(n, 10)) }

// Count is a number that pages write with its thousands apart.
type Count int64

func (n Count) String() string { return FormatGrouped(int64(n)) }

// FormatShort writes a number in few characters: 950, 12.3K, 4.56M.
func FormatShort(n int64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}} {
		if float64(n) >= u.size && n >= 10_000 {
			return TrimDigits(float64(n)/u.size) + u.name
		}
	}
	return FormatGrouped(n)
}

// TrimDigits writes a number with three digits at most, and none that say nothing.
func TrimDigits(f float64) string {
	digits := 2
	switch {
	case f >= 100:
		digits = 0
	case f >= 10:
		digits = 1
	}
	text := strconv.FormatFloat(f, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Share is n of all in percent: 12.5%.
func Share(n, all int64) string {
	if all == 0 {
		return "0%"
	}
	p := float64(n) / float64(all) * 100
	if n > 0 && p < 0.01 {
		return "<0.01%"
	}
	return TrimDigits(p) + "%"
}

// FormatDuration writes how long something took: 850 ms, 12.4 s, 3 min 20 s.
func FormatDuration(d time.Duration) string {
	switch {
	case d <= 0:
		return "0 ms"
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 100*time.Second:
		return TrimDigits(d.Seconds()) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
}

// Many is "1 request" or "1,200 requests".
func Many(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return FormatGrouped(n) + " " + more
}

// Bytes is a number of them: 1 byte, 1.5 KB, 12.3 MB.
func Bytes(n int64) string {
	switch {
	case n < 1<<10:
		return Many(n, "byte", "bytes")
	case n < 1<<20:
		return TrimDigits(float64(n)/(1<<10)) + " KB"
	}
	return TrimDigits(float64(n)/(1<<20)) + " MB"
}

// Tally is a number with what became of it.
type Tally struct {
	Name   string
	Value  string
	Exact  string // for the title, where Value is short
	Change string // against the range before; "" where there is nothing to compare
	Tone   string // good, bad or ""
	Hint   string
}
