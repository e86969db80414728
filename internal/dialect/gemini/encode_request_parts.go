package gemini

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// write writes one part into a turn, with its signature.
func (c *composer) write(r role, p piece, proof string) {
	if len(p.Citations) > 0 {
		c.lose(chat.LostPart(*p.m, *p.Part, chat.Ignored, "citations"))
	}
	switch p.Kind {
	case chat.Text:
		c.turn(r)
		c.part(p, proof, func() { c.member("text", p.Text) })
	case chat.Refusal:
		c.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "sent as text"))
		c.turn(r)
		c.part(p, proof, func() { c.member("text", p.Text) })
	case chat.Thought:
		c.turn(r)
		c.thought(p, proof)
	case chat.Redacted:
		c.lose(chat.LostPart(*p.m, *p.Part, chat.Ignored, "only another model can read it"))
	case chat.Image, chat.Audio, chat.Video, chat.Document:
		c.media(r, p, proof)
	case chat.ToolCall:
		c.turn(r)
		c.part(p, proof, func() { c.functionCall(p) })
	case chat.ToolResult: // the model has none: it gets them
		c.lose(chat.LostPart(*p.m, *p.Part, chat.Dropped, "a result in the model's own turn"))
	case chat.Opaque:
		c.opaque(r, p, proof)
	}
}

// part writes the object around a part's data.
func (c *composer) part(p piece, proof string, data func()) {
	c.open('{')
	data()
	if proof != "" {
		c.member("thoughtSignature", proof)
	}
	if c.ours && p.Raw != nil && p.Kind != chat.Opaque {
		c.members(p.Raw)
	}
	c.close('}')
}

func (c *composer) thought(p piece, proof string) {
	c.part(p, proof, func() {
		c.member("text", p.Text)
		if p.Text != "" { // else it only carries the signature of a part that was empty
			c.key("thought")
			c.raw([]byte("true"))
		}
	})
}

// opaques are the parts that only this API has.
var opaques = []string{"executableCode", "codeExecutionResult", "toolCall", "toolResponse"}

func (c *composer) opaque(r role, p piece, proof string) {
	switch {
	case slices.Contains(opaques, p.Name) && jsontext.Value(p.Raw).Kind() == '{':
		c.turn(r)
		raw, err := unsealPart(p.Raw, c.traits, c.target.Proof)
		if err != nil {
			c.err = err
		}
		c.raw(raw)
	case p.Text != "":
		c.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "sent as text"))
		c.turn(r)
		c.part(p, proof, func() { c.member("text", p.Text) })
	default:
		c.lose(chat.LostPart(*p.m, *p.Part, chat.Dropped, p.Name))
	}
}

func (c *composer) functionCall(p piece) {
	c.key("functionCall")
	c.open('{')
	if p.ID != "" {
		c.member("id", p.ID)
	}
	c.member("name", c.names.To(p.Name))
	c.key("args")
	if p.Custom {
		c.open('{')
		c.member("input", p.Text)
		c.close('}')
	} else {
		args, odd := dialect.Arguments(p.Text)
		if odd {
			c.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "the arguments are no object: sent under _raw"))
		}
		c.raw(args)
	}
	c.close('}')
}

// functionResponse writes a call's result: its words as an object, its pictures
// beside them.
func (c *composer) functionResponse(id, name string, p *chat.Part) {
	var words []string
	below := false
	for i := range p.Content {
		switch inner := &p.Content[i]; {
		case apart(inner):
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
	c.open('{')
	c.key("functionResponse")
	c.open('{')
	if id != "" {
		c.member("id", id)
	}
	c.member("name", c.names.To(name))
	c.key("response")
	c.response(strings.Join(words, joinLines), p.Failed)
	begun := false
	for i := range p.Content {
		if inner := &p.Content[i]; inner.Kind == chat.Image && !apart(inner) {
			if !begun {
				begun = true
				c.key("parts")
				c.open('[')
			}
			c.open('{')
			c.blob(inner)
			c.close('}')
		}
	}
	if begun {
		c.close(']')
	}
	c.close('}')
	if c.ours && p.Raw != nil {
		c.members(p.Raw)
	}
	c.close('}')
}

// response wraps a result's words in the object that the API wants.
func (c *composer) response(text string, failed bool) {
	object := bytes.TrimSpace([]byte(text))
	if !failed && len(object) > 0 && object[0] == '{' && jsontext.Value(object).IsValid() && !refers(object) {
		c.raw(object)
		return
	}
	c.open('{')
	if failed {
		c.member("error", text)
	} else {
		c.member("output", text)
	}
	c.close('}')
}

// refers reports whether an object has $ref or $defs, which the API refuses in a
// result (vercel/ai #14369).
func refers(object []byte) bool {
	return bytes.Contains(object, []byte(`"$ref"`)) || bytes.Contains(object, []byte(`"$defs"`))
}

// apart reports whether a piece of a result cannot be in it: documents, which
// some models refuse there (qwen-code #2028), and what no model takes there.
func apart(p *chat.Part) bool {
	switch p.Kind {
	case chat.Audio, chat.Video:
		return true
	case chat.Document:
		return p.Media != nil && p.Media.Plain == ""
	case chat.Image:
		return p.Media == nil || p.Media.Base64 == "" && p.Media.URL == "" && !googles(p.Media.FileID)
	}
	return false
}

// media writes a picture, a sound, a clip or a document.
func (c *composer) media(r role, p piece, proof string) {
	m := p.Media
	switch {
	case m == nil && p.Kind == chat.Document && len(p.Content) > 0:
		c.document(r, p)
	case m == nil || m.Base64 == "" && m.URL == "" && m.FileID == "" && m.Plain == "":
		c.noMedia(r, p)
	case m.Plain != "" && (m.Name != "" || m.Note != "" || p.Name != "" || m.Cite):
		c.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "the document is sent as text"))
		c.turn(r)
		c.say(documentText(p.Part))
	case m.FileID != "" && !googles(m.FileID):
		c.refuse(chat.LostPart(*p.m, *p.Part, chat.Dropped, ""), "the file %q is not one of this model's API", m.FileID)
	default:
		if m.Cite {
			c.lose(chat.LostPart(*p.m, *p.Part, chat.Dropped, "citations of the document"))
		}
		if m.Name != "" || m.Note != "" || p.Name != "" {
			c.lose(chat.LostPart(*p.m, *p.Part, chat.Ignored, "the file's name"))
		}
		c.turn(r)
		c.part(p, proof, func() {
			c.blob(p.Part)
			if level := detail(m.Detail); level != "" && c.traits.signed {
				c.key("mediaResolution")
				c.open('{')
				c.member("level", resolutions.prefix+level)
				c.close('}')
			}
		})
	}
}

// noMedia is for what has only a transcript, or nothing.
func (c *composer) noMedia(r role, p piece) {
	if p.Text == "" {
		c.lose(chat.LostPart(*p.m, *p.Part, chat.Dropped, "there is nothing to send"))
		return
	}
	c.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "its transcript is sent"))
	c.turn(r)
	c.say(p.Text)
}

// document writes a document that is made of blocks.
func (c *composer) document(r role, p piece) {
	c.lose(chat.LostPart(*p.m, *p.Part, chat.Approximated, "the document is sent as its parts"))
	if p.Name != "" {
		c.turn(r)
		c.say(p.Name)
	}
	for i := range p.Content {
		inner := p.Content[i]
		inner.At = p.At
		if !blank(&inner) {
			c.write(r, piece{Part: &inner, m: p.m}, "")
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

// blob writes inlineData or fileData.
func (c *composer) blob(p *chat.Part) {
	m := p.Media
	kind := dialect.TypeOf(m)
	switch {
	case m.Base64 != "":
		c.key("inlineData")
		c.open('{')
		c.member("mimeType", orKind(kind, p.Kind))
		c.key("data")
		c.plain(m.Base64)
	case m.Plain != "":
		c.key("inlineData")
		c.open('{')
		c.member("mimeType", orKind(kind, 0))
		c.key("data")
		c.plain(base64.StdEncoding.EncodeToString([]byte(m.Plain)))
	default:
		uri := m.URL
		if uri == "" {
			uri = m.FileID
		} else if kind == "" {
			kind = byExtension(uri)
		}
		c.key("fileData")
		c.open('{')
		c.member("fileUri", uri)
		if kind != "" {
			c.member("mimeType", kind)
		}
	}
	c.close('}')
}

// orKind is a type, or the likeliest one for a kind of part.
func orKind(mimeType string, k chat.Kind) string {
	switch {
	case mimeType != "":
		return mimeType
	case k == chat.Image:
		return "image/png"
	case k == chat.Audio:
		return "audio/wav"
	case k == chat.Video:
		return "video/mp4"
	case k == chat.Document:
		return "application/pdf"
	}
	return "text/plain"
}

// detail is another dialect's word for a resolution in this one's.
func detail(word string) string {
	switch word {
	case "low", "medium", "high":
		return strings.ToUpper(word)
	case "original", "ultra_high":
		return "HIGH"
	}
	return ""
}
