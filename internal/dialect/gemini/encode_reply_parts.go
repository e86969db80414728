package gemini

import (
	"cmp"
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// replyWriter writes the parts of an answer to a client, whole or in pieces.
type replyWriter struct {
	jsonscan.Writer
	show    bool   // the client wants to read thoughts
	pending string // the signature of thoughts that are not shown: the next part carries it
	unheard bool   // thoughts that are not shown have words
	refusal []byte // in which words the model said that it would not
	said    []byte // all text, as far as citations may point into it
	length  int    // of the last text, in bytes
	before  int    // bytes of text before it
	placed  int    // how many of cites have their place
	cites   []citation
}

// citation is a source with its place in the bytes of all text, and what stands there.
type citation struct {
	*chat.Citation
	start, end int
	text       string
}

// writePart writes one part, or a piece of one; of a call only a whole one.
func (w *replyWriter) writePart(p *chat.Part) {
	switch p.Kind {
	case chat.Text:
		w.writeWords(p)
	case chat.Refusal:
		if len(w.refusal) < mostSaid {
			w.refusal = append(w.refusal, p.Text...)
		}
		w.writeWords(p)
	case chat.Thought:
		w.writeThought(p)
	case chat.Redacted:
		w.carry(hide(p.Text))
	case chat.Image, chat.Audio, chat.Video, chat.Document:
		w.writeMedia(p)
	case chat.ToolCall:
		w.writeCall(p)
	case chat.ToolResult: // no answer has one
	case chat.Opaque:
		w.writeOpaque(p)
	}
}

// writeWords writes text.
func (w *replyWriter) writeWords(p *chat.Part) {
	if p.Text != "" || p.Proof != "" {
		w.writeText(p.Text, w.signatureOf(p.Proof))
	}
	if w.length += len(p.Text); len(w.said) < mostSaid {
		w.said = append(w.said, p.Text...)
	}
	for i := range p.Citations {
		if isNamed(&p.Citations[i]) {
			w.cites = append(w.cites, citation{Citation: &p.Citations[i]})
		}
	}
}

// place ends a text: what rests on its sources is known now. A source that does not say
// which characters it is for is for all of them.
func (w *replyWriter) place() {
	for ; w.placed < len(w.cites); w.placed++ {
		c := &w.cites[w.placed]
		c.start, c.end, c.text = offsetOf(w.said, c.Start), offsetOf(w.said, c.End), c.Quote
		if c.Start == 0 && c.End == 0 { // and what is quoted is the source
			if c.start, c.end = w.before, w.before+w.length; c.end <= len(w.said) {
				c.text = string(w.said[c.start:c.end])
			}
		}
	}
	w.before, w.length = w.before+w.length, 0
}

// writeText writes a part of text.
func (w *replyWriter) writeText(text, signature string) {
	w.Open(jsonscan.Object).Key("text").Text(text)
	w.sign(signature)
	w.Close(jsonscan.Object)
}

// offsetOf is how many bytes so many characters are.
func offsetOf(text []byte, characters int) int {
	at := 0
	for ; characters > 0 && at < len(text); characters-- {
		_, n := utf8.DecodeRune(text[at:])
		at += n
	}
	return at
}

// writeThought writes thoughts for who asked for them. For others their signature
// goes with the part that follows, unless it is one of words: the model that made it
// takes it back only with them.
func (w *replyWriter) writeThought(p *chat.Part) {
	if !w.show {
		w.unheard = w.unheard || p.Text != ""
		if p.Proof != "" && !w.unheard {
			w.carry(p.Proof)
		}
		w.unheard = w.unheard && p.Proof == ""
		return
	}
	if p.Text == "" && p.Proof == "" {
		return
	}
	w.release() // thoughts come back in the order in which they were
	w.Open(jsonscan.Object).Key("text").Text(p.Text).Key("thought").Bool(true)
	w.sign(p.Proof)
	w.Close(jsonscan.Object)
}

// carry keeps a signature for the next part. One that waits already gets an
// empty part of its own.
func (w *replyWriter) carry(signature string) {
	w.release()
	w.pending = signature
}

// release writes the signature that waits.
func (w *replyWriter) release() {
	if w.pending != "" {
		w.writeText("", w.signatureOf(""))
	}
}

// signatureOf is a part's own, or the one that waits for a part.
func (w *replyWriter) signatureOf(own string) string {
	if own != "" {
		w.release()
		return own
	}
	own, w.pending = w.pending, ""
	return own
}

// sign writes a signature. Official clients take only standard padded base64.
func (w *replyWriter) sign(signature string) {
	if signature == "" {
		return
	}
	if plain, ok := dialect.StandardBase64(signature); !ok || plain != signature {
		signature = chat.Envelope{Raw: signature}.Wrap()
	}
	w.Key("thoughtSignature").Plain(signature)
}

func (w *replyWriter) writeCall(p *chat.Part) {
	signature := w.signatureOf(p.Proof)
	args, _ := dialect.CallArguments(p)
	w.Open(jsonscan.Object)
	writeCall(&w.Writer, p.ID, p.Name, oneLine(args))
	w.sign(signature)
	w.Close(jsonscan.Object)
}

func (w *replyWriter) writeMedia(p *chat.Part) {
	m := p.Media
	if m == nil {
		if p.Text != "" { // of a sound only what is said in it
			w.writeWords(&chat.Part{Kind: chat.Text, Text: p.Text})
		}
		return
	}
	data := m.Base64
	if data == "" && m.Plain != "" {
		data = base64.StdEncoding.EncodeToString([]byte(m.Plain))
	}
	uri := cmp.Or(m.URL, m.FileID)
	clean, ok := dialect.StandardBase64(data)
	if !ok && uri == "" {
		return
	}
	signature := w.signatureOf(p.Proof)
	w.Open(jsonscan.Object)
	if ok {
		writeInline(&w.Writer, typeOr(m.Type, p.Kind), clean)
	} else {
		writeFile(&w.Writer, uri, m.Type)
	}
	w.sign(signature)
	w.Close(jsonscan.Object)
}

// writeOpaque writes what only this API has as it is, and of others the words.
func (w *replyWriter) writeOpaque(p *chat.Part) {
	if slices.Contains(opaques, p.Name) && jsonscan.Root(p.Raw).Kind() == jsonscan.Object {
		w.release()
		w.Raw(oneLine(p.Raw))
		return
	}
	if p.Text != "" {
		w.writeWords(&chat.Part{Kind: chat.Text, Text: p.Text})
	}
}

// writeEnd writes a candidate's fields that come after its parts.
func (w *replyWriter) writeEnd(stop chat.Stop) {
	w.Key("finishReason").Text(finishReason(stop, len(w.refusal) > 0))
	if stop.Reason == chat.Refused && stop.Explanation == "" {
		stop.Explanation = string(w.refusal)
	}
	if stop.Reason == chat.Refused && stop.Explanation != "" {
		w.Key("finishMessage").Text(stop.Explanation)
	}
	w.writeGrounding()
}

// writeGrounding writes the citations as the sources of what was said.
func (w *replyWriter) writeGrounding() {
	if w.place(); len(w.cites) == 0 {
		return
	}
	var sources []*chat.Citation
	places := make(map[[3]string]int)
	source := func(c *chat.Citation) int {
		key := [3]string{c.URL, c.Title}
		if c.URL == "" && c.Quotes() {
			key[2] = c.Quote
		}
		at, ok := places[key]
		if !ok {
			at, sources = len(sources), append(sources, c)
			places[key] = at
		}
		return at
	}
	w.Key("groundingMetadata").Open(jsonscan.Object).Key("groundingSupports").Open(jsonscan.Array)
	for _, c := range w.cites {
		w.Open(jsonscan.Object).Key("segment").Open(jsonscan.Object)
		if c.start > 0 {
			w.Key("startIndex").Int(int64(c.start))
		}
		if c.end > 0 {
			w.Key("endIndex").Int(int64(c.end))
		}
		writeText(&w.Writer, "text", c.text)
		w.Close(jsonscan.Object).Key("groundingChunkIndices").Open(jsonscan.Array)
		w.Int(int64(source(c.Citation))).Close(jsonscan.Array).Close(jsonscan.Object)
	}
	w.Close(jsonscan.Array).Key("groundingChunks").Open(jsonscan.Array)
	for _, c := range sources {
		kind := "web"
		if c.URL == "" {
			kind = "retrievedContext"
		}
		w.Open(jsonscan.Object).Key(kind).Open(jsonscan.Object)
		writeText(&w.Writer, "uri", c.URL)
		writeText(&w.Writer, "title", c.Title)
		if kind == "retrievedContext" && c.Quotes() {
			writeText(&w.Writer, "text", c.Quote)
		}
		w.Close(jsonscan.Object).Close(jsonscan.Object)
	}
	w.Close(jsonscan.Array).Close(jsonscan.Object)
	w.cites, w.placed = nil, 0
}
