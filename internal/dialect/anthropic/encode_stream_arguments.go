package anthropic

import (
	"bytes"
	"encoding/json"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// argued sees the arguments of a call go by on their way to the client, and lets through only
// what can be the beginning of an object: clients put the pieces together and read JSON. Where
// it turns out to be none, what is out already is brought to an end, with all that came as its
// member _raw. A whole answer has the same.
type argued struct {
	state  uint8
	escape int8   // of a text: how many digits of an escape are left; -1: all of it is
	first  bool   // nothing is in the innermost object or list yet
	stack  []byte // the brackets that are open, outermost first
	within bool   // a text that is a value is out as far as it came
	some   bool   // and a member of the outermost object
	words  bool   // they stand behind its end
	scalar int    // where in held a value begins that is no text
	held   []byte // what came and is not let through yet
	raw    []byte // all that came
	out    []byte
}

// Where an argued is.
const (
	beforeAll  = iota
	beforeName // of a member, or before the end of its object
	inName
	beforeColon
	beforeValue // or before the end of its list
	inText
	inScalar
	behindValue
	behindAll
	noObject // it never was one
	noJSON   // it is none any more
)

const (
	mostRaw      = 1 << 20 // bytes of what came that are kept for _raw
	mostBrackets = jsonscan.MostDepth
)

// take takes a piece and gives what is let through.
func (a *argued) take(text string) string {
	a.raw = append(a.raw, text[:min(len(text), mostRaw-len(a.raw))]...)
	a.out = a.out[:0]
	for i := 0; i < len(text) && a.state < noObject; i++ {
		a.held = append(a.held, text[i])
		if a.takeByte(text[i]); len(a.held) > mostRaw || len(a.stack) > mostBrackets {
			a.state = noJSON
		}
	}
	return string(a.out)
}

// end is what is still to be told when all came.
func (a *argued) end() string {
	switch {
	case a.state == behindAll:
		return string(a.held)
	case len(bytes.TrimSpace(a.raw)) == 0:
		return ""
	case len(a.stack) == 0:
		object, _ := dialect.Arguments(string(a.raw))
		return string(object)
	}
	var b []byte
	if a.within {
		b = append(b, '"')
	}
	for i := len(a.stack) - 1; i > 0; i-- {
		b = append(b, a.stack[i]+2) // the bracket that closes it
	}
	if a.some {
		b = append(b, ',')
	}
	return string(append(jsonscan.AppendText(append(b, `"_raw":`...), string(a.raw)), '}'))
}

// pass lets through what was held back.
func (a *argued) pass() {
	a.out = append(a.out, a.held...)
	a.held = a.held[:0]
}

// takeByte takes one byte.
func (a *argued) takeByte(c byte) {
	blank := c == ' ' || c == '\t' || c == '\n' || c == '\r'
	switch a.state {
	case inName, inText:
		a.takeLetter(c)
		return
	case inScalar:
		if !blank && c != ',' && c != '}' && c != ']' {
			return
		}
		if a.endNumber(); a.state == noJSON {
			return
		}
		a.held = append(a.held, c)
	}
	switch {
	case blank && a.words:
		a.held = a.held[:len(a.held)-1]
	case blank:
	case a.state == beforeAll && c == '{':
		a.open(c)
	case a.state == beforeAll:
		a.state = noObject
	case a.state == behindAll && c != '{' && c != '[': // nothing that is meant
		a.held, a.words = a.held[:len(a.held)-1], true
	case a.trails(c):
		comma := bytes.LastIndexByte(a.held, ',')
		a.held = slices.Delete(a.held, comma, comma+1)
		a.close()
	case a.state == beforeName && c == '"':
		a.state, a.first = inName, false
	case a.state == beforeColon && c == ':':
		a.state = beforeValue
	case (a.state == behindValue || a.first) && len(a.stack) > 0 && c == a.stack[len(a.stack)-1]+2:
		a.close()
	case a.state == beforeValue:
		a.begin(c)
	case a.state == behindValue && c == ',':
		a.state = beforeValue
		if a.stack[len(a.stack)-1] == '{' {
			a.state = beforeName
		}
	default:
		a.state = noJSON
	}
}

// trails reports whether a bracket ends an object or a list behind a comma.
func (a *argued) trails(c byte) bool {
	before := bytes.TrimRight(a.held[:len(a.held)-1], " \t\r\n")
	return (a.state == beforeName || a.state == beforeValue) && len(a.stack) > 0 && c == a.stack[len(a.stack)-1]+2 && bytes.HasSuffix(before, []byte{','})
}

// takeLetter takes a byte of a text.
func (a *argued) takeLetter(c byte) {
	switch {
	case a.escape > 0 && bytes.IndexByte([]byte("0123456789abcdefABCDEF"), c) >= 0:
		a.escape--
	case a.escape < 0 && c == 'u':
		a.escape = 4
	case a.escape < 0 && bytes.IndexByte([]byte(`"\/bfnrt`), c) >= 0:
		a.escape = 0
	case a.escape == 0 && c < ' ': // as careless models write it
		a.held = append(a.held[:len(a.held)-1], dialect.EscapeControl(c)...)
	case a.escape != 0:
		a.state = noJSON
		return
	case c == '\\':
		a.escape = -1
	case c == '"' && a.state == inName:
		a.state = beforeColon
		return
	case c == '"':
		a.state, a.within = behindValue, false
		a.pass()
		return
	}
	if a.state == inText && a.escape == 0 {
		a.pass()
	}
}

// begin begins a value.
func (a *argued) begin(c byte) {
	a.first = false
	switch c {
	case '"':
		a.state, a.within = inText, true
		a.some = true
		a.pass()
	case '{', '[':
		a.some = true
		a.open(c)
	default:
		a.state, a.scalar = inScalar, len(a.held)-1
	}
}

// open begins an object or a list.
func (a *argued) open(bracket byte) {
	a.stack = append(a.stack, bracket)
	a.state, a.first = beforeName, true
	if bracket == '[' {
		a.state = beforeValue
	}
	a.pass()
}

// close ends one. The end of the outermost is held back: more may follow that makes it none.
func (a *argued) close() {
	if a.first = false; len(a.stack) == 1 {
		a.state = behindAll
		return
	}
	a.stack = a.stack[:len(a.stack)-1]
	a.state = behindValue
	a.pass()
}

// endNumber ends a value that is no text, whose last byte is the one before the last that is held.
func (a *argued) endNumber() {
	a.held = a.held[:len(a.held)-1]
	if !jsonscan.Valid(a.held[a.scalar:], jsonscan.Strict) {
		a.state = noJSON
		return
	}
	a.state, a.some = behindValue, true
	a.pass()
}

// replyArguments are the arguments of a call in an answer, as an object.
func replyArguments(p *chat.Part) (object json.RawMessage, odd bool) {
	object, odd = dialect.CallArguments(p)
	if !odd || p.Custom {
		return object, odd
	}
	var a argued
	said := a.take(p.Text)
	return json.RawMessage(said + a.end()), true
}
