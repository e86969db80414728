package gemini

import (
	"encoding/json"
	"strconv"
)

// openLogprobs turns logprobsResult into openai's shape, which is the common
// one. Tokens have no bytes in this API.
func openLogprobs(raw []byte) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	var chosen []tokenLogprob
	var top [][]tokenLogprob
	c := cursor{b: raw}
	if !c.enter('{') {
		return nil
	}
	for {
		key, more := c.key()
		if !more {
			break
		}
		switch string(key) {
		case "chosenCandidates":
			c.elements(func() { chosen = append(chosen, c.tokenLogprob()) })
		case "topCandidates":
			c.elements(func() { top = append(top, c.alternatives("candidates")) })
		default:
			c.skip()
		}
	}
	var w writer
	w.open('{')
	w.key("content")
	w.open('[')
	for i, t := range chosen {
		w.open('{')
		w.token("logprob", t)
		w.key("bytes")
		w.raw([]byte("null"))
		w.key("top_logprobs")
		w.open('[')
		for j := 0; i < len(top) && j < len(top[i]); j++ {
			w.open('{')
			w.token("logprob", top[i][j])
			w.key("bytes")
			w.raw([]byte("null"))
			w.close('}')
		}
		w.close(']')
		w.close('}')
	}
	w.close(']')
	w.key("refusal")
	w.raw([]byte("null"))
	w.close('}')
	return w.b
}

// closeLogprobs writes openai's shape as a logprobsResult.
func (w *writer) closeLogprobs(raw json.RawMessage) {
	var all []tokenLogprob
	var top [][]tokenLogprob
	c := cursor{b: memberOf(raw, "content")}
	c.elements(func() {
		element := c.raw()
		inner := cursor{b: element}
		all = append(all, inner.tokenLogprob())
		list := cursor{b: element}
		top = append(top, list.alternatives("topLogprobs"))
	})
	if len(all) == 0 {
		return
	}
	w.key("logprobsResult")
	w.open('{')
	w.key("chosenCandidates")
	w.open('[')
	for _, t := range all {
		w.open('{')
		w.token("logProbability", t)
		w.close('}')
	}
	w.close(']')
	w.key("topCandidates")
	w.open('[')
	for _, list := range top {
		w.open('{')
		w.key("candidates")
		w.open('[')
		for _, t := range list {
			w.open('{')
			w.token("logProbability", t)
			w.close('}')
		}
		w.close(']')
		w.close('}')
	}
	w.close(']')
	w.close('}')
}

// tokenLogprob is a token and how likely it was.
type tokenLogprob struct {
	token string
	value float64
}

func (c *cursor) tokenLogprob() tokenLogprob {
	var t tokenLogprob
	if !c.enter('{') {
		c.skip()
		return t
	}
	for {
		key, more := c.key()
		if !more {
			return t
		}
		switch string(key) {
		case "token":
			t.token, _ = c.text()
		case "logProbability", "logprob":
			t.value, _ = c.number()
		default:
			c.skip()
		}
	}
}

// alternatives reads the list of tokens in an object's member.
func (c *cursor) alternatives(member string) (all []tokenLogprob) {
	if !c.enter('{') {
		c.skip()
		return nil
	}
	for {
		key, more := c.key()
		if !more {
			return all
		}
		if string(key) == member {
			c.elements(func() { all = append(all, c.tokenLogprob()) })
			continue
		}
		c.skip()
	}
}

func (w *writer) token(field string, t tokenLogprob) {
	w.member("token", t.token)
	w.key(field)
	w.b = strconv.AppendFloat(w.b, t.value, 'g', -1, 64)
}
