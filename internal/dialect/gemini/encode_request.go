package gemini

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

// EncodeRequest writes a conversation of any origin as this API takes it. The
// same conversation always gives the same bytes, and a longer one begins with
// the contents of the shorter.
func (Codec) EncodeRequest(talk *chat.Conversation, t dialect.Target) (dialect.Call, error) {
	c := &composer{
		talk: talk, target: t, traits: traitsOf(t.Model),
		names: dialect.Names{Legal: legal, Longest: longestName},
	}
	c.b = make([]byte, 0, size(talk))
	c.extras()
	c.open('{')
	c.contents()
	c.toolList()
	c.generation()
	c.system()
	c.rest()
	if t.Resume != "" {
		c.member("continuationToken", t.Resume)
	}
	c.close('}')
	if c.err != nil {
		return dialect.Call{}, c.err
	}
	return dialect.Call{
		Path: address(t), Body: c.b, Losses: c.losses,
		Stops: c.stops, Names: c.names.Back(),
	}, nil
}

// composer writes one request.
type composer struct {
	writer
	talk   *chat.Conversation
	target dialect.Target
	traits traits
	names  dialect.Names
	losses []chat.Loss
	err    error
	stops  []string // those the API does not take
	lines  []string // what is added to the system prompt
	moved  int      // system parts that became a user's turn

	declared map[string]int // where each function is among the tools

	role    role // whose Content is open
	dummies bool // a call carries the placeholder
	strange int  // signatures that are another model's
	ours    bool // raw parts and tools are this dialect's
	own     []chat.Extra
}

// lose reports a loss.
func (c *composer) lose(l chat.Loss) { c.losses = append(c.losses, l) }

// refuse ends the request: what it is about must not be left out.
func (c *composer) refuse(l chat.Loss, format string, args ...any) {
	if c.err == nil {
		c.err = refusal(l, format, args...)
	}
}

// refusal is a 400 that names the field it is about. The loss rides along, so
// that whoever knows the client's dialect can name it in the client's words.
func refusal(l chat.Loss, format string, args ...any) error {
	field := l.Field
	switch {
	case l.Field == chat.FieldPart && l.Part >= 0:
		_, part, _ := unplace(l.Part)
		field = fmt.Sprintf("messages[%d].content[%d]", l.Message, part)
	case l.Field == chat.FieldPart && l.Message >= 0:
		field = fmt.Sprintf("messages[%d]", l.Message)
	case l.Field == chat.FieldTool && l.Part >= 0:
		_, tool, _ := unplace(l.Part)
		field = fmt.Sprintf("tools[%d]", tool)
	default:
		if _, own, ok := strings.Cut(l.Field, "."); ok {
			field = own
		}
	}
	return fault.New(fault.InvalidParameter, "%s: %s.", field, fmt.Sprintf(format, args...)).With("field", field).With("loss", l)
}

// extras sorts what only one dialect knows: this one's is written back, others'
// is reported by what leaving it out means.
func (c *composer) extras() {
	for _, e := range c.talk.Extra {
		if own, ok := strings.CutPrefix(e.Name, name+"."); ok {
			parent := own[:max(strings.LastIndexByte(own, '.'), 0)]
			if carrier.MatchString(parent) {
				c.ours = true // carried by the part or the tool itself
				continue
			}
			if !slices.Contains(parents, parent) {
				c.lose(chat.Lost(e.Name, chat.Dropped, ""))
				continue
			}
			c.own = append(c.own, chat.Extra{Name: own, Value: e.Value})
			continue
		}
		loss := chat.Lost(e.Name, chat.Dropped, "")
		switch e.Effect {
		case chat.Vital:
			c.refuse(loss, "this model's API has nothing for it")
		case chat.Harmless:
			loss.Verb = chat.Ignored
		case chat.Shapes:
		}
		c.lose(loss)
	}
}

// parents are the objects that this dialect's own extras are written back into.
var parents = []string{"", "generationConfig", "generationConfig.thinkingConfig", "toolConfig", "toolConfig.functionCallingConfig"}

// carrier matches the places of parts and tools, which carry their own extras.
var carrier = regexp.MustCompile(`^(contents\[\d+\]\.parts|tools\[\d+\]\.functionDeclarations)\[\d+\]$`)

// has reports whether there are own extras in an object, or deeper.
func (c *composer) has(object string) bool {
	return slices.ContainsFunc(c.own, func(e chat.Extra) bool { return strings.HasPrefix(e.Name, object+".") })
}

// inside writes this dialect's own extras that belong into an object.
func (c *composer) inside(object string) {
	for _, e := range c.own {
		if field, ok := strings.CutPrefix(e.Name, object+"."); ok && !strings.Contains(field, ".") {
			c.named(field)
			c.raw(e.Value)
		}
	}
}

// system writes the system prompt and what had to be added to it.
func (c *composer) system() {
	begun := false
	say := func(text string) {
		if strings.TrimSpace(text) == "" {
			return
		}
		if !begun {
			begun = true
			c.key("systemInstruction")
			c.open('{')
			c.key("parts")
			c.open('[')
		}
		c.open('{')
		c.member("text", text)
		c.close('}')
	}
	for _, p := range c.talk.System[:len(c.talk.System)-c.moved] {
		if p.Kind != chat.Text {
			c.lose(chat.Lost(chat.FieldSystem, chat.Dropped, "only text can be a system prompt"))
			continue
		}
		say(p.Text)
	}
	for _, line := range c.lines {
		say(line)
	}
	if begun {
		c.close(']')
		c.close('}')
	}
}

// rest writes and reports what stands at the root.
func (c *composer) rest() {
	if tier := tierOf(c.talk.Tier); tier != "" {
		c.member("serviceTier", tier)
	} else if c.talk.Tier != "" && c.talk.Tier != "auto" {
		c.lose(chat.Lost(chat.FieldTier, chat.Dropped, ""))
	}
	for _, e := range c.own {
		if !strings.Contains(e.Name, ".") {
			c.named(e.Name)
			c.raw(e.Value)
		}
	}
	if c.talk.User != "" {
		c.lose(chat.Lost(chat.FieldUser, chat.Ignored, ""))
	}
	if c.cached() {
		c.lose(chat.Lost(chat.FieldCache, chat.Ignored, "the API caches by itself"))
	}
	if c.strange > 0 {
		c.lose(chat.Lost(chat.FieldThinking, chat.Ignored, fmt.Sprintf("%d signatures are another model's", c.strange)))
	}
	if c.dummies {
		c.lose(chat.Lost(chat.FieldThinking, chat.Ignored, "calls without a signature of this model carry Google's placeholder"))
	}
}

// tierOf is the tier nearest to another dialect's word.
func tierOf(word string) string {
	switch word {
	case "default", "standard", "standard_only":
		return "standard"
	case "flex":
		return "flex"
	case "priority", "fast":
		return "priority"
	}
	return ""
}

// cached reports whether the prompt is marked for caching anywhere.
func (c *composer) cached() bool {
	marked := c.talk.Cache != nil
	for _, p := range c.talk.System {
		marked = marked || p.Cache != nil
	}
	for _, t := range c.talk.Tools {
		marked = marked || t.Cache != nil
	}
	for i := range c.talk.Messages {
		for j := range c.talk.Messages[i].Parts {
			marked = marked || c.talk.Messages[i].Parts[j].Cache != nil
		}
	}
	return marked
}

// size is about how long a request will be, so that its buffer is made once.
func size(talk *chat.Conversation) int {
	n := 512
	for _, p := range talk.System {
		n += len(p.Text) + len(p.Text)/16 + 32
	}
	for i := range talk.Messages {
		n += 64
		n += weigh(talk.Messages[i].Parts)
	}
	for _, t := range talk.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema) + 128
	}
	if talk.Format != nil {
		n += len(talk.Format.Schema)
	}
	return n
}

func weigh(parts []chat.Part) int {
	n := 0
	for i := range parts {
		p := &parts[i]
		n += len(p.Text) + len(p.Text)/16 + len(p.Proof) + len(p.Raw) + 96
		if p.Media != nil {
			n += len(p.Media.Base64) + len(p.Media.Plain)*4/3 + len(p.Media.URL)
		}
		n += weigh(p.Content)
	}
	return n
}
