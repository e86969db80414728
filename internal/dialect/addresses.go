package dialect

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// Addresses visits every text of a request, in any dialect, that whoever serves it
// may take for the address of something to fetch: pictures, sounds, clips and
// documents in all their forms, also in tools' results and in parts of a sort that
// we do not know. Data that is in the request itself is none. The body must be valid
// JSON; strings are leapt over, so that one without parts costs next to nothing.
func Addresses(body []byte, visit func(field, address string) error) error {
	f := finder{b: body, visit: visit}
	f.path = f.room[:0]
	f.value(nil)
	return f.err
}

// words are members whose texts are read and never fetched.
var words = set("text", "content", "thinking", "refusal", "reasoning", "reasoning_content", "summary", "title", "context", "transcript", "description",
	"name", "id", "role", "type", "signature", "thoughtSignature", "thought_signature", "code", "output", "stdout", "stderr", "instructions",
	"call_id", "tool_call_id", "tool_use_id", "model", "user", "stop", "prompt", "filename", "displayName", "display_name", "detail", "format",
	"media_type", "mimeType", "mime_type")

// elsewhere are members that belong to the client's tools and programs: what they
// hold is passed on as words.
var elsewhere = set("arguments", "args", "input", "response", "parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema",
	"tool_calls", "function_call", "functionCall", "citations", "annotations", "metadata", "labels", "response_format", "responseSchema", "response_schema",
	"responseJsonSchema", "response_json_schema", "json_schema", "schema", "output_format", "output_config", "logit_bias", "cache_control", "stop_sequences",
	"stopSequences", "groundingMetadata", "safetySettings")

func set(names ...string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, name := range names {
		s[name] = true
	}
	return s
}

// finder walks over a body.
type finder struct {
	b     []byte
	i     int
	path  []step
	room  [8]step // for a path as deep as it usually is
	visit func(field, address string) error
	err   error
}

// step is a member, or an element where the name is nil.
type step struct {
	name  []byte
	index int
}

// value looks at the value that comes next, which is the member's of this name.
func (f *finder) value(name []byte) {
	f.blank()
	if f.i >= len(f.b) {
		return
	}
	switch f.b[f.i] {
	case '{':
		f.object()
	case '[':
		f.list(name)
	case '"':
		from, to := f.quoted()
		if !words[string(name)] {
			f.text(string(name), f.b[from:to])
		}
	default:
		f.literal()
	}
}

func (f *finder) object() {
	f.i++
	for f.err == nil {
		f.blank()
		if f.i >= len(f.b) || f.b[f.i] == '}' {
			f.i++
			return
		}
		if f.b[f.i] == ',' {
			f.i++
			continue
		}
		from, to := f.quoted()
		key := unquote(f.b[from:to])
		f.blank()
		f.i++ // the colon
		if elsewhere[string(key)] {
			f.skip()
			continue
		}
		f.path = append(f.path, step{name: key})
		f.value(key)
		f.path = f.path[:len(f.path)-1]
	}
}

func (f *finder) list(name []byte) {
	f.i++
	f.path = append(f.path, step{})
	here := len(f.path) - 1
	for f.err == nil {
		f.blank()
		if f.i >= len(f.b) || f.b[f.i] == ']' {
			f.i++
			break
		}
		if f.b[f.i] == ',' {
			f.i++
			f.path[here].index++
			continue
		}
		f.value(name)
	}
	f.path = f.path[:here]
}

// text looks at a text. Only its beginning tells whether it may be an address, which
// is all that is read of a megabyte of base64.
func (f *finder) text(name string, raw []byte) {
	const enough = 512
	short := raw
	if len(raw) > enough && bytes.IndexByte(raw[:enough], '\\') < 0 {
		short = raw[:enough]
	}
	address := string(unquote(short))
	if !addressed(name, address) {
		return
	}
	if len(short) < len(raw) {
		address = string(unquote(raw))
	}
	f.err = f.visit(f.where(), address)
}

// addressed reports whether a text under a name may be fetched.
func addressed(name, text string) bool {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || !unicode.IsPrint(r) })
	scheme, rest, found := strings.Cut(text, ":")
	switch {
	case text == "" || strings.EqualFold(scheme, "data") && found:
		return false
	case found && isScheme(scheme) && (rest == "" || rest[0] == '/' || rest[0] == '\\'), strings.Contains(text[:min(len(text), 64)], "://"):
		return true
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, `\\`):
		if _, data := Base64(text); !data { // sounds in base64 begin so as well
			return true
		}
	case found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "file")):
		return true
	}
	known := Sniff(strings.TrimRight(text[:min(len(text), 64)], "=")) != "" // data, by its first bytes
	folded := fold(name)
	switch {
	case strings.Contains(folded, "url"), strings.Contains(folded, "uri"):
		return !known && !isFileID(text)
	case files[folded]:
		return !known && len(text) < 512 && strings.ContainsRune("/.~", rune(text[0]))
	}
	return false
}

// files are members whose texts some servers take for the path of a file.
var files = set("image", "images", "video", "videos", "audio", "file", "media", "path", "src", "href")

func isScheme(text string) bool {
	for i := range len(text) {
		c := text[i] | 0x20
		if !(c >= 'a' && c <= 'z' || i > 0 && (text[i] >= '0' && text[i] <= '9' || text[i] == '+' || text[i] == '-' || text[i] == '.')) {
			return false
		}
	}
	return text != "" && len(text) <= 32
}

// isFileID reports whether a text names a file of ours or of an upstream's.
func isFileID(text string) bool {
	text = strings.TrimPrefix(text, "files/")
	return len(text) <= 256 && !strings.ContainsFunc(text, foreign)
}

// where is the path of what is being looked at.
func (f *finder) where() string {
	var b strings.Builder
	for _, s := range f.path[:min(len(f.path), 12)] {
		switch {
		case s.name == nil:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case b.Len() > 0:
			b.WriteByte('.')
			fallthrough
		default:
			b.Write(s.name[:min(len(s.name), 64)])
		}
	}
	return b.String()
}

func (f *finder) blank() {
	for f.i < len(f.b) && (f.b[f.i] == ' ' || f.b[f.i] == '\t' || f.b[f.i] == '\r' || f.b[f.i] == '\n') {
		f.i++
	}
}

// quoted leaps over a string and gives where its inside is.
func (f *finder) quoted() (from, to int) {
	f.i++
	for from = f.i; ; f.i++ {
		n := bytes.IndexByte(f.b[f.i:], '"')
		if n < 0 {
			f.i = len(f.b)
			return from, f.i
		}
		f.i += n
		slashes := 0
		for f.i-1-slashes >= from && f.b[f.i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			f.i++
			return from, f.i - 1
		}
	}
}

func (f *finder) literal() {
	start := f.i
	for f.i < len(f.b) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(f.b[f.i])) {
		f.i++
	}
	if f.i == start {
		f.i = len(f.b) // not JSON: nothing more to see
	}
}

// skip leaps over a value of any kind.
func (f *finder) skip() {
	f.blank()
	for depth := 0; f.i < len(f.b); {
		switch f.b[f.i] {
		case '"':
			f.quoted()
		case '{', '[':
			depth++
			f.i++
			continue
		case '}', ']':
			depth--
			f.i++
		case ',', ':', ' ', '\t', '\r', '\n':
			f.i++
			continue
		default:
			f.literal()
		}
		if depth <= 0 {
			return
		}
	}
}

// unquote is the inside of a string as it is meant.
func unquote(inner []byte) []byte {
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	quoted := append(append(append(make([]byte, 0, len(inner)+2), '"'), inner...), '"')
	plain, _ := jsontext.AppendUnquote(nil, quoted) // lone surrogates become U+FFFD
	return plain
}
