package gemini

import (
	"encoding/base64"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// speaker writes the parts of an answer to a client, whole or in pieces.
type speaker struct {
	writer
	show    bool   // the client wants to read thoughts
	pending string // the signature of thoughts that are not shown: the next part carries it
	unheard bool   // thoughts that are not shown have words
	refused bool   // the model said that it would not
	said    []byte // the last text, as far as citations may point into it
	cites   []citation
}

// citation is a source with its place in bytes.
type citation struct {
	*chat.Citation
	start, end int
}

// part writes one part, or a piece of one; of a call only a whole one.
func (s *speaker) part(p *chat.Part) {
	switch p.Kind {
	case chat.Text:
		s.words(p)
	case chat.Refusal:
		s.refused = true
		s.words(p)
	case chat.Thought:
		s.thought(p)
	case chat.Redacted:
		s.carry(hide(p.Text))
	case chat.Image, chat.Audio, chat.Video, chat.Document:
		s.media(p)
	case chat.ToolCall:
		s.call(p)
	case chat.ToolResult: // no answer has one
	case chat.Opaque:
		s.opaque(p)
	}
}

// words writes text.
func (s *speaker) words(p *chat.Part) {
	if p.Text != "" || p.Proof != "" {
		signature := s.signature(p.Proof)
		s.open('{')
		s.member("text", p.Text)
		s.sign(signature)
		s.close('}')
	}
	if len(s.said) < mostSaid {
		s.said = append(s.said, p.Text...)
	}
	for i := range p.Citations {
		c := &p.Citations[i]
		s.cites = append(s.cites, citation{c, offset(s.said, c.Start), offset(s.said, c.End)})
	}
}

// offset is how many bytes so many characters are.
func offset(text []byte, characters int) int {
	at := 0
	for ; characters > 0 && at < len(text); characters-- {
		_, n := utf8.DecodeRune(text[at:])
		at += n
	}
	return at
}

// thought writes thoughts for who asked for them. For others their signature
// goes with the part that follows, unless it is one of words: whoever made it
// takes it back only with them.
func (s *speaker) thought(p *chat.Part) {
	if !s.show {
		s.unheard = s.unheard || p.Text != ""
		if p.Proof != "" && !s.unheard {
			s.carry(p.Proof)
		}
		s.unheard = s.unheard && p.Proof == ""
		return
	}
	if p.Text == "" && p.Proof == "" {
		return
	}
	s.open('{')
	s.member("text", p.Text)
	s.key("thought")
	s.raw([]byte("true"))
	s.sign(p.Proof)
	s.close('}')
}

// carry keeps a signature for the next part. One that waits already gets an
// empty part of its own.
func (s *speaker) carry(signature string) {
	s.release()
	s.pending = signature
}

// release writes the signature that waits.
func (s *speaker) release() {
	if s.pending == "" {
		return
	}
	signature := s.pending
	s.pending = ""
	s.open('{')
	s.member("text", "")
	s.sign(signature)
	s.close('}')
}

// signature is a part's own, or the one that waits for a part.
func (s *speaker) signature(own string) string {
	if own != "" {
		s.release()
		return own
	}
	own, s.pending = s.pending, ""
	return own
}

// sign writes a signature. Official clients take only standard padded base64.
func (s *speaker) sign(signature string) {
	if signature == "" {
		return
	}
	if plain, ok := dialect.Base64(signature); !ok || plain != signature {
		signature = chat.Envelope{Raw: signature}.Wrap()
	}
	s.key("thoughtSignature")
	s.plain(signature)
}

func (s *speaker) call(p *chat.Part) {
	signature := s.signature(p.Proof)
	s.open('{')
	s.key("functionCall")
	s.open('{')
	if p.ID != "" {
		s.member("id", p.ID)
	}
	s.member("name", p.Name)
	s.key("args")
	if p.Custom {
		s.open('{')
		s.member("input", p.Text)
		s.close('}')
	} else {
		args, _ := dialect.Arguments(p.Text)
		s.raw(oneLine(args))
	}
	s.close('}')
	s.sign(signature)
	s.close('}')
}

// partial reports whether arguments were cut off: they began and are not JSON.
func partial(arguments string) bool {
	text := trim([]byte(arguments))
	return len(text) > 0 && !jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true))
}

func (s *speaker) media(p *chat.Part) {
	m := p.Media
	if m == nil {
		return
	}
	data := m.Base64
	if data == "" && m.Plain != "" {
		data = base64.StdEncoding.EncodeToString([]byte(m.Plain))
	}
	uri := m.URL
	if uri == "" {
		uri = m.FileID
	}
	clean, ok := dialect.Base64(data)
	if !ok && uri == "" {
		return
	}
	signature := s.signature(p.Proof)
	s.open('{')
	if ok {
		s.key("inlineData")
		s.open('{')
		s.member("mimeType", orKind(m.Type, p.Kind))
		s.key("data")
		s.plain(clean)
	} else {
		s.key("fileData")
		s.open('{')
		s.member("fileUri", uri)
		if m.Type != "" {
			s.member("mimeType", m.Type)
		}
	}
	s.close('}')
	s.sign(signature)
	s.close('}')
}

// opaque writes what only this API has as it is, and of others the words.
func (s *speaker) opaque(p *chat.Part) {
	if slices.Contains(opaques, p.Name) && jsontext.Value(p.Raw).Kind() == '{' {
		s.release()
		s.raw(oneLine(p.Raw))
		return
	}
	if p.Text != "" {
		s.words(&chat.Part{Kind: chat.Text, Text: p.Text})
	}
}

// ending writes a candidate's fields that come after its parts.
func (s *speaker) ending(stop chat.Stop) {
	s.member("finishReason", finishReason(stop, s.refused))
	if stop.Reason == chat.Refused && stop.Explanation != "" {
		s.member("finishMessage", stop.Explanation)
	}
	s.grounding()
}

// grounding writes the citations as the sources of what was said.
func (s *speaker) grounding() {
	if len(s.cites) == 0 {
		return
	}
	var sources []*chat.Citation
	places := make(map[[2]string]int)
	source := func(c *chat.Citation) int {
		key := [2]string{c.URL, c.Title}
		at, ok := places[key]
		if !ok {
			at, sources = len(sources), append(sources, c)
			places[key] = at
		}
		return at
	}
	s.key("groundingMetadata")
	s.open('{')
	s.key("groundingSupports")
	s.open('[')
	for _, c := range s.cites {
		s.open('{')
		s.key("segment")
		s.open('{')
		if c.start > 0 {
			s.integer("startIndex", int64(c.start))
		}
		if c.end > 0 {
			s.integer("endIndex", int64(c.end))
		}
		if c.Quote != "" {
			s.member("text", c.Quote)
		}
		s.close('}')
		s.key("groundingChunkIndices")
		s.open('[')
		s.b = strconv.AppendInt(s.b, int64(source(c.Citation)), 10)
		s.close(']')
		s.close('}')
	}
	s.close(']')
	s.key("groundingChunks")
	s.open('[')
	for _, c := range sources {
		s.open('{')
		kind := "web"
		if c.URL == "" {
			kind = "retrievedContext"
		}
		s.key(kind)
		s.open('{')
		if c.URL != "" {
			s.member("uri", c.URL)
		}
		if c.Title != "" {
			s.member("title", c.Title)
		}
		s.close('}')
		s.close('}')
	}
	s.close(']')
	s.close('}')
	s.cites = nil
}
