package api

import (
	"net/url"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// mostDropped bounds the header: proxies refuse long ones.
const mostDropped = 4 << 10

const truncated = "...; truncated"

// droppedHeader names what was lost. What shows only at the end of a stream is in the
// trailer of that name, together with the rest.
const droppedHeader = "X-Stele-Dropped"

// Losses is what of an answer the dialect of its client has no place for.
func Losses(name string, req *chat.Request, r *chat.WholeReply) []chat.Loss {
	if codec := codecOf(name); codec != nil {
		return codec.ReplyLosses(req, r)
	}
	return nil
}

// FormatDropped writes X-Stele-Dropped as a client of a dialect reads it, for its record.
func FormatDropped(name string, losses []chat.Loss) string {
	if codec := codecOf(name); codec != nil {
		return formatDropped(codec, losses)
	}
	return ""
}

// codecOf is the codec of a dialect; nil where there is none.
func codecOf(name string) dialect.Server {
	for _, f := range []family{openAI, anthropic, gemini} {
		if codec, ok := f.codec.(dialect.Server); ok && f.name == name {
			return codec
		}
	}
	return nil
}

// formatDropped writes X-Stele-Dropped: entries of path; verb; note, in ASCII, the note
// percent-encoded, cut off at 4 KB. Of many, those that have no effect on the answer come last.
func formatDropped(codec dialect.Server, losses []chat.Loss) string {
	var b strings.Builder
	const many = 32
	if len(losses) > many {
		losses = slices.SortedStableFunc(slices.Values(losses), func(a, b chat.Loss) int { return harmless(a) - harmless(b) })
	}
	for _, l := range losses {
		entry := ascii(codec.Path(l)) + "; " + string(l.Verb)
		if l.Note != "" {
			entry += "; " + strings.ReplaceAll(url.QueryEscape(l.Note), "+", "%20")
		}
		if b.Len()+len(entry)+len(truncated)+4 > mostDropped {
			b.WriteString(", " + truncated)
			break
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(entry)
	}
	return b.String()
}

// harmless is 1 for a loss that has no effect on the answer.
func harmless(l chat.Loss) int {
	if l.Verb == chat.Ignored {
		return 1
	}
	return 0
}

// ascii percent-encodes what a header cannot hold or a reader would split at.
func ascii(path string) string {
	clean := func(c byte) bool { return c > ' ' && c < 0x7f && c != ',' && c != ';' && c != '%' }
	var b strings.Builder
	for i := range len(path) {
		if clean(path[i]) {
			b.WriteByte(path[i])
			continue
		}
		const hex = "0123456789ABCDEF"
		b.Write([]byte{'%', hex[path[i]>>4], hex[path[i]&15]})
	}
	return b.String()
}
