package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// limit is max_tokens, which the API always wants. It has to hold a budget of
// thinking too, and is raised for it where the model allows.
func (c *composer) limit(t *plan) int64 {
	most := c.target.MaxOutput
	if most == 0 {
		most = c.can.maxOutput
	}
	given := c.talk.Sampling.MaxTokens
	want := most
	switch {
	case given != nil && most > 0 && *given > most:
		c.lose(chat.Lost(chat.FieldMaxTokens, chat.Approximated, "the model's limit is "+strconv.FormatInt(most, 10)))
	case given != nil:
		want = *given
	case most == 0:
		want = defaultMaxOutput
	}
	if _, warm := c.own("max_tokens"); warm {
		return 0
	}
	if t.budget == 0 || t.budget < want {
		return want
	}
	return c.room(t, want, most)
}

// room makes place for a budget that the limit does not hold.
func (c *composer) room(t *plan, want, most int64) int64 {
	total := t.budget + min(want, defaultMaxOutput)
	if c.talk.Sampling.MaxTokens != nil {
		total = t.budget + want
	}
	if most > 0 {
		total = min(total, most)
	}
	if budget := max(leastBudget, total-min(want, total/4)); budget < t.budget {
		t.budget = budget
		c.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "a budget of "+strconv.FormatInt(budget, 10)))
	}
	if total > want && c.talk.Sampling.MaxTokens != nil {
		c.lose(chat.Lost(chat.FieldMaxTokens, chat.Approximated, "raised to "+strconv.FormatInt(total, 10)+" to make room for thinking"))
	}
	return max(total, t.budget+1)
}

// sample writes what the model leaves to the client, and reports the rest.
func (c *composer) sample(body []byte, t *plan) []byte {
	s := &c.talk.Sampling
	least := 0.0 // of top_p
	fixed := c.can.sampling == noSampling || t.on
	if t.on {
		least = 0.95
	}
	if c.can.sampling == noSampling {
		least = 0.99
	}
	temperature := s.Temperature
	switch {
	case temperature == nil:
	case fixed:
		if *temperature != 1 {
			c.lose(chat.Lost(chat.FieldTemperature, chat.Dropped, "the model takes only 1 here"))
		}
		temperature = nil
	case *temperature > 1:
		c.lose(chat.Lost(chat.FieldTemperature, chat.Approximated, "1 is the most"))
		body = number(body, "temperature", 1)
	case *temperature < 0:
		c.lose(chat.Lost(chat.FieldTemperature, chat.Approximated, "0 is the least"))
		body = number(body, "temperature", 0)
	default:
		body = number(body, "temperature", *temperature)
	}
	switch {
	case s.TopP == nil:
	case *s.TopP < least:
		c.lose(chat.Lost(chat.FieldTopP, chat.Dropped, "the model takes it only from "+strconv.FormatFloat(least, 'f', -1, 64)+" here"))
	case temperature != nil && c.can.sampling == oneSampling:
		c.lose(chat.Lost(chat.FieldTopP, chat.Dropped, "the model takes temperature or top_p, not both"))
	case *s.TopP > 1:
		c.lose(chat.Lost(chat.FieldTopP, chat.Approximated, "1 is the most"))
		body = number(body, "top_p", 1)
	default:
		body = number(body, "top_p", *s.TopP)
	}
	if s.TopK != nil && (fixed || *s.TopK < 0) {
		c.lose(chat.Lost(chat.FieldTopK, chat.Dropped, "the model does not take it here"))
	} else if s.TopK != nil {
		body = number(body, "top_k", math.Trunc(*s.TopK))
	}
	c.unheard(s)
	return body
}

// unheard reports what no model of the API listens to.
func (c *composer) unheard(s *chat.Sampling) {
	drop := func(field string, given bool) {
		if given {
			c.lose(chat.Lost(field, chat.Dropped, ""))
		}
	}
	drop(chat.FieldPresence, s.Presence != nil && *s.Presence != 0)
	drop(chat.FieldFrequency, s.Frequency != nil && *s.Frequency != 0)
	drop(chat.FieldSeed, s.Seed != nil)
}

func number(body []byte, key string, n float64) []byte {
	body = member(body, key)
	return strconv.AppendFloat(body, n, 'f', -1, 64)
}

// stops writes the stop sequences that the API takes. It refuses those of only
// white space, which are left to whoever reads the answer.
func (c *composer) stops() (list []byte, local []string) {
	for _, stop := range c.talk.Sampling.Stop {
		switch {
		case stop == "":
		case strings.TrimSpace(stop) == "":
			local = append(local, stop)
		case list == nil:
			list = dialect.AppendText([]byte(`,"stop_sequences":[`), stop)
		default:
			list = dialect.AppendText(append(list, ','), stop)
		}
	}
	if list != nil {
		list = append(list, ']')
	}
	return list, local
}

const longestUser = 256

// user is the end user's id, shortened in a way that keeps it one and the same.
func (c *composer) user() string {
	if len(c.talk.User) <= longestUser {
		return c.talk.User
	}
	c.lose(chat.Lost(chat.FieldUser, chat.Ignored, "sent as a hash, being too long"))
	sum := sha256.Sum256([]byte(c.talk.User))
	return hex.EncodeToString(sum[:])
}
