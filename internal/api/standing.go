package api

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"stele/internal/fault"
)

// sayLimits puts how limits stand into an answer's head: as the IETF's draft has it, and
// as the clients of each family read it.
func sayLimits(w http.ResponseWriter, family string, list []fault.Standing) {
	room := lineRoom.Get().(*[]byte)
	defer lineRoom.Put(room)
	lines := limitLines((*room)[:0], family, list)
	*room = lines
	if len(lines) == 0 || putLines(w, lines) {
		return
	}
	h := w.Header()
	for line := range strings.Lines(string(lines)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\r\n"), ": ")
		h[name] = []string{value}
	}
}

// lineRoom is where lines are written that the connection copies.
var lineRoom = sync.Pool{New: func() any { b := make([]byte, 0, 512); return &b }}

// putLines leaves header lines to the connection, where there is one that takes them.
func putLines(w http.ResponseWriter, lines []byte) bool {
	for {
		switch at := w.(type) {
		case interface{ HeaderLines(lines []byte) bool }:
			return at.HeaderLines(lines)
		case interface{ Unwrap() http.ResponseWriter }:
			w = at.Unwrap()
		default:
			return false
		}
	}
}

// limitLines appends the header lines about limits, their names as net/http writes them.
func limitLines(b []byte, family string, list []fault.Standing) []byte {
	b = appendRates(b, "Ratelimit-Policy: ", list, appendPolicy)
	b = appendRates(b, "Ratelimit: ", list, appendState)
	for _, of := range [...]struct{ measure, name string }{{"requests", "Requests"}, {"tokens", "Tokens"}} {
		st, measure := tightest(list, of.measure), of.name
		if st == nil {
			continue
		}
		switch family {
		case openAI.name:
			b = appendLine(b, st.Amount, "X-Ratelimit-Limit-", measure)
			b = appendLine(b, st.Left, "X-Ratelimit-Remaining-", measure)
			b = append(append(append(b, "X-Ratelimit-Reset-"...), measure...), ": "...)
			b = append(appendDuration(b, st.Reset), "\r\n"...)
		case anthropic.name:
			b = appendLine(b, st.Amount, "Anthropic-Ratelimit-", measure, "-Limit")
			b = appendLine(b, st.Left, "Anthropic-Ratelimit-", measure, "-Remaining")
			b = append(append(append(b, "Anthropic-Ratelimit-"...), measure...), "-Reset: "...)
			b = append(time.Now().Add(st.Reset).UTC().AppendFormat(b, time.RFC3339), "\r\n"...)
		}
	}
	return b
}

// appendRates appends a line about all limits that begin anew, except those in dollars:
// money is no number of calls.
func appendRates(b []byte, name string, list []fault.Standing, one func([]byte, *fault.Standing) []byte) []byte {
	between := name
	for i := range list {
		if st := &list[i]; st.Window > 0 && st.Measure != "dollars" {
			b = one(appendQuoted(append(b, between...), st.Name), st)
			between = ", "
		}
	}
	if between != name {
		b = append(b, "\r\n"...)
	}
	return b
}

func appendPolicy(b []byte, st *fault.Standing) []byte {
	b = strconv.AppendInt(append(b, ";q="...), st.Amount, 10)
	return strconv.AppendInt(append(b, ";w="...), int64(st.Window.Seconds()), 10)
}

func appendState(b []byte, st *fault.Standing) []byte {
	b = strconv.AppendInt(append(b, ";r="...), st.Left, 10)
	return strconv.AppendInt(append(b, ";t="...), int64((st.Reset+time.Second-1)/time.Second), 10)
}

// appendDuration appends what time.Duration writes of whole milliseconds: 21h15m4.264s. Up to a
// minute, which is most of them, it takes a third of the time.
func appendDuration(b []byte, d time.Duration) []byte {
	ms := d.Round(time.Millisecond).Milliseconds()
	if ms < 1000 {
		return append(b, d.Round(time.Millisecond).String()...) // 264ms
	}
	if ms >= 3_600_000 {
		b = append(strconv.AppendInt(b, ms/3_600_000, 10), 'h')
	}
	if ms >= 60_000 {
		b = append(strconv.AppendInt(b, ms/60_000%60, 10), 'm')
	}
	b = strconv.AppendInt(b, ms/1000%60, 10)
	if part := ms % 1000; part > 0 {
		b = append(b, '.', byte('0'+part/100))
		if part%100 > 0 {
			b = append(b, byte('0'+part/10%10))
		}
		if part%10 > 0 {
			b = append(b, byte('0'+part%10))
		}
	}
	return append(b, 's')
}

// appendLine appends a line whose name is in pieces.
func appendLine(b []byte, n int64, name ...string) []byte {
	for _, piece := range name {
		b = append(b, piece...)
	}
	return append(strconv.AppendInt(append(b, ": "...), n, 10), "\r\n"...)
}

// tightest is the limit of a measure of which the smallest part is left, or nil.
func tightest(list []fault.Standing, measure string) (found *fault.Standing) {
	for i := range list {
		st := &list[i]
		if st.Amount == 0 || st.Measure != measure {
			continue
		}
		if found == nil || float64(st.Left)/float64(st.Amount) < float64(found.Left)/float64(found.Amount) {
			found = st
		}
	}
	return found
}

// appendQuoted appends a name as a header's text: what is not ASCII becomes a question mark.
func appendQuoted(b []byte, name string) []byte {
	b = append(b, '"')
	for _, r := range name {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			r = '?'
		}
		b = append(b, byte(r))
	}
	return append(b, '"')
}
