package dialect

import (
	"bytes"

	"stele/internal/jsonscan"
)

// repair makes an object of JSON that models write carelessly, where it can mean nothing else: line ends and
// tabs as they are in a text, a comma before the end of an object or a list, marks of code around it, and brackets, words,
// tags and tokens behind its end, where servers forget to stop reading. It is nil where it is none of these.
func repair(b []byte) []byte {
	b = unfence(b)
	if len(b) == 0 || b[0] != '{' {
		return nil
	}
	out := make([]byte, 0, len(b)+16)
	depth, quoted, escaped := 0, false, false
	for i, c := range b {
		switch {
		case escaped:
			escaped = false
		case quoted && c < ' ':
			out = append(out, EscapeControl(c)...)
			continue
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			out = bytes.TrimSuffix(bytes.TrimRight(out, " \t\r\n"), []byte{','})
			depth--
		}
		if out = append(out, c); depth == 0 {
			another := bytes.ContainsAny(b[i+1:], "{[") // which may be meant as well
			if another || !jsonscan.Valid(out, jsonscan.Duplicates) {
				return nil
			}
			return out
		}
	}
	return nil
}

// unfence takes marks of code off that stand around all of a text, of which some servers leave the name of the language.
func unfence(b []byte) []byte {
	const mark = "```"
	inner, fenced := bytes.CutPrefix(bytes.TrimSpace(b), []byte(mark))
	if !fenced && bytes.HasPrefix(inner, []byte("json\n")) {
		return bytes.TrimSpace(inner[len("json\n"):])
	}
	if !fenced {
		return b
	}
	inner = bytes.TrimSuffix(bytes.TrimSpace(inner), []byte(mark))
	return bytes.TrimSpace(bytes.TrimPrefix(inner, []byte("json")))
}

// EscapeControl is a control character as JSON has it in a text.
func EscapeControl(c byte) []byte {
	escaped := jsonscan.AppendText(nil, string(rune(c)))
	return escaped[1 : len(escaped)-1]
}
