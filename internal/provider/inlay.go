package provider

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"unsafe"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// Pictures and sounds are most of a large request, and every dialect writes them as
// they are. So a mark stands in for them while a body is written, edited and put
// together, and they are read from where they lie when it is sent: in memory is one
// of each, however often it is named and whatever is made of the rest.

const (
	longPayload = 64 << 10 // base64 characters; shorter ones are not worth it
	shownHead   = 1 << 10  // of them stay in the body, for codecs that look what it is
)

// inlays are the payloads of one request that are not in its body.
type inlays struct {
	mark  string // what every mark begins with: no client can guess it
	texts []string
	known map[*byte]int // by where they lie: the same one is kept once
}

// markDigits follow on what every mark begins with.
const markDigits = 8

// lift takes long payloads out of a conversation and leaves marks. The conversation
// itself stays as it is.
func (in *inlays) lift(talk *chat.Conversation) *chat.Conversation {
	if !slices.ContainsFunc(talk.Messages, func(m chat.Message) bool { return slices.ContainsFunc(m.Parts, hasPayload) }) {
		return talk
	}
	lean := talk.Clone()
	for i := range lean.Messages {
		in.liftParts(lean.Messages[i].Parts)
	}
	return lean
}

func (in *inlays) liftParts(parts []chat.Part) {
	for i := range parts {
		p := &parts[i]
		if p.Media != nil && isLiftable(p.Media) {
			media := *p.Media
			media.Base64 = media.Base64[:shownHead] + in.add(media.Base64[shownHead:])
			p.Media = &media
		}
		if slices.ContainsFunc(p.Content, hasPayload) {
			p.Content = slices.Clone(p.Content)
			in.liftParts(p.Content)
		}
	}
}

// hasPayload reports whether a part has a payload to lift.
func hasPayload(p chat.Part) bool {
	return p.Media != nil && isLiftable(p.Media) || slices.ContainsFunc(p.Content, hasPayload)
}

// isLiftable reports whether no dialect reads it: words are put into the text.
func isLiftable(m *chat.Media) bool {
	return len(m.Base64) >= longPayload && !dialect.IsText(m.Type) && m.Type != ""
}

// add keeps a text and gives the mark that stands for it.
func (in *inlays) add(text string) string {
	if in.mark == "" {
		in.mark, in.known = rand.Text(), make(map[*byte]int)
	}
	at, ok := in.known[unsafe.StringData(text)] //nolint:gosec // as a key only: texts that begin at one place are one
	if !ok || len(in.texts[at]) != len(text) {
		at = len(in.texts)
		in.texts = append(in.texts, text)
		in.known[unsafe.StringData(text)] = at //nolint:gosec // as above
	}
	return fmt.Sprintf("%s%0*d", in.mark, markDigits, at)
}

// lay is a body with the payloads in their places.
func (in *inlays) lay(body []byte) rope {
	if in.mark == "" {
		return rope{body}
	}
	var whole rope
	for {
		at := bytes.Index(body, []byte(in.mark))
		if at < 0 || len(body) < at+len(in.mark)+markDigits {
			return append(whole, body)
		}
		n := 0
		for _, digit := range body[at+len(in.mark) : at+len(in.mark)+markDigits] {
			n = 10*n + int(digit-'0')
		}
		whole = append(whole, body[:at])
		if n >= 0 && n < len(in.texts) {
			text := in.texts[n]
			whole = append(whole, unsafe.Slice(unsafe.StringData(text), len(text))) //nolint:gosec // a rope is only read
		}
		body = body[at+len(in.mark)+markDigits:]
	}
}

// rope is a body in pieces, which is never changed.
type rope [][]byte

func (r rope) size() int64 {
	n := int64(0)
	for _, piece := range r {
		n += int64(len(piece))
	}
	return n
}

// reader reads it. Until it is closed it has the loan.
func (r rope) reader(loan *chat.Loan) io.ReadCloser {
	if loan == nil && len(r) == 1 {
		return io.NopCloser(bytes.NewReader(r[0]))
	}
	pieces := net.Buffers(slices.Clone(r)) // it lets go of those that are read
	if loan == nil {
		return io.NopCloser(&pieces)
	}
	return &borrower{pieces: pieces, loan: loan.Take()}
}

// setBody makes it the body of a request, which can be sent again.
func (r rope) setBody(to *http.Request, loan *chat.Loan) {
	to.ContentLength = r.size()
	to.Body = r.reader(loan)
	to.GetBody = func() (io.ReadCloser, error) { return r.reader(loan), nil }
}
