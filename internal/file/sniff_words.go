package file

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stele/internal/memory"
)

// walkPDF looks for the end of a PDF document, which readers need first.
func walkPDF(r *reader, _ *Metadata) {
	const most = 2048 // bytes in which the end must be
	var tail []byte
	var block [headSize]byte
	for r.err == nil {
		n, err := r.Read(block[:])
		tail = append(tail, block[:n]...)
		tail = tail[max(0, len(tail)-most):]
		if errors.Is(err, io.EOF) {
			break
		}
		r.fail(err)
	}
	end := bytes.LastIndex(tail, []byte("%%EOF"))
	if end < 0 {
		r.fail(errCut)
	} else if bytes.Contains(tail, []byte("PK\x05\x06")) {
		r.fail(errTail)
	}
}

// isText recognises text by what is not in it.
func isText(head []byte) bool {
	if len(head) == 0 {
		return false
	}
	whole := len(head) < headSize
	for len(head) > 0 {
		if !whole && !utf8.FullRune(head) {
			return true // cut off in the middle of a letter
		}
		c, n := utf8.DecodeRune(head)
		if c == utf8.RuneError && n == 1 || odd(c) {
			return false
		}
		head = head[n:]
	}
	return true
}

// odd are the characters that no text has.
func odd(c rune) bool {
	return c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' && c != '\b' && c != 0x1b || c == 0x7f
}

// walkText reads text to its end, a block at a time: letter by letter it would take
// longer than all else that is done with an upload.
func walkText(r *reader, _ *Metadata) {
	var block [32 << 10]byte
	kept := 0 // bytes of a letter that the last block has cut
	for r.err == nil {
		n, err := r.Read(block[kept:])
		text, ended := block[:kept+n], errors.Is(err, io.EOF)
		whole := len(text)
		if !ended {
			whole = uncut(text)
			r.fail(err)
		}
		if !utf8.Valid(text[:whole]) {
			r.failText("it is not in UTF-8")
		} else if slices.ContainsFunc(text[:whole], func(c byte) bool { return odd(rune(c)) }) {
			r.failText("it has bytes in it that no text has")
		}
		if ended {
			return
		}
		kept = copy(block[:], text[whole:])
	}
}

// uncut is the length of a text without a letter at its end that is cut.
func uncut(text []byte) int {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return i
			}
			break
		}
	}
	return len(text)
}

// isSVG recognises text whose first element is svg.
func isSVG(head []byte) bool {
	if !isText(head) {
		return false
	}
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	for {
		head = bytes.TrimLeft(head, " \t\r\n")
		var end string
		switch {
		case len(head) > 13 && strings.EqualFold(string(head[:13]), "<!doctype svg"):
			return true
		case bytes.HasPrefix(head, []byte("<?")):
			end = "?>"
		case bytes.HasPrefix(head, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(head, []byte("<!")):
			end = ">"
		default:
			rest, ok := bytes.CutPrefix(head, []byte("<"))
			name := string(rest[:min(len(rest), 80)])
			if end := strings.IndexAny(name, " \t\r\n/>"); end >= 0 {
				name = name[:end]
			}
			return ok && (name == "svg" || strings.HasSuffix(name, ":svg"))
		}
		_, after, ok := bytes.Cut(head, []byte(end))
		if !ok {
			return false
		}
		head = after
	}
}

const (
	deepestElement = 200
	mostElements   = 200_000
	longestToken   = 4 << 20 // bytes: pictures inside are one attribute
	shortToken     = 64 << 10
	mostEquals     = 20_000 // in a token: attributes take many times their length
	tokenWeight    = 4      // bytes that the decoder has for each of a token
)

var (
	errToken  = errors.New("an element in it is too long")
	errEquals = errors.New("an element in it has too many attributes")
)

// tokens lets the XML decoder read the bytes of a token, which it holds all of: a long one
// counts to the caller's lease.
type tokens struct {
	*reader
	length, equals int
	room           int   // for how long a token there is room
	held           int64 // of the lease
}

func (t *tokens) beginToken() { t.length, t.equals = 0, 0 }

func (t *tokens) ReadByte() (byte, error) {
	if t.length++; t.length > t.room {
		if err := t.grow(); err != nil {
			t.fail(err)
			return 0, err
		}
	}
	c, err := t.Reader.ReadByte()
	if c == '=' {
		if t.equals++; t.equals > mostEquals {
			t.fail(errEquals)
			return 0, errEquals
		}
	}
	return c, err
}

func (t *tokens) grow() error {
	next := max(shortToken, 4*t.room)
	if next > longestToken {
		return errToken
	}
	if t.room > 0 {
		more := int64(next-t.room) * tokenWeight
		if !t.lease.Fits(more) {
			return memory.Full(nil)
		}
		t.held += more
	}
	t.room = next
	return nil
}

func (t *tokens) close() { t.lease.Shrink(t.held) }

// walkSVG reads an SVG image as XML to its end. Entities of its own could make a
// few bytes into gigabytes: a picture needs none.
func walkSVG(r *reader, f *Metadata) {
	in := &tokens{reader: r}
	defer in.close()
	x := xml.NewDecoder(in)
	depth, count, roots := 0, 0, 0
	for r.err == nil {
		in.beginToken()
		token, err := x.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
				readSVGSize(r, f, token)
			}
			depth++
			count++
		case xml.EndElement:
			depth--
		case xml.Directive:
			if bytes.ContainsRune(token, '[') || bytes.Contains(bytes.ToUpper(token), []byte("ENTITY")) {
				r.failText("it declares entities")
			}
		}
		if err != nil {
			r.failText("it is not well-formed XML")
		}
		if depth > deepestElement || count > mostElements {
			r.failText("it has too many elements")
		}
	}
	if r.err == nil && (depth != 0 || roots != 1) {
		r.fail(errCut)
	}
}

// readSVGSize reads the size that the root element gives in pixels.
func readSVGSize(r *reader, f *Metadata, root xml.StartElement) {
	if root.Name.Local != "svg" {
		r.failText("its first element is another one")
		return
	}
	var width, height float64
	for _, a := range root.Attr {
		number, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(a.Value), "px"), 64)
		if err != nil || number <= 0 {
			continue
		}
		switch a.Name.Local {
		case "width":
			width = min(number, mostPixels+1)
		case "height":
			height = min(number, mostPixels+1)
		}
	}
	if width >= 1 && height >= 1 {
		r.setSize(f, int(width), int(height))
	}
}
