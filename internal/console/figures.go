package console

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// grouped writes a number with its thousands apart: 1,234,567.
func grouped(n int64) string {
	if n < 0 {
		return "-" + grouped(-n)
	}
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// short writes a number in few characters: 950, 12.3K, 4.56M.
func short(n int64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}} {
		if float64(n) >= u.size && n >= 10_000 {
			return trimmed(float64(n)/u.size) + u.name
		}
	}
	return grouped(n)
}

// trimmed writes a number with three digits at most, and none that say nothing.
func trimmed(f float64) string {
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

// money is dollars with thousands apart, and in short where cents say nothing.
func money(nano int64) string {
	if nano < 1000*1e9 {
		return dollars(nano)
	}
	return "$" + grouped(int64(math.Round(float64(nano)/1e9)))
}

// share is n of all in percent: 12.5%.
func share(n, all int64) string {
	if all == 0 {
		return "0%"
	}
	p := float64(n) / float64(all) * 100
	if n > 0 && p < 0.01 {
		return "<0.01%"
	}
	return trimmed(p) + "%"
}

// spent writes how long something took: 850 ms, 12.4 s, 3 min 20 s.
func spent(d time.Duration) string {
	switch {
	case d <= 0:
		return "0 ms"
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 100*time.Second:
		return trimmed(d.Seconds()) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
}

// many is "1 request" or "1,200 requests".
func many(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + more
}
