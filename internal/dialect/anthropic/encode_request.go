package anthropic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// composer writes one conversation as a request that the API takes.
type composer struct {
	talk   *chat.Conversation
	target dialect.Target
	can    *traits
	ours   bool // what parts and tools carry raw is this dialect's
	names  dialect.Names
	losses []chat.Loss
	turns  []turn
	system []block
	tools  []block
	choice string          // tool_choice, written
	sent   map[string]bool // ids of calls
	again  map[string]int  // how often one was wanted again
	// orphans are results of calls that are not there.
	orphans map[*chat.Part]bool
}

func newComposer(talk *chat.Conversation, target dialect.Target) *composer {
	ours := slices.ContainsFunc(talk.Extra, func(e chat.Extra) bool {
		key, ok := strings.CutPrefix(e.Name, prefix)
		return ok && placed(key)
	})
	can := traitsOf(target.Model)
	if can == &stranger && target.Compatible {
		can = &elsewhere
	}
	return &composer{
		talk: talk, target: target, can: can, ours: ours,
		names: dialect.Names{Legal: legal, Longest: longestName},
		sent:  make(map[string]bool), again: make(map[string]int), orphans: make(map[*chat.Part]bool),
	}
}

const longestName = 128

// legal reports whether a tool may have the name.
func legal(name string) bool {
	return name != "" && len(name) <= longestName && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
}

// EncodeRequest writes a conversation of any origin for an upstream.
func (Codec) EncodeRequest(talk *chat.Conversation, target dialect.Target) (dialect.Call, error) {
	c := newComposer(talk, target)
	for _, step := range []func() error{c.foreign, c.define, c.prompt, c.converse} {
		if err := step(); err != nil {
			return dialect.Call{}, err
		}
	}
	thinking := c.think()
	limit := c.limit(&thinking)
	c.choose(&thinking)
	schema := c.shape()
	c.prefill(&thinking)
	body := c.begin(limit)
	body = c.thinks(body, &thinking, schema)
	body = c.sample(body, &thinking)
	stops, local := c.stops()
	body = append(body, stops...)
	body = c.about(body)
	body = c.write(body)
	body = c.extras(body, "")
	return dialect.Call{
		Path: endpoint, Header: c.header(), Body: append(body, '}'),
		Losses: c.losses, Stops: local, Names: c.names.Back(),
	}, nil
}

func (c *composer) lose(losses ...chat.Loss) { c.losses = append(c.losses, losses...) }

// refuse is an error about what must not be left out.
func refuse(l chat.Loss, format string, args ...any) error {
	return dialect.Refuse(l, Codec{}.Path(l), fmt.Sprintf(format, args...))
}

// dropped is a loss of a field of the whole request.
func dropped(field string) chat.Loss { return chat.Lost(field, chat.Dropped, "") }

// foreign refuses or reports what the API has no word for.
func (c *composer) foreign() error {
	for _, e := range c.talk.Extra {
		if strings.HasPrefix(e.Name, prefix) {
			continue
		}
		_, field, _ := strings.Cut(e.Name, ".")
		switch e.Effect {
		case chat.Vital:
			return dialect.Refuse(dropped(e.Name), field, "the model's provider has nothing like it.")
		case chat.Harmless:
			c.lose(chat.Lost(e.Name, chat.Ignored, ""))
		default:
			c.lose(dropped(e.Name))
		}
	}
	if c.talk.N > 1 {
		return refuse(dropped(chat.FieldN), "the model's provider gives one answer at a time.")
	}
	if n := c.talk.Sampling.MaxTokens; n != nil && *n < 1 {
		return refuse(dropped(chat.FieldMaxTokens), "at least 1 is expected.")
	}
	if c.talk.Logprobs != nil {
		return refuse(dropped(chat.FieldLogprobs), "the model's provider does not tell log-probabilities.")
	}
	for _, kind := range c.talk.Output {
		if kind != "text" {
			return refuse(dropped(chat.FieldOutput), "the model cannot answer in %s.", kind)
		}
	}
	if c.talk.Audio != nil {
		c.lose(chat.Lost(chat.FieldAudio, chat.Dropped, "the model answers in text only"))
	}
	return nil
}

// begin opens the body with what the API always wants.
func (c *composer) begin(limit int64) []byte {
	body := append(make([]byte, 0, c.size()), `{"model":`...)
	body = dialect.AppendText(body, c.target.Model)
	body = append(body, `,"max_tokens":`...)
	body = strconv.AppendInt(body, limit, 10)
	if c.target.Stream {
		body = append(body, `,"stream":true`...)
	}
	return body
}

// size is about as long as the body will be.
func (c *composer) size() int {
	n := 1024
	for _, t := range c.turns {
		for _, b := range t.blocks {
			n += len(b.json) + 64
		}
	}
	for _, b := range c.tools {
		n += len(b.json) + 16
	}
	return n
}

// about writes who asks and how quickly it is wanted.
func (c *composer) about(body []byte) []byte {
	metadata := c.extras([]byte{'{'}, "metadata.")
	if c.talk.User != "" {
		metadata = member(metadata, "user_id")
		metadata = dialect.AppendText(metadata, c.user())
	}
	if len(metadata) > 1 {
		body = append(append(append(body, `,"metadata":`...), metadata...), '}')
	}
	switch tier := strings.ToLower(c.talk.Tier); tier {
	case "":
	case "auto", "standard_only":
		body = append(body, `,"service_tier":"`+tier+`"`...)
	case "default", "standard":
		body = append(body, `,"service_tier":"standard_only"`...)
	default:
		c.lose(chat.Lost(chat.FieldTier, chat.Dropped, "there is no tier "+tier))
	}
	return body
}

// extras writes the members that only this dialect knows and that are below a
// path; "" is the body itself.
func (c *composer) extras(dst []byte, path string) []byte {
	for _, e := range c.talk.Extra {
		key, ok := strings.CutPrefix(e.Name, prefix+path)
		if !ok || path == "" && written(key) {
			continue
		}
		dst = member(dst, key)
		dst = append(dst, e.Value...)
	}
	return dst
}

// written reports whether an Extra is not a plain field of the body.
func written(key string) bool {
	first, _, nested := strings.Cut(key, ".")
	return key == "anthropic-beta" || key == "max_tokens" || placed(key) ||
		nested && (first == "metadata" || first == "output_config" || first == "thinking" || first == "reasoning")
}

// placed reports whether an Extra is about a block or a tool, which carries it itself.
func placed(key string) bool {
	return strings.HasPrefix(key, "messages[") || strings.HasPrefix(key, "system[") || strings.HasPrefix(key, "tools[")
}

// header says which version is spoken, and what the client switched on.
func (c *composer) header() http.Header {
	h := http.Header{versionHeader: {version2023}}
	if beta, ok := c.own("anthropic-beta"); ok {
		h.Set(betaHeader, gjson.ParseBytes(beta).Str)
	}
	return h
}

// own is an Extra of this dialect.
func (c *composer) own(key string) (json.RawMessage, bool) {
	for _, e := range c.talk.Extra {
		if e.Name == prefix+key {
			return e.Value, true
		}
	}
	return nil, false
}
