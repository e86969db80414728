package gemini

import (
	"fmt"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// DecodeRequest checks the body. Model and streaming are in the path, so nothing is
// read of it here but the names of its members.
func (Codec) DecodeRequest(in dialect.Incoming) (*chat.Request, error) {
	var misspelled error
	facts, err := dialect.Survey(in.Body, func(key jsonscan.Key, v jsonscan.Value) {
		if misspelled == nil {
			misspelled = checkName(key, v)
		}
	})
	if err != nil {
		return nil, err
	}
	if in.Model == "" {
		return nil, fault.New(fault.MissingParameter, "The path names no model.").With("field", "model")
	}
	if misspelled != nil {
		return nil, misspelled
	}
	method := "generateContent"
	if in.Stream {
		method = "streamGenerateContent"
	}
	origin := chat.Origin{Dialect: name, Body: in.Body, Facts: facts, Header: in.Header, Method: method, Usage: true, Unframed: in.Stream && !in.Framed}
	return chat.NewRequest(in.Model, in.Stream, origin, func() (*chat.Conversation, error) { return decode(in.Body) }), nil
}

// members are those of a request, in the first of their two spellings.
var members = dialect.NewKnown([]string{
	"contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "thinkingConfig", "serviceTier", "model", "reasoning", "thinking",
	"reasoningEffort", "extraBody", "options", "cachedContent", "continuationToken", "labels", "store", "safetySettings",
})

// Fields are the members of a request that the dialect looks at.
func Fields() *dialect.Known { return members }

// checkName refuses a member that is a field but for its letters' case, also in what
// counts as part of the body.
func checkName(key jsonscan.Key, v jsonscan.Value) error {
	name := camel(key.Name)
	if err := members.Check(name); err != nil {
		return err
	}
	if name != "extraBody" && name != "options" {
		return nil
	}
	for key, v := range v.Members() {
		if err := checkName(key, v); err != nil {
			return err
		}
	}
	return nil
}

// reader reads a client's body into a conversation. Its first complaint is the
// request's error.
type reader struct {
	cursor
	talk   *chat.Conversation
	err    error
	within string   // the message being read; "" at the root
	seen   set      // members read so far: at the root, and of generationConfig
	under  [][]byte // objects that are merged under the body's own members
	merged bool     // one of them is being read
	turns  turns
	format format
	detail string // mediaResolution of the whole request
	loose  []loose
}

// decode reads a body that was checked.
func decode(body []byte) (*chat.Conversation, error) {
	r := &reader{cursor: cursor{b: body}, talk: &chat.Conversation{}, turns: turns{content: -1, part: -1}}
	r.root()
	for i := 0; i < len(r.under) && r.err == nil; i++ {
		r.cursor, r.merged = cursor{b: r.under[i]}, true
		r.root()
	}
	r.settle()
	if r.err == nil && len(r.talk.Messages) == 0 {
		r.fail(fault.MissingParameter, "contents", "has nothing in it")
	}
	if r.err == nil && r.bad {
		r.err = fault.New(fault.InvalidRequestBody, "The request body cannot be read.")
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.talk, nil
}

// fail keeps the first complaint and ends every loop.
func (r *reader) fail(code fault.Code, field, what string) {
	r.bad = true
	if r.err == nil {
		path := r.where(field)
		r.err = fault.New(code, "%s %s.", path, what).With("field", path)
	}
}

// where is the path of a member of what is being read, or of that itself.
func (r *reader) where(field string) string {
	path := r.within
	if t := &r.turns; t.content >= 0 {
		path = "contents[" + strconv.Itoa(t.content) + "]"
		if t.part >= 0 {
			path += ".parts[" + strconv.Itoa(t.part) + "]"
		}
	}
	if path != "" && field != "" {
		path += "."
	}
	return path + field
}

// wrong complains about a member of the wrong JSON type.
func (r *reader) wrong(field, want string) { r.fail(fault.InvalidRequestBody, field, "must be "+want) }

// again reports whether a member was read before. Spelled in both ways in one
// object it is refused, as Google does; in a merged object it is passed over.
func (r *reader) again(scope string, key []byte) bool {
	if r.seen.add(scope + string(key)) {
		return false
	}
	if r.merged {
		r.skip()
	} else {
		r.fail(fault.InvalidRequestBody, string(key), "is given twice")
	}
	return true
}

// root reads the members of the whole request.
func (r *reader) root() {
	if !r.enter('{') {
		r.bad = true
		return
	}
	for {
		key, more := r.key()
		if !more {
			return
		}
		if r.merged && string(key) == "generationConfig" {
			r.config() // merged member by member
		} else if !r.again("", key) {
			r.member(key)
		}
	}
}

func (r *reader) member(key []byte) {
	switch string(key) {
	case "contents":
		r.contents()
	case "systemInstruction":
		r.system()
	case "tools":
		r.tools()
	case "toolConfig":
		r.toolConfig()
	case "generationConfig":
		r.config()
	case "thinkingConfig":
		r.thinking("")
	case "serviceTier":
		tier, ok := r.enum(tiers)
		if !ok {
			r.wrong("serviceTier", "a string")
		}
		r.talk.Tier = strings.ToLower(tier)
	case "model": // the path decides
		r.skip()
	case "reasoning", "thinking", "reasoningEffort":
		r.loosely()
	case "extraBody", "options":
		r.underneath(string(key))
	case "cachedContent", "continuationToken":
		r.extra(string(key), chat.Vital)
	case "labels", "store":
		r.extra(string(key), chat.Harmless)
	case "safetySettings":
		r.extra(string(key), chat.Shapes)
	default:
		r.unknown()
	}
}

// unknown keeps a member that nobody knows, if it can be a member at all.
func (r *reader) unknown() {
	if plain(string(r.spelled)) {
		r.extra(string(r.spelled), chat.Shapes)
		return
	}
	r.note(name+"."+r.where("?"), chat.Dropped, "%q is no name of a field", r.spelled)
	r.skip()
}

// plain reports whether a name can be part of a path.
func plain(field string) bool { return field != "" && !strings.ContainsAny(field, ".[]") }

// underneath keeps an object whose members count where the body has none itself.
func (r *reader) underneath(field string) {
	if r.peek() != '{' {
		r.wrong(field, "an object")
		return
	}
	r.under = append(r.under, r.raw())
}

// extra keeps a member that only this API knows.
func (r *reader) extra(field string, effect chat.Effect) {
	r.talk.Extra = append(r.talk.Extra, chat.Extra{Name: name + "." + r.where(field), Value: r.raw(), Effect: effect})
}

// note reports what the decoder itself did about a field.
func (r *reader) note(field string, verb chat.Verb, format string, args ...any) {
	r.talk.Notes = append(r.talk.Notes, chat.Lost(field, verb, fmt.Sprintf(format, args...)))
}

// settle decides what could not be decided before all was read.
func (r *reader) settle() {
	r.settleThinking()
	r.settleFormat()
	r.settleDetail()
}

// system reads systemInstruction: a Content, or just a string.
func (r *reader) system() {
	if r.peek() == '"' {
		text, _ := r.text()
		r.talk.System = appendText(r.talk.System, text, 0)
		return
	}
	if !r.enter('{') {
		r.wrong("systemInstruction", "a Content or a string")
		return
	}
	for {
		key, more := r.key()
		if !more {
			return
		}
		if string(key) != "parts" {
			r.skip() // its role means nothing
			continue
		}
		r.each("systemInstruction.parts", func(i int) {
			var p wirePart
			wrong := r.part(&p)
			if wrong != "" || p.data != "text" {
				r.wrong(fmt.Sprintf("systemInstruction.parts[%d]", i), "text")
				return
			}
			r.talk.System = appendText(r.talk.System, p.text, i)
		})
	}
}

func appendText(parts []chat.Part, text string, at int) []chat.Part {
	if text == "" {
		return parts
	}
	return append(parts, chat.Part{Kind: chat.Text, Text: text, At: at})
}

// each calls do for the elements of a list, or for one object that stands for a
// list of one.
func (r *reader) each(field string, do func(i int)) {
	switch r.peek() {
	case '{':
		do(0)
	case '[':
		r.enter('[')
		for i := 0; r.item(); i++ {
			do(i)
		}
	default:
		r.wrong(field, "a list")
	}
}
