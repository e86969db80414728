package api

import (
	"strconv"
	"strings"
	"time"

	"stele/internal/fault"
)

// sayLimits puts how limits stand into an answer's head: as the IETF's draft has it, and
// as the clients of each family read it.
func sayLimits(h head, family string, list []fault.Standing) {
	if h.room != nil {
		*h.room = limitLines(*h.room, family, list)
		return
	}
	for line := range strings.Lines(string(limitLines(nil, family, list))) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\r\n"), ": ")
		h.fields[name] = []string{value}
	}
}

// limitLines appends the header lines about limits, their names as net/http writes them.
func limitLines(b []byte, family string, list []fault.Standing) []byte {
	b = appendRates(b, list)
	for i := range ownLines {
		of := &ownLines[i]
		if of.family != family {
			continue
		}
		st := tightest(list, of.measure)
		if st == nil {
			continue
		}
		b = append(append(b, of.limit...), st.Digits...)
		b = strconv.AppendInt(append(b, of.remaining...), st.Left, 10)
		b = append(b, of.reset...)
		if family == anthropic.name {
			b = time.Now().Add(st.Reset).UTC().AppendFormat(b, time.RFC3339)
		} else {
			b = appendDuration(b, st.Reset)
		}
		b = append(b, "\r\n"...)
	}
	return b
}

// ownLines are those that clients of a family read, up to their values.
var ownLines = [...]struct{ family, measure, limit, remaining, reset string }{
	{openAI.name, "requests", "X-Ratelimit-Limit-Requests: ", "\r\nX-Ratelimit-Remaining-Requests: ", "\r\nX-Ratelimit-Reset-Requests: "},
	{openAI.name, "tokens", "X-Ratelimit-Limit-Tokens: ", "\r\nX-Ratelimit-Remaining-Tokens: ", "\r\nX-Ratelimit-Reset-Tokens: "},
	{anthropic.name, "requests", "Anthropic-Ratelimit-Requests-Limit: ", "\r\nAnthropic-Ratelimit-Requests-Remaining: ", "\r\nAnthropic-Ratelimit-Requests-Reset: "},
	{anthropic.name, "tokens", "Anthropic-Ratelimit-Tokens-Limit: ", "\r\nAnthropic-Ratelimit-Tokens-Remaining: ", "\r\nAnthropic-Ratelimit-Tokens-Reset: "},
}

// appendRates appends the lines about all limits that begin anew, except those in dollars:
// money is no number of calls.
func appendRates(b []byte, list []fault.Standing) []byte {
	const policy, state = "Ratelimit-Policy: ", "\r\nRatelimit: "
	between := policy
	for i := range list {
		if isRate(&list[i]) {
			b = append(append(b, between...), list[i].Terms...)
			between = ", "
		}
	}
	if between == policy {
		return b
	}
	between = state
	for i := range list {
		if st := &list[i]; isRate(st) {
			b = append(append(b, between...), st.Quoted...)
			b = strconv.AppendInt(append(b, ";r="...), st.Left, 10)
			b = strconv.AppendInt(append(b, ";t="...), int64((st.Reset+time.Second-1)/time.Second), 10)
			between = ", "
		}
	}
	return append(b, "\r\n"...)
}

func isRate(st *fault.Standing) bool { return st.Window > 0 && st.Measure != "dollars" }

// appendDuration appends what time.Duration writes of whole milliseconds: 21h15m4.264s. It is
// not negative. It takes a third of the time.
func appendDuration(b []byte, d time.Duration) []byte {
	ms := int64((d + time.Millisecond/2) / time.Millisecond)
	if 0 < ms && ms < 1000 {
		return append(strconv.AppendInt(b, ms, 10), "ms"...)
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
