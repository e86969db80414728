package gemini

import (
	"bytes"
	"cmp"
	"strings"
	"unicode/utf8"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// wireCitation is a source: of citationMetadata, or of groundingMetadata once its
// supports were joined with its chunks. Offsets are bytes.
type wireCitation struct {
	start, end        int64
	uri, title, quote string
	raw               []byte
}

// toCitations makes of sources common citations of all that was said, whose bytes are turned
// into characters. A source that is said to be nowhere in particular stays so.
func toCitations(sources []wireCitation, text []byte) []chat.Citation {
	var all []chat.Citation
	for _, s := range sources {
		s.find(text)
		all = append(all, chat.Citation{
			URL: s.uri, Title: s.title, Quote: s.quote,
			Start: countCharacters(text, s.start), End: countCharacters(text, s.end),
			Raw: bytes.Clone(s.raw), Dialect: name,
		})
	}
	return all
}

// find corrects places that are not where the words are that rest on the source: those in a
// part are counted from its beginning, and by some models behind thoughts.
func (s *wireCitation) find(text []byte) {
	if s.quote == "" || s.start >= 0 && s.end <= int64(len(text)) && s.start <= s.end && string(text[s.start:s.end]) == s.quote {
		return
	}
	from := min(max(s.start, 0), int64(len(text)))
	at := int64(bytes.Index(text[from:], []byte(s.quote)))
	if at < 0 {
		from, at = 0, int64(bytes.Index(text, []byte(s.quote)))
	}
	if at >= 0 {
		s.start, s.end = from+at, from+at+int64(len(s.quote))
	}
}

func countCharacters(text []byte, offset int64) int {
	return utf8.RuneCount(text[:min(max(offset, 0), int64(len(text)))])
}

// readCitations reads citationMetadata, whose list has two names.
func (w *wireCandidate) readCitations(v jsonscan.Value, others *dialect.Others) {
	for key, v := range fields(v) {
		if key.name != "citationSources" && key.name != "citations" {
			continue
		}
		for _, v := range v.Elements() {
			if v.Kind() == jsonscan.Object {
				s := wireCitation{uri: textOf(v, "uri"), title: textOf(v, "title"), raw: v.Raw()}
				s.locate(v)
				w.citations = append(w.citations, s)
				others.See("license", fieldOf(v, "license"))
				others.See("publicationDate", fieldOf(v, "publicationDate"))
			}
		}
	}
}

// readGrounding reads groundingMetadata: what was said, and where it was found.
func (w *wireCandidate) readGrounding(v jsonscan.Value, others *dialect.Others) {
	var sources []wireCitation
	for _, v := range fieldOf(v, "groundingChunks").Elements() {
		s := wireCitation{raw: v.Raw()}
		for _, v := range fields(v) { // whatever kind of source it is
			if v.Kind() == jsonscan.Object {
				s.uri, s.title = cmp.Or(textOf(v, "uri"), textOf(v, "sourceUri")), textOf(v, "title") // the latter of pictures
			}
		}
		sources = append(sources, s)
	}
	supported := false
	for _, v := range fieldOf(v, "groundingSupports").Elements() {
		supported = true
		segment := fieldOf(v, "segment")
		s := wireCitation{quote: textOf(segment, "text"), raw: v.Raw()}
		s.locate(segment)
		for _, v := range fieldOf(v, "groundingChunkIndices").Elements() {
			if n, _ := readInt(v); n >= 0 && n < int64(len(sources)) {
				s.uri, s.title = sources[n].uri, sources[n].title
				w.citations = append(w.citations, s)
			}
		}
	}
	if !supported {
		w.citations = append(w.citations, sources...)
	}
	for key, v := range fields(v) {
		switch key.name {
		case "groundingChunks", "groundingSupports", "retrievalMetadata":
			continue
		case "webSearchQueries":
			w.queries = v
		}
		if dialect.Tells(v) { // what Google wants to be shown beside the answer, and what was searched for
			others.Learn("groundingMetadata." + key.name)
		}
	}
}

// readAddresses reads urlContextMetadata: pages that were looked at for the answer.
func (w *wireCandidate) readAddresses(v jsonscan.Value) {
	for _, v := range fieldOf(v, "urlMetadata").Elements() {
		status := textOf(v, "urlRetrievalStatus")
		unread := strings.HasSuffix(status, "_ERROR") || strings.HasSuffix(status, "_PAYWALL") || strings.HasSuffix(status, "_UNSAFE")
		if uri := textOf(v, "retrievedUrl"); uri != "" && !unread {
			w.citations = append(w.citations, wireCitation{uri: uri, raw: v.Raw()})
		}
	}
}

// locate reads which bytes of the text rest on a source.
func (s *wireCitation) locate(v jsonscan.Value) {
	s.start, _ = readInt(fieldOf(v, "startIndex"))
	s.end, _ = readInt(fieldOf(v, "endIndex"))
}
