package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stele/internal/fault"
)

// sayLimits puts how limits stand into an answer's header: as the IETF's draft has
// it, and as the clients of each family read it.
func sayLimits(h http.Header, family string, list []fault.Standing) {
	var policies, states []string
	for _, st := range list {
		if st.Window == 0 || st.Measure == "dollars" {
			continue // what never begins anew is no rate, and money no number of calls
		}
		name := quoted(st.Name)
		policies = append(policies, fmt.Sprintf("%s;q=%d;w=%d", name, st.Amount, int(st.Window.Seconds())))
		states = append(states, fmt.Sprintf("%s;r=%d;t=%d", name, st.Left, seconds(st.Reset)))
	}
	if len(policies) > 0 {
		h.Set("RateLimit-Policy", strings.Join(policies, ", "))
		h.Set("RateLimit", strings.Join(states, ", "))
	}
	for _, measure := range []string{"requests", "tokens"} {
		st, ok := tightest(list, measure)
		if !ok {
			continue
		}
		switch family {
		case openAI.name:
			h.Set("X-Ratelimit-Limit-"+measure, strconv.FormatInt(st.Amount, 10))
			h.Set("X-Ratelimit-Remaining-"+measure, strconv.FormatInt(st.Left, 10))
			h.Set("X-Ratelimit-Reset-"+measure, st.Reset.Round(time.Millisecond).String())
		case anthropic.name:
			h.Set("Anthropic-Ratelimit-"+measure+"-Limit", strconv.FormatInt(st.Amount, 10))
			h.Set("Anthropic-Ratelimit-"+measure+"-Remaining", strconv.FormatInt(st.Left, 10))
			h.Set("Anthropic-Ratelimit-"+measure+"-Reset", time.Now().Add(st.Reset).UTC().Format(time.RFC3339))
		}
	}
}

// tightest is the limit of a measure of which the smallest part is left.
func tightest(list []fault.Standing, measure string) (found fault.Standing, ok bool) {
	for _, st := range list {
		if st.Measure != measure || st.Amount == 0 {
			continue
		}
		if !ok || float64(st.Left)/float64(st.Amount) < float64(found.Left)/float64(found.Amount) {
			found, ok = st, true
		}
	}
	return found, ok
}

// quoted is a name as a header's text: what is not ASCII becomes a question mark.
func quoted(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '?'
		}
		return r
	}, name)
	return `"` + clean + `"`
}

func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
