package wire

import "bytes"

// lineEnds are the characters that JSON takes in a string as they are and at which
// readers that split text rather than bytes end a line, as Python's splitlines does:
// HTTPX with all that reads lines through it, such as Google's library and LiteLLM.
var lineEnds = [...]struct{ raw, escape []byte }{
	{[]byte("\u0085"), []byte(`\u0085`)}, {[]byte("\u2028"), []byte(`\u2028`)}, {[]byte("\u2029"), []byte(`\u2029`)},
}

// EscapeLineEnds escapes in events whose data is JSON, those of buf that begin at from,
// every character but CR and LF at which a client may end a line.
func EscapeLineEnds(buf []byte, from int) []byte {
	for _, c := range lineEnds {
		if bytes.Contains(buf[from:], c.raw) {
			buf = append(buf[:from], bytes.ReplaceAll(buf[from:], c.raw, c.escape)...)
		}
	}
	return buf
}
