package sandbox

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// describeAll is what was given along with a message: how many of each kind, and
// what each is.
func describeAll(parts []chat.Part) string {
	var all []string
	for _, kind := range []struct {
		kind chat.Kind
		noun string
	}{{chat.Image, "image"}, {chat.Audio, "recording"}, {chat.Video, "clip"}, {chat.Document, "document"}} {
		var each []string
		for i := range parts {
			if parts[i].Kind == kind.kind {
				each = append(each, describe(&parts[i]))
			}
		}
		if len(each) > 0 {
			all = append(all, plural(int64(len(each)), kind.noun)+" ("+strings.Join(each, "; ")+")")
		}
	}
	return series(all, "and")
}

// describe tells what a picture, sound, clip or document is, as far as it shows.
func describe(p *chat.Part) string {
	m := p.Media
	if m == nil {
		return "text, " + textFacts(textOf(p.Content))
	}
	var facts []string
	name := m.Name
	if name == "" && p.Kind == chat.Document {
		name = p.Name
	}
	if name != "" {
		facts = append(facts, clip(name, 8, 80))
	}
	switch {
	case m.URL != "":
		facts = append(facts, "at "+m.URL)
	case m.FileID != "":
		facts = append(facts, "the file "+m.FileID)
	case m.Plain != "":
		facts = append(facts, "text", textFacts(m.Plain), size(int64(len(m.Plain))))
	default:
		facts = append(facts, payload(p.Kind, m)...)
	}
	return strings.Join(facts, ", ")
}

// payload is what the bytes of a medium show.
func payload(kind chat.Kind, m *chat.Media) []string {
	mime := dialect.TypeOf(m)
	facts := []string{mime}
	if mime == "" {
		facts[0] = "of unknown type"
	}
	switch {
	case kind == chat.Image:
		if w, h, ok := pixels(m); ok {
			facts = append(facts, fmt.Sprintf("%d×%d pixels", w, h))
		}
	case mime == "application/pdf":
		if n := pages(m.Base64); n > 0 {
			facts = append(facts, plural(n, "page"))
		}
	case strings.HasPrefix(mime, "text/"), mime == "application/json":
		text, _ := io.ReadAll(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m.Base64[:min(len(m.Base64), mostText)])))
		facts = append(facts, textFacts(strings.ToValidUTF8(string(text), "\uFFFD")))
	}
	return append(facts, size(byteSize(m)))
}

// textFacts is how a text begins and how long it is.
func textFacts(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return fmt.Sprintf("%s beginning “%s”", plural(countWords(text), "word"), clip(strings.TrimSpace(line), 12, 100))
}

func size(n int64) string { return plural(n, "byte") }

// byteSize is the bytes of a medium that came along.
func byteSize(m *chat.Media) int64 {
	if m.Plain != "" {
		return int64(len(m.Plain))
	}
	return int64(base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(m.Base64, "="))))
}

// How much base64 of a document is looked at: what is read of it is held by no lease.
const (
	mostPDF  = 4 << 20 // one that is longer has no pages to count
	mostText = 2 << 20 // words beyond it are not counted
)

// page is how a page's object begins in a PDF that is not packed.
var page = regexp.MustCompile(`/Type\s*/Page[^s\w]`)

// pages counts the pages of a PDF where they are easily seen; 0: they are not.
func pages(payload string) int64 {
	if len(payload) > mostPDF {
		return 0
	}
	body, err := base64.StdEncoding.DecodeString(payload)
	if err != nil || !bytes.Contains(body, []byte("/Page")) {
		return 0
	}
	n, body := int64(0), append(body, ' ')
	for at := page.FindIndex(body); at != nil; at = page.FindIndex(body) {
		n, body = n+1, body[at[1]:]
	}
	return n
}
