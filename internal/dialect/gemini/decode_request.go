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
	facts, err := dialect.Survey(name, in.Body, func(key jsonscan.Key, v jsonscan.Value) {
		if misspelled == nil {
			misspelled = checkName(key, v, 0)
		}
	})
	if err != nil {
		return nil, err
	}
	if in.Model == "" {
		return nil, fault.New(fault.MissingParameter, "The path names no model.").Field("model")
	}
	if misspelled != nil {
		return nil, misspelled
	}
	origin := chat.Origin{Dialect: name, Body: in.Body, Facts: facts, Header: dialect.Heard(in.Header, dialect.Reworded), Usage: true, Unframed: in.Stream && !in.Framed}
	return chat.NewRequest(strings.Clone(in.Model), in.Stream, origin, func() (*chat.Conversation, error) { return decode(in.Body) }), nil
}

// members are those of a request, in the first of their two spellings.
var members = dialect.NewKnown([]string{
	"contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "thinkingConfig", "serviceTier", "model", "reasoning", "thinking",
	"reasoningEffort", "extraBody", "options", "cachedContent", "continuationToken", "labels", "store", "safetySettings",
})

// checkName refuses a member that is a field but for its letters' case, also in what
// counts as part of the body: extraBody and options, and one of them in the other.
func checkName(key jsonscan.Key, v jsonscan.Value, depth int) error {
	name := toCamel(key.Name)
	if err := members.Check(name); err != nil {
		return err
	}
	if depth == 2 || name != "extraBody" && name != "options" {
		return nil
	}
	for key, v := range v.Members() {
		if err := checkName(key, v, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// requestReader reads a client's body into a conversation. Its first complaint is the
// request's error.
type requestReader struct {
	talk   *chat.Conversation
	err    error
	within string           // the message being read; "" at the root
	seen   map[string]bool  // members read so far: at the root, and of generationConfig
	under  []jsonscan.Value // objects that are merged under the body's own members
	merged bool             // one of them is being read
	turns  turns
	format format
	detail string // mediaResolution of the whole request
	loose  []loose
}

// decode reads a body that was checked.
func decode(body []byte) (*chat.Conversation, error) {
	r := &requestReader{talk: &chat.Conversation{}, seen: make(map[string]bool), turns: turns{content: -1, part: -1}}
	r.readRoot(jsonscan.Root(body))
	for i := 0; i < len(r.under) && r.err == nil; i++ {
		r.merged = true
		r.readRoot(r.under[i])
	}
	r.settleThinking()
	r.settleFormat()
	r.settleDetail()
	if len(r.talk.Messages) == 0 {
		r.fail(fault.MissingParameter, "contents", "has nothing in it")
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.talk, nil
}

// readRoot reads the members of the whole request.
func (r *requestReader) readRoot(v jsonscan.Value) {
	for key, v := range fields(v) {
		switch {
		case r.err != nil:
			return
		case r.merged && key.name == "generationConfig":
			r.readConfig(v) // merged member by member
		case r.isFirst("", key):
			r.readMember(key, v)
		}
	}
}

func (r *requestReader) readMember(key field, v jsonscan.Value) {
	switch key.name {
	case "contents":
		r.readContents(v)
	case "systemInstruction":
		r.readSystem(v)
	case "tools":
		r.readTools(v)
	case "toolConfig":
		r.readToolConfig(v)
	case "generationConfig":
		r.readConfig(v)
	case "thinkingConfig":
		r.readThinking(v)
	case "serviceTier":
		r.talk.Tier = strings.ToLower(r.readEnum(tiers, key.name, v))
	case "model": // the path decides
	case "reasoning", "thinking", "reasoningEffort":
		r.readSwitch(key.spelled, v)
	case "extraBody", "options": // its members count where the body has none itself
		r.wantObject(key.name, v)
		r.under = append(r.under, v)
	case "cachedContent", "continuationToken":
		if dialect.Asks(v) {
			r.keepExtra(key.name, v, chat.Vital)
		}
	case "labels", "store":
		r.keepExtra(key.name, v, chat.Harmless)
	case "safetySettings":
		r.keepExtra(key.name, v, chat.Shapes)
	default:
		r.keepUnknown(key, v)
	}
}

// readSystem reads systemInstruction: a Content, or just a string.
func (r *requestReader) readSystem(v jsonscan.Value) {
	if text, ok := v.Text(); ok {
		r.addSystem(text, 0)
		return
	}
	if v.Kind() != jsonscan.Object && !dialect.IsEmptyList(v) {
		r.refuseType("systemInstruction", "a Content or a string")
	}
	for key, v := range fields(v) {
		switch key.name {
		case "parts":
		case "role": // it means nothing
			continue
		default:
			r.note(name+".systemInstruction."+key.spelled, chat.Dropped, "unknown")
			continue
		}
		r.wantList("systemInstruction.parts", v)
		for i, v := range items(v) {
			var p wirePart
			if wrong := p.read(v); wrong != "" || p.data != "text" {
				r.refuseType(fmt.Sprintf("systemInstruction.parts[%d]", i), "text")
				return
			}
			r.noteIdle(fmt.Sprintf("systemInstruction.parts[%d]", i), &p)
			for _, e := range p.extra {
				r.note(fmt.Sprintf("%s.systemInstruction.parts[%d].%s", name, i, e.name), chat.Dropped, "unknown")
			}
			r.addSystem(p.text, i)
		}
	}
}

func (r *requestReader) addSystem(text string, at int) {
	if text != "" {
		r.talk.System = append(r.talk.System, chat.Part{Kind: chat.Text, Text: text, At: at})
	}
}

// isFirst reports whether a member was not read before. Spelled in both ways in one
// object it is refused, as Google does; in a merged object it is passed over.
func (r *requestReader) isFirst(scope string, key field) bool {
	id := scope + key.name
	if !r.seen[id] {
		r.seen[id] = true
		return true
	}
	if !r.merged {
		r.fail(fault.InvalidRequestBody, key.name, "is given twice")
	}
	return false
}

// keepUnknown keeps a member that this API is not known to have, if it can be a member at
// all.
func (r *requestReader) keepUnknown(key field, v jsonscan.Value) {
	if isPlain(key.spelled) {
		r.keepExtra(key.spelled, v, chat.Shapes)
		return
	}
	r.note(name+"."+r.pathOf("?"), chat.Dropped, "%q is no name of a field", key.spelled)
}

// isPlain reports whether a name can be part of a path.
func isPlain(field string) bool { return field != "" && !strings.ContainsAny(field, ".[]") }

// keepExtra keeps a member that only this API knows.
func (r *requestReader) keepExtra(field string, v jsonscan.Value, effect chat.Effect) {
	if (v.Kind() == jsonscan.False || !dialect.Asks(v)) && effect != chat.Vital {
		return // false is as good as absent in this API
	}
	r.talk.Extra = append(r.talk.Extra, chat.Extra{Name: name + "." + r.pathOf(field), Value: v.Raw(), Effect: effect})
}

// note reports what the decoder itself did about a field.
func (r *requestReader) note(field string, verb chat.Verb, format string, args ...any) {
	r.talk.Notes = append(r.talk.Notes, chat.Lost(field, verb, fmt.Sprintf(format, args...)))
}

// fail keeps the first complaint.
func (r *requestReader) fail(code fault.Code, field, what string) {
	if r.err == nil {
		path := r.pathOf(field)
		r.err = fault.New(code, "%s %s.", path, what).Field(path)
	}
}

// pathOf is the path of a member of what is being read, or of that itself.
func (r *requestReader) pathOf(field string) string {
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

// refuseType complains about a member of the wrong JSON type.
func (r *requestReader) refuseType(field, want string) {
	r.fail(fault.InvalidRequestBody, field, "must be "+want)
}

// wantObject complains about what is no object, in which there is nothing to be read.
func (r *requestReader) wantObject(field string, v jsonscan.Value) {
	if v.Kind() != jsonscan.Object && !dialect.IsEmptyList(v) {
		r.refuseType(field, "an object")
	}
}

// wantList complains about what is neither a list nor the object that stands for a list
// of one.
func (r *requestReader) wantList(field string, v jsonscan.Value) {
	if v.Kind() != jsonscan.Array && v.Kind() != jsonscan.Object {
		r.refuseType(field, "a list")
	}
}

func (r *requestReader) readWord(field string, v jsonscan.Value) string {
	text, ok := v.Text()
	if !ok {
		r.refuseType(field, "a string")
	}
	return text
}

func (r *requestReader) readEnum(e enum, field string, v jsonscan.Value) string {
	word, ok := e.readWord(v)
	if !ok {
		r.refuseType(field, "a string")
	}
	return word
}

func (r *requestReader) readTexts(field string, v jsonscan.Value) (all []string) {
	if text, ok := v.Text(); ok {
		return []string{text}
	}
	if v.Kind() != jsonscan.Array {
		r.refuseType(field, "a list of strings")
	}
	for i, v := range v.Elements() {
		all = append(all, r.readWord(field+"["+strconv.Itoa(i)+"]", v))
	}
	return all
}

// readObject keeps a free object.
func (r *requestReader) readObject(field string, v jsonscan.Value) []byte {
	if r.wantObject(field, v); v.Kind() != jsonscan.Object {
		return nil
	}
	return v.Raw()
}
