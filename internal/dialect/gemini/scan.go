package gemini

import (
	"bytes"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// cursor reads JSON once, from left to right, and builds no tree: a client's
// megabyte of base64 is looked at once, and a frame of a stream costs nothing but
// its text. JSON that is wrong sets bad, which ends every loop over it.
type cursor struct {
	b       []byte
	i       int
	bad     bool
	spelled []byte   // the last key as it was written
	scratch [64]byte // holds the last key where it had to be changed
}

// peek is the first byte of what comes next, or 0.
func (c *cursor) peek() byte {
	for c.i < len(c.b) {
		if b := c.b[c.i]; b > ' ' {
			return b
		}
		c.i++
	}
	return 0
}

// enter goes into an object or an array, if that is what comes next.
func (c *cursor) enter(open byte) bool {
	if c.peek() != open {
		return false
	}
	c.i++
	return true
}

// separator passes a comma and reports whether something follows before the end.
func (c *cursor) separator(end byte) bool {
	b := c.peek()
	if b == ',' {
		c.i++
		b = c.peek()
	}
	switch b {
	case end:
		c.i++
		return false
	case 0:
		c.bad = true
		return false
	}
	return !c.bad
}

// item reports whether the array has another element, which comes next.
func (c *cursor) item() bool { return c.separator(']') }

// name is the next member's name as it is written, which free maps need.
func (c *cursor) name() ([]byte, bool) {
	if !c.separator('}') {
		return nil, false
	}
	if c.peek() != '"' {
		c.bad = true
		return nil, false
	}
	name := c.quoted()
	if c.peek() != ':' {
		c.bad = true
		return nil, false
	}
	c.i++
	return name, true
}

// key is the next member's name of a message in lowerCamelCase, however it is
// spelled. Members that are null are passed over: they mean nothing. The name is
// valid until the next one is read.
func (c *cursor) key() ([]byte, bool) {
	for {
		name, ok := c.name()
		if !ok {
			return nil, false
		}
		if c.peek() == 'n' {
			c.skip()
			continue
		}
		c.spelled = name
		return c.camel(name), true
	}
}

// camel turns snake_case into lowerCamelCase. A leading underscore is part of a name.
func (c *cursor) camel(name []byte) []byte {
	if len(name) == 0 || len(name) > len(c.scratch) || bytes.IndexByte(name[1:], '_') < 0 {
		return name
	}
	out := append(c.scratch[:0], name[0])
	for i := 1; i < len(name); i++ {
		if name[i] == '_' && i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z' {
			i++
			out = append(out, name[i]-'a'+'A')
			continue
		}
		out = append(out, name[i])
	}
	return out
}

// quoted reads the string that comes next. What it returns may be part of the
// input.
func (c *cursor) quoted() []byte {
	start := c.i
	end := c.string()
	if c.bad {
		return nil
	}
	inner := c.b[start+1 : end-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	// Lone surrogates become U+FFFD, which the error would only tell us.
	plain, _ := jsontext.AppendUnquote(make([]byte, 0, len(inner)), c.b[start:end])
	return plain
}

// string passes the string that comes next and gives the place behind it.
func (c *cursor) string() int {
	i := c.i + 1
	for i <= len(c.b) {
		n := bytes.IndexByte(c.b[i:], '"')
		if n < 0 {
			break
		}
		i += n + 1
		slashes := 0
		for c.b[i-2-slashes] == '\\' && i-2-slashes > c.i {
			slashes++
		}
		if slashes%2 == 0 {
			c.i = i
			return i
		}
	}
	c.bad, c.i = true, len(c.b)
	return c.i
}

// skip passes one value, however deep.
func (c *cursor) skip() {
	depth := 0
	for {
		switch c.peek() {
		case 0:
			c.bad = true
			return
		case '"':
			c.string()
		case '{', '[':
			depth++
			c.i++
			continue
		case '}', ']':
			depth--
			c.i++
		case ',', ':':
			if depth == 0 {
				c.bad = true
				return
			}
			c.i++
			continue
		default:
			c.literal()
		}
		if depth <= 0 || c.bad {
			c.bad = c.bad || depth < 0
			return
		}
	}
}

// literal passes a number, true, false or null and returns it.
func (c *cursor) literal() []byte {
	start := c.i
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ',', ':', '}', ']', '{', '[', '"', ' ', '\t', '\r', '\n':
			return c.b[start:c.i]
		}
		c.i++
	}
	return c.b[start:]
}

// raw passes one value and returns its bytes, which are part of the input.
func (c *cursor) raw() []byte {
	c.peek()
	start := c.i
	c.skip()
	return c.b[start:c.i]
}

// text reads a string; anything else is passed and is not one.
func (c *cursor) text() (string, bool) {
	if c.peek() != '"' {
		c.skip()
		return "", false
	}
	return string(c.quoted()), !c.bad
}

// truth reads true or false.
func (c *cursor) truth() (value, ok bool) {
	switch string(c.raw()) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// number reads a number, or one in a string as protobuf's JSON has it.
func (c *cursor) number() (float64, bool) {
	digits := c.digits()
	f, err := strconv.ParseFloat(string(digits), 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// integer reads a whole number, also as 40.0 or "40".
func (c *cursor) integer() (int64, bool) {
	digits := c.digits()
	if n, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(digits), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<62 {
		return 0, false
	}
	return int64(f), true
}

func (c *cursor) digits() []byte {
	b := c.peek()
	switch {
	case b == '"':
		return c.quoted()
	case b == '-' || b >= '0' && b <= '9':
		return c.literal()
	}
	c.skip()
	return nil
}
