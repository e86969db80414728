package gemini

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// wirePart is one Part of a Content, as clients send and upstreams answer it.
type wirePart struct {
	raw        jsonscan.Value
	data       string // which data member it has: text, inlineData …; "": none
	twice      bool   // it has several
	text       string
	thought    bool
	signature  string
	id, name   string         // of a call or a response
	args       jsonscan.Value // of a functionCall
	pieces     jsonscan.Value // of its arguments: partialArgs
	goesOn     bool           // more of the call follows: willContinue
	response   jsonscan.Value // of a functionResponse
	parts      []wirePart     // of a functionResponse
	blob       wireBlob
	resolution string // mediaResolution.level
	extra      []wireMember
	wrong      string // which member of its data has the wrong type, where it is known
}

// wireBlob is an inlineData or a fileData.
type wireBlob struct {
	mimeType, data, fileURI, displayName string
}

// wireMember is a member that only this API knows.
type wireMember struct {
	name  string
	value []byte
}

// read reads one Part. A member of the wrong type is told by its name.
func (p *wirePart) read(v jsonscan.Value) (wrong string) {
	if v.Kind() != jsonscan.Object {
		return "."
	}
	p.raw = v
	for key, v := range fields(v) {
		if !p.readMember(key, v) && wrong == "" {
			wrong = key.name + p.wrong
		}
	}
	return wrong
}

// readMember reads one member and reports whether its type is right.
func (p *wirePart) readMember(key field, v jsonscan.Value) bool {
	ok := true
	switch key.name {
	case "text":
		p.addData(key.name)
		p.text, ok = v.Text()
	case "thought":
		p.thought, ok = v.Bool()
	case "thoughtSignature":
		p.signature, ok = v.Text()
	case "functionCall", "functionResponse":
		p.addData(key.name)
		ok = p.readFunction(v)
	case "inlineData", "fileData":
		p.addData(key.name)
		ok = p.readBlob(key.name, v)
	case "executableCode", "codeExecutionResult", "toolCall", "toolResponse":
		p.addData(key.name)
	case mediaResolution:
		ok = p.readResolution(v)
	default:
		p.extra = append(p.extra, wireMember{key.spelled, v.Raw()})
	}
	return ok
}

// readResolution reads {"level": "MEDIA_RESOLUTION_HIGH"}, or just the level.
func (p *wirePart) readResolution(v jsonscan.Value) (ok bool) {
	if v.Kind() != jsonscan.Object {
		p.resolution, ok = resolutions.readWord(v)
		return ok
	}
	ok = true
	for key, v := range fields(v) {
		if key.name == "level" {
			p.resolution, ok = resolutions.readWord(v)
		} else {
			p.extra = append(p.extra, wireMember{mediaResolution + "." + key.spelled, v.Raw()})
		}
	}
	return ok
}

// addData notes which data member there is. Beside text another is what the part is about.
func (p *wirePart) addData(data string) {
	p.twice = p.twice || p.data != ""
	if p.data == "" || data != "text" {
		p.data = data
	}
}

// readFunction reads a functionCall or a functionResponse. Their maps are free: not
// a name in them is touched.
func (p *wirePart) readFunction(v jsonscan.Value) bool {
	return readEach(v, func(key field, v jsonscan.Value) bool {
		ok := true
		switch key.name {
		case "id":
			p.id, ok = v.Text()
		case "name":
			p.name, ok = v.Text()
		case "args":
			p.args = v
		case "partialArgs":
			p.pieces = v
		case "response":
			p.response = v
		case "parts":
			ok = v.Kind() == jsonscan.Array
			for i, v := range v.Elements() {
				p.parts = append(p.parts, wirePart{})
				inner := &p.parts[i]
				if !inner.readBlobPart(v) && ok {
					ok, p.wrong = false, fmt.Sprintf(".parts[%d]", i)
				}
				for _, e := range inner.extra {
					p.extra = append(p.extra, wireMember{p.data + ".parts." + e.name, e.value})
				}
			}
		case "willContinue":
			if p.data == "functionCall" {
				p.goesOn, ok = v.Bool()
				break
			}
			fallthrough
		default:
			p.extra = append(p.extra, wireMember{p.data + "." + key.spelled, v.Raw()})
		}
		if !ok && p.wrong == "" {
			p.wrong = "." + key.name
		}
		return ok
	})
}

// readEach reads the members of an object, but for empty lists, which some libraries send in the
// place of nothing. It reports whether all of them are of the right type.
func readEach(v jsonscan.Value, read func(key field, v jsonscan.Value) bool) bool {
	fine := v.Kind() == jsonscan.Object
	for key, v := range fields(v) {
		if !dialect.IsEmptyList(v) && !read(key, v) {
			fine = false
		}
	}
	return fine
}

// readBlobPart reads a FunctionResponsePart, which can only be a blob.
func (p *wirePart) readBlobPart(v jsonscan.Value) bool {
	fine := true
	for key, v := range fields(v) {
		if key.name == "inlineData" || key.name == "fileData" {
			p.data = key.name
			fine = p.readBlob(key.name, v)
		} else {
			p.extra = append(p.extra, wireMember{key.spelled, v.Raw()})
		}
	}
	return fine && p.data != ""
}

// readBlob reads an inlineData or a fileData.
func (p *wirePart) readBlob(data string, v jsonscan.Value) bool {
	b := &p.blob
	return readEach(v, func(key field, v jsonscan.Value) (ok bool) {
		switch key.name {
		case "mimeType":
			b.mimeType, ok = v.Text()
		case "data":
			b.data, ok = v.Text()
		case "fileUri":
			b.fileURI, ok = v.Text()
		case "displayName":
			b.displayName, ok = v.Text()
		default:
			p.extra = append(p.extra, wireMember{data + "." + key.spelled, v.Raw()})
			ok = true
		}
		return ok
	})
}

// toPart makes a common part of a Part, be it a client's or an upstream's. The second
// result names the member that cannot be read.
func (p *wirePart) toPart() (chat.Part, string) {
	switch p.data {
	case "", "text":
		if p.thought {
			return chat.Part{Kind: chat.Thought, Text: p.text}, ""
		}
		return chat.Part{Kind: chat.Text, Text: p.text}, ""
	case "inlineData", "fileData":
		return p.toMedia()
	case "functionCall": // without arguments it has {}
		arguments := "{}"
		if p.args.Exists() {
			arguments = string(oneLine(p.args.Raw()))
		}
		if text, ok := p.args.Text(); ok { // some write the JSON down once more
			arguments = cmp.Or(strings.TrimSpace(text), "{}")
		}
		return chat.Part{Kind: chat.ToolCall, ID: p.id, Name: p.name, Text: arguments}, ""
	case "functionResponse":
		return p.toResult()
	}
	if !jsonscan.Valid(p.raw.Raw(), jsonscan.Duplicates) {
		return chat.Part{}, p.data
	}
	return chat.Part{Kind: chat.Opaque, Name: strings.Clone(p.data), Raw: bytes.Clone(p.raw.Raw()), Text: describe(p.data, fieldOf(p.raw, p.data))}, ""
}

// toResult makes a part of a functionResponse. Its words are those of its only member output,
// result or error; any other object is its own text.
func (p *wirePart) toResult() (chat.Part, string) {
	part := chat.Part{Kind: chat.ToolResult, ID: p.id, Name: p.name}
	text, failed := readResultText(p.response)
	part.Failed = failed
	if text != "" || len(p.parts) == 0 {
		part.Content = append(part.Content, chat.Part{Kind: chat.Text, Text: text})
	}
	for i := range p.parts {
		inner, wrong := p.parts[i].toPart()
		if wrong != "" {
			return part, "functionResponse.parts." + wrong
		}
		inner.At = i
		part.Content = append(part.Content, inner)
	}
	return part, ""
}

func readResultText(response jsonscan.Value) (text string, failed bool) {
	if text, ok := response.Text(); ok {
		return text, false
	}
	var only jsonscan.Value
	var name string
	for key, v := range response.Members() {
		if only.Exists() {
			return compactText(response.Raw()), false
		}
		name, only = key.Name, v
	}
	text, ok := only.Text()
	switch {
	case name == "error" && !ok:
		return compactText(only.Raw()), true
	case ok && (name == "error" || name == "output" || name == "result"):
		return text, name == "error"
	}
	return compactText(response.Raw()), false
}

// describe says in words what a part says that only Google understands.
func describe(kind string, v jsonscan.Value) string {
	switch kind {
	case "executableCode":
		return "```" + strings.ToLower(textOf(v, "language")) + "\n" + textOf(v, "code") + "\n```"
	case "codeExecutionResult":
		outcome := textOf(v, "outcome")
		if outcome == "OUTCOME_OK" || outcome == "OUTCOME_UNSPECIFIED" {
			outcome = ""
		}
		return "```" + strings.ToLower(outcome) + "\n" + textOf(v, "output") + "\n```"
	}
	return "[" + kind + "] " + compactText(v.Raw())
}

// oneLine is JSON that can stand in a frame, whose end is a line's. Google sets whole
// answers in several.
func oneLine(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	return []byte(compactText(raw))
}

// noteIdle tells of what a part at a path says that only parts of another kind can mean.
func (r *requestReader) noteIdle(path string, p *wirePart) {
	words := p.data == "" || p.data == "text"
	if p.thought && (!words || r.turns.content < 0) {
		r.note(name+"."+path+".thought", chat.Ignored, "only words of a turn are thoughts")
	}
	if p.resolution != "" && p.data != "inlineData" && p.data != "fileData" {
		r.note(name+"."+path+"."+mediaResolution, chat.Ignored, "only media have one")
	}
}

// isBareProof reports whether a part of a user's turn is a signature of nothing, and notes a signature: only what
// the model has made is signed, and without it the part would be an empty text, which Google refuses.
func (r *requestReader) isBareProof(m chat.Message, p chat.Part) bool {
	bare := p.Text == "" && (p.Kind == chat.Text || p.Kind == chat.Thought)
	if bare || p.Proof != "" {
		r.talk.Notes = append(r.talk.Notes, chat.LostPart(m, p, chat.Ignored, "a signature in a turn of the user's"))
	}
	return bare
}
