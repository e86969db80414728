package gemini

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// writePart writes one part into a turn, with its signature.
func (w *requestWriter) writePart(r role, p piece, proof string) {
	if len(p.Citations) > 0 {
		w.lose(chat.LostPart(*p.m, *p.Part, chat.Ignored, "citations"))
	}
	switch p.Kind {
	case chat.Text:
		w.beginTurn(r)
		w.wrapPart(p, proof, func() { w.Key("text").Text(p.Text) })
	case chat.Refusal:
		w.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "sent as text"))
		w.beginTurn(r)
		w.wrapPart(p, proof, func() { w.Key("text").Text(p.Text) })
	case chat.Thought:
		if r != model {
			w.lose(chat.LostPart(*p.m, *p.Part, chat.Dropped, "only the model's turns have thoughts"))
			return
		}
		w.beginTurn(r)
		w.writeThought(p, proof)
	case chat.Redacted:
		w.lose(chat.LostPart(*p.m, *p.Part, chat.Ignored, "only another model can read it"))
	case chat.Image, chat.Audio, chat.Video, chat.Document:
		w.writeMedia(r, p, proof)
	case chat.ToolCall:
		w.beginTurn(r)
		if r != model { // only a model calls
			w.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "sent as text: it is no model's turn"))
			w.say("[" + p.Name + " " + p.Text + "]")
			return
		}
		w.wrapPart(p, proof, func() { w.writeCall(p) })
	case chat.ToolResult: // the model has none: it gets them
		w.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "a result in the model's own turn: sent as text"))
		for _, q := range asText(p.Part) {
			w.writePart(r, piece{Part: &q, m: p.m}, "")
		}
	case chat.Opaque:
		w.writeOpaque(r, p, proof)
	}
}

// wrapPart writes the object around a part's data.
func (w *requestWriter) wrapPart(p piece, proof string, data func()) {
	w.Open(jsonscan.Object)
	data()
	if proof != "" {
		w.Key("thoughtSignature").Text(proof)
	}
	if w.ours && p.Raw != nil && p.Kind != chat.Opaque {
		w.WriteInside(jsonscan.Root(p.Raw))
	}
	w.Close(jsonscan.Object)
}

func (w *requestWriter) writeThought(p piece, proof string) {
	w.wrapPart(p, proof, func() {
		w.Key("text").Text(p.Text)
		if p.Text != "" { // else it only carries the signature of a part that was empty
			w.Key("thought").Bool(true)
		}
	})
}

// opaques are the parts that only this API has.
var opaques = []string{"executableCode", "codeExecutionResult", "toolCall", "toolResponse"}

func (w *requestWriter) writeOpaque(r role, p piece, proof string) {
	switch {
	case slices.Contains(opaques, p.Name) && jsonscan.Root(p.Raw).Kind() == jsonscan.Object:
		w.beginTurn(r)
		raw, err := unsealPart(p.Raw, w.traits, w.target.Proof)
		w.err = cmp.Or(w.err, err)
		w.Raw(raw)
	case p.Text != "":
		w.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "sent as text"))
		w.beginTurn(r)
		w.wrapPart(p, proof, func() { w.Key("text").Text(p.Text) })
	case r == user:
		w.refuse(chat.LostPart(*p.m, *p.Part, chat.Dropped, ""), "the model's API has nothing like %s", p.Name)
	default:
		w.lose(chat.LostPart(*p.m, *p.Part, chat.Dropped, p.Name))
	}
}

func (w *requestWriter) writeCall(p piece) {
	args, odd := dialect.CallArguments(p.Part)
	if odd {
		w.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "the arguments are no object: sent under _raw"))
	}
	writeCall(&w.Writer, w.idOf(p.ID), w.names.To(p.Name), args)
}

// idOf is the id of a call, none where the upstream has refused them: turns and names tell then which result is whose.
func (w *requestWriter) idOf(id string) string {
	if w.refuses(dialect.CallIDs) {
		return ""
	}
	return id
}

// writeResult writes a call's result: its words as an object, its pictures
// beside them.
func (w *requestWriter) writeResult(id, name string, p *chat.Part) {
	var words []string
	below := false
	for i := range p.Content {
		switch inner := &p.Content[i]; {
		case w.mustStandApart(inner):
			below = true
		case inner.Kind == chat.Document:
			words = append(words, documentText(inner))
		case inner.Kind != chat.Image:
			words = append(words, inner.Text)
		}
	}
	if below && len(words) == 0 {
		words = []string{seeBelow}
	}
	w.Open(jsonscan.Object).Key("functionResponse").Open(jsonscan.Object)
	writeText(&w.Writer, "id", w.idOf(id))
	w.Key("name").Text(w.names.To(name)).Key("response")
	w.writeResponse(strings.Join(words, joinLines), p.Failed)
	begun := false
	for i := range p.Content {
		if inner := &p.Content[i]; inner.Kind == chat.Image && !w.mustStandApart(inner) {
			if !begun {
				begun = true
				w.Key("parts").Open(jsonscan.Array)
			}
			w.Open(jsonscan.Object)
			w.writeBlob(inner)
			w.Close(jsonscan.Object)
		}
	}
	if begun {
		w.Close(jsonscan.Array)
	}
	w.Close(jsonscan.Object)
	if w.ours && p.Raw != nil {
		w.WriteInside(jsonscan.Root(p.Raw))
	}
	w.Close(jsonscan.Object)
}

// writeResponse wraps a result's words in the object that the API wants.
func (w *requestWriter) writeResponse(text string, failed bool) {
	object := bytes.TrimSpace([]byte(text))
	if !failed && len(object) > 0 && object[0] == '{' && jsonscan.Valid(object, jsonscan.Strict) && !refers(object) {
		w.Raw(object)
		return
	}
	member := "output"
	if failed {
		member = "error"
	}
	w.Open(jsonscan.Object).Key(member).Text(text).Close(jsonscan.Object)
}

// refers reports whether an object has $ref or $defs, which the API refuses in a
// result (vercel/ai #14369).
func refers(object []byte) bool {
	return bytes.Contains(object, []byte(`"$ref"`)) || bytes.Contains(object, []byte(`"$defs"`))
}

// mustStandApart reports whether a piece of a result cannot be in it: documents, which
// some models refuse there (qwen-code #2028), pictures, which Google's models before Gemini 3
// do (gemini-cli #19436), and what no model takes there.
func (w *requestWriter) mustStandApart(p *chat.Part) bool {
	switch p.Kind {
	case chat.Audio, chat.Video:
		return true
	case chat.Document:
		return p.Media != nil && p.Media.Plain == ""
	case chat.Image:
		return w.isBlind() || p.Media == nil || p.Media.Base64 == "" && p.Media.URL == "" && !isOfGoogle(p.Media.FileID)
	}
	return false
}

// isBlind reports whether the model sees no pictures in results.
func (w *requestWriter) isBlind() bool {
	return w.target.Beside || !w.traits.signed && !w.target.Compatible
}

const citesDocument = "citations of the document"

// writeMedia writes a picture, a sound, a clip or a document.
func (w *requestWriter) writeMedia(r role, p piece, proof string) {
	m := p.Media
	if m != nil && m.Cite {
		w.lose(chat.LostPart(*p.m, *p.Part, chat.Dropped, citesDocument))
	}
	switch {
	case p.Kind == chat.Document && len(p.Content) > 0:
		w.writeDocument(r, p)
	case m == nil || m.Base64 == "" && m.URL == "" && m.FileID == "" && m.Plain == "":
		w.writeWithoutMedia(r, p)
	case m.Plain != "" && (m.Name != "" || m.Note != "" || p.Name != "" || m.Cite):
		w.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "the document is sent as text"))
		w.beginTurn(r)
		w.say(documentText(p.Part))
	case m.FileID != "" && !isOfGoogle(m.FileID):
		w.refuse(chat.LostPart(*p.m, *p.Part, chat.Dropped, ""), "the file %q is not one of this model's API", m.FileID)
	case r == user && w.refuseUnseen(p):
	default:
		if m.Name != "" || p.Name != "" {
			w.lose(chat.LostPart(*p.m, *p.Part, chat.Ignored, "the file's name"))
		}
		if level := strings.ToLower(detailOf(m.Detail)); level != m.Detail && m.Detail != "auto" {
			w.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, strings.TrimSpace("detail "+level)))
		}
		w.beginTurn(r)
		if m.Note != "" { // what the client says about the document is for the model to read
			w.say(m.Note)
		}
		w.wrapPart(p, proof, func() {
			w.writeBlob(p.Part)
			switch level := detailOf(m.Detail); {
			case level == "" || !w.traits.signed:
			case w.refuses(mediaResolution):
				w.lose(chat.LostPart(*p.m, *p.Part, chat.Dropped, "detail: "+notTaken))
			default:
				w.Key("mediaResolution").Open(jsonscan.Object).Key("level").Text(resolutions.prefix + level)
				w.Close(jsonscan.Object)
			}
		})
	}
}

// pictures are the types that Google's own models see.
var pictures = []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}

// refuseUnseen refuses a picture that the model cannot see, and reports whether it did.
func (w *requestWriter) refuseUnseen(p piece) bool {
	if p.Kind != chat.Image || p.Media == nil || p.Media.Base64 == "" || w.target.Compatible {
		return false
	}
	kind := dialect.TypeOf(p.Media)
	if kind == "" || slices.Contains(pictures, kind) {
		return false
	}
	w.refuse(chat.LostPart(*p.m, *p.Part, chat.Dropped, ""), "the model takes pictures in PNG, JPEG, WebP, HEIC and HEIF, not %q", kind)
	return true
}

// writeWithoutMedia writes what has only a transcript, or nothing.
func (w *requestWriter) writeWithoutMedia(r role, p piece) {
	if p.Text == "" {
		w.lose(chat.LostPart(*p.m, *p.Part, chat.Dropped, "there is nothing to send"))
		return
	}
	w.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "its transcript is sent"))
	w.beginTurn(r)
	w.say(p.Text)
}

// writeDocument writes a document that is made of blocks.
func (w *requestWriter) writeDocument(r role, p piece) {
	w.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "the document is sent as its parts"))
	about := []string{p.Name}
	if m := p.Media; m != nil {
		if m.Name != p.Name {
			about = append(about, m.Name)
		}
		about = append(about, m.Note)
	}
	for _, words := range about {
		if words != "" {
			w.beginTurn(r)
			w.say(words)
		}
	}
	for i := range p.Content {
		inner := p.Content[i]
		inner.At = p.At
		if !isBlank(&inner) {
			w.writePart(r, piece{Part: &inner, m: p.m}, "")
		}
	}
}

// documentText is a document of words, with what is said about it.
func documentText(p *chat.Part) string {
	var lines []string
	if p.Name != "" {
		lines = append(lines, p.Name)
	}
	if m := p.Media; m != nil {
		if m.Name != "" && m.Name != p.Name {
			lines = append(lines, m.Name)
		}
		if m.Note != "" {
			lines = append(lines, m.Note)
		}
		lines = append(lines, m.Plain)
	}
	for i := range p.Content {
		if p.Content[i].Text != "" {
			lines = append(lines, p.Content[i].Text)
		}
	}
	return strings.Join(lines, joinLines)
}

// writeBlob writes inlineData or fileData.
func (w *requestWriter) writeBlob(p *chat.Part) {
	m := p.Media
	kind := dialect.TypeOf(m)
	if dialect.IsText(kind) && !strings.HasPrefix(kind, "text/") { // the API takes application/json as text only
		kind = "text/plain"
	}
	switch {
	case m.Base64 != "":
		writeInline(&w.Writer, typeOr(kind, p.Kind), m.Base64)
	case m.Plain != "":
		writeInline(&w.Writer, typeOr(kind, 0), base64.StdEncoding.EncodeToString([]byte(m.Plain)))
	case m.URL != "":
		writeFile(&w.Writer, m.URL, cmp.Or(kind, typeByExtension(m.URL)))
	default:
		writeFile(&w.Writer, m.FileID, kind)
	}
}
