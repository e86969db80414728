package gemini

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/pattern"
)

// EncodeRequest writes a conversation of any origin as this API takes it. The
// same conversation always gives the same bytes, and a longer one begins with
// the contents of the shorter.
func (Codec) EncodeRequest(talk *chat.Conversation, t dialect.Upstream) (dialect.Outgoing, error) {
	w := &requestWriter{
		talk: talk, target: t, traits: traitsOf(t.Model),
		names:  dialect.Names{Legal: isLegalName, Longest: longestName},
		Writer: *jsonscan.NewWriter(make([]byte, 0, size(talk))),
	}
	if w.refuses(dialect.ToolNames) {
		w.names.Narrow()
	}
	w.narrowTools()
	w.writeExtras()
	w.Open(jsonscan.Object)
	w.writeContents()
	w.writeTools()
	w.writeGenerationConfig()
	w.writeSystem()
	w.writeRest()
	if t.Resume != "" {
		w.Key("continuationToken").Text(t.Resume)
	}
	w.Close(jsonscan.Object)
	if w.err != nil {
		return dialect.Outgoing{}, w.err
	}
	return dialect.Outgoing{
		Path: addressOf(t), Body: w.Bytes(), Losses: w.losses,
		Stops: w.stops, Names: w.names.Back(),
	}, nil
}

// requestWriter writes one request.
type requestWriter struct {
	jsonscan.Writer
	talk   *chat.Conversation
	target dialect.Upstream
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
func (w *requestWriter) lose(l chat.Loss) { w.losses = append(w.losses, l) }

// refuse ends the request: what it is about must not be left out.
func (w *requestWriter) refuse(l chat.Loss, format string, args ...any) {
	if w.err == nil {
		w.err = refuse(l, format, args...)
	}
}

// refuse makes a 400 that names the field it is about. The loss rides along, so
// that the client is told it in the words of its own dialect.
func refuse(l chat.Loss, format string, args ...any) error {
	field := l.Field
	switch {
	case l.Field == chat.FieldPart && l.Part >= 0:
		_, part, _ := unpackAt(l.Part)
		field = fmt.Sprintf("messages[%d].content[%d]", l.Message, part)
	case l.Field == chat.FieldPart && l.Message >= 0:
		field = fmt.Sprintf("messages[%d]", l.Message)
	case l.Field == chat.FieldTool && l.Part >= 0:
		_, tool, _ := unpackAt(l.Part)
		field = fmt.Sprintf("tools[%d]", tool)
	default:
		if _, own, ok := strings.Cut(l.Field, "."); ok {
			field = own
		}
	}
	e := fault.New(fault.InvalidParameter, "%s: %s.", field, fmt.Sprintf(format, args...)).Field(field)
	e.About = l
	return e
}

// writeExtras sorts what only one dialect knows: this one's is written back, and what it has too;
// others' is reported by what leaving it out means.
func (w *requestWriter) writeExtras() {
	for _, e := range w.talk.Extra {
		if own, ok := strings.CutPrefix(e.Name, name+"."); ok {
			parent := own[:max(strings.LastIndexByte(own, '.'), 0)]
			if carrier().MatchString(parent) {
				w.ours = true // carried by the part or the tool itself
				continue
			}
			if !slices.Contains(parents, parent) {
				w.lose(chat.Lost(e.Name, chat.Dropped, ""))
				continue
			}
			w.own = append(w.own, chat.Extra{Name: own, Value: e.Value})
			continue
		}
		if w.adopt(e) {
			continue
		}
		loss := chat.Lost(e.Name, chat.Dropped, "")
		switch e.Effect {
		case chat.Vital:
			w.refuse(loss, "this model's API has nothing for it")
		case chat.Harmless:
			loss.Verb = chat.Ignored
		case chat.Shapes:
		}
		w.lose(loss)
	}
}

// parents are the objects that this dialect's own extras are written back into.
var parents = []string{"", "generationConfig", "generationConfig.thinkingConfig", "toolConfig", "toolConfig.functionCallingConfig"}

// carrier matches the places of parts and tools, which carry their own extras.
var carrier = pattern.New(`^(contents\[\d+\]\.parts|tools\[\d+\]\.functionDeclarations)\[\d+\]$`)

// has reports whether there are own extras in an object, or deeper.
func (w *requestWriter) has(object string) bool {
	return slices.ContainsFunc(w.own, func(e chat.Extra) bool { return strings.HasPrefix(e.Name, object+".") })
}

// writeExtrasOf writes this dialect's own extras that belong into an object.
func (w *requestWriter) writeExtrasOf(object string) {
	for _, e := range w.own {
		if field, ok := strings.CutPrefix(e.Name, object+"."); ok && !strings.Contains(field, ".") {
			w.Key(field).Raw(e.Value)
		}
	}
}

// writeSystem writes the system prompt and what had to be added to it.
func (w *requestWriter) writeSystem() {
	begun := false
	say := func(text string) {
		if strings.TrimSpace(text) == "" {
			return
		}
		if !begun {
			begun = true
			w.Key("systemInstruction").Open(jsonscan.Object).Key("parts").Open(jsonscan.Array)
		}
		w.Open(jsonscan.Object).Key("text").Text(text).Close(jsonscan.Object)
	}
	for _, p := range w.talk.System[:len(w.talk.System)-w.moved] {
		if w.traits.unled && len(w.talk.Messages) > 0 {
			break // said already
		}
		if len(p.Citations) > 0 {
			w.lose(chat.Loss{Field: chat.FieldSystem, Message: -1, Part: p.At, Verb: chat.Ignored, Note: "citations"})
		}
		if p.Kind != chat.Text {
			w.lose(chat.Lost(chat.FieldSystem, chat.Dropped, "only text can be a system prompt"))
			continue
		}
		say(p.Text)
	}
	for _, line := range w.lines {
		say(line)
	}
	if begun {
		w.Close(jsonscan.Array).Close(jsonscan.Object)
	}
}

// writeRest writes and reports what stands at the root.
func (w *requestWriter) writeRest() {
	if tier := tierOf(w.talk.Tier); tier != "" && !w.refuses(serviceTier) {
		w.Key("serviceTier").Text(tier)
	} else if w.talk.Tier != "" && w.talk.Tier != "auto" {
		w.lose(chat.Lost(chat.FieldTier, chat.Dropped, ""))
	}
	for _, e := range w.own {
		if !strings.Contains(e.Name, ".") {
			w.Key(e.Name).Raw(e.Value)
		}
	}
	if w.talk.User != "" {
		w.lose(chat.Lost(chat.FieldUser, chat.Ignored, ""))
	}
	if w.isCached() {
		w.lose(chat.Lost(chat.FieldCache, chat.Ignored, "the API caches by itself"))
	}
	if w.strange > 0 {
		w.lose(chat.Lost(chat.FieldThinking, chat.Ignored, fmt.Sprintf("%d signatures are another model's", w.strange)))
	}
	if w.dummies {
		w.lose(placeholders)
	}
	if w.refuses(dialect.CallIDs) {
		w.lose(chat.Lost(chat.FieldMessages, chat.Ignored, "ids of calls: the server does not know them"))
	}
}

// placeholders says that there are calls with a signature that stands for none.
var placeholders = chat.Lost(chat.FieldThinking, chat.Ignored, "calls without a signature of this model carry Google's placeholder")

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

// isCached reports whether the prompt is marked for caching anywhere.
func (w *requestWriter) isCached() bool {
	marked := w.talk.Cache != nil || hasMark(w.talk.System)
	for _, t := range w.talk.Tools {
		marked = marked || t.Cache != nil
	}
	for i := range w.talk.Messages {
		marked = marked || hasMark(w.talk.Messages[i].Parts)
	}
	return marked
}

// hasMark reports whether one of the parts, or of what is in them, is marked.
func hasMark(parts []chat.Part) bool {
	return slices.ContainsFunc(parts, func(p chat.Part) bool { return p.Cache != nil || hasMark(p.Content) })
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
