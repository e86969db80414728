package gemini

import (
	"bytes"
	"unicode/utf8"

	"stele/internal/chat"
)

// cited are sources as common citations of a text, whose bytes are turned into
// characters. A source that is said to be nowhere in particular stays so.
func cited(sources []wireCitation, text []byte) []chat.Citation {
	var all []chat.Citation
	for _, s := range sources {
		all = append(all, chat.Citation{
			URL: s.uri, Title: s.title, Quote: s.quote,
			Start: characters(text, s.start), End: characters(text, s.end),
			Raw: bytes.Clone(s.raw), Dialect: name,
		})
	}
	return all
}

func characters(text []byte, offset int64) int {
	return utf8.RuneCount(text[:min(max(offset, 0), int64(len(text)))])
}

// citations reads citationMetadata, whose list has two names.
func (c *cursor) citations(w *wireCandidate) {
	if !c.enter('{') {
		c.skip()
		return
	}
	for {
		key, more := c.key()
		if !more {
			return
		}
		if list := string(key) == "citationSources" || string(key) == "citations"; !list || !c.enter('[') {
			c.skip()
			continue
		}
		for c.item() {
			w.citations = append(w.citations, c.citation())
		}
	}
}

func (c *cursor) citation() wireCitation {
	var s wireCitation
	at := c.i
	if !c.enter('{') {
		c.skip()
		return s
	}
	for {
		key, more := c.key()
		if !more {
			s.raw = c.b[at:c.i]
			return s
		}
		switch string(key) {
		case "startIndex":
			s.start, _ = c.integer()
		case "endIndex":
			s.end, _ = c.integer()
		case "uri":
			s.uri, _ = c.text()
		case "title":
			s.title, _ = c.text()
		default:
			c.skip()
		}
	}
}

// grounding reads groundingMetadata: what was said, and where it was found.
func (c *cursor) grounding(w *wireCandidate) {
	if !c.enter('{') {
		c.skip()
		return
	}
	var sources, supports []wireCitation
	for {
		key, more := c.key()
		if !more {
			break
		}
		switch string(key) {
		case "groundingChunks":
			c.elements(func() { sources = append(sources, c.source()) })
		case "groundingSupports":
			c.elements(func() { supports = append(supports, c.support()) })
		default:
			c.skip()
		}
	}
	for _, s := range supports {
		for _, n := range s.chunks {
			if n >= 0 && n < int64(len(sources)) {
				s.uri, s.title = sources[n].uri, sources[n].title
				w.citations = append(w.citations, s)
			}
		}
	}
	if len(supports) == 0 {
		w.citations = append(w.citations, sources...)
	}
}

// elements calls do at every element of a list.
func (c *cursor) elements(do func()) {
	if !c.enter('[') {
		c.skip()
		return
	}
	for c.item() {
		do()
	}
}

// source reads a grounding chunk, whatever kind of source it is.
func (c *cursor) source() wireCitation {
	var s wireCitation
	at := c.i
	if !c.enter('{') {
		c.skip()
		return s
	}
	for {
		if _, more := c.key(); !more {
			s.raw = c.b[at:c.i]
			return s
		}
		if c.peek() != '{' {
			c.skip()
			continue
		}
		inner := c.citation()
		s.uri, s.title = inner.uri, inner.title
	}
}

// support reads which words rest on which sources.
func (c *cursor) support() wireCitation {
	var s wireCitation
	at := c.i
	if !c.enter('{') {
		c.skip()
		return s
	}
	for {
		key, more := c.key()
		if !more {
			s.raw = c.b[at:c.i]
			return s
		}
		switch string(key) {
		case "segment":
			c.segment(&s)
		case "groundingChunkIndices":
			c.elements(func() {
				n, _ := c.integer()
				s.chunks = append(s.chunks, n)
			})
		default:
			c.skip()
		}
	}
}

func (c *cursor) segment(s *wireCitation) {
	if !c.enter('{') {
		c.skip()
		return
	}
	for {
		key, more := c.key()
		if !more {
			return
		}
		switch string(key) {
		case "startIndex":
			s.start, _ = c.integer()
		case "endIndex":
			s.end, _ = c.integer()
		case "text":
			s.quote, _ = c.text()
		default:
			c.skip()
		}
	}
}
