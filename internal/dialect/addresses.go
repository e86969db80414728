package dialect

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	"stele/internal/jsonscan"
)

// EachAddress visits every text of a request, in any dialect, that the upstream
// may take for the address of something to fetch: pictures, sounds, clips and
// documents in all their forms, also in tools' results and in parts of a sort that
// we do not know. Data that is in the request itself is none. The body must be valid
// JSON; strings are leapt over, so that one without parts costs next to nothing.
func EachAddress(body []byte, visit func(field, address string) error) (err error) {
	jsonscan.Root(body).EachText(func(name []byte) bool { return !elsewhere[string(name)] }, func(path []jsonscan.Step, text jsonscan.Value) bool {
		if isAddress(string(lastName(path)), text) {
			err = visit(pathOf(path), text.View())
		}
		return err == nil
	})
	return err
}

// isAddress reports whether a text in a member of that name may be fetched, if the
// member is not in one of those that are elsewhere.
func isAddress(name string, text jsonscan.Value) bool {
	switch name {
	case "role", "content", "type", "text": // nearly all are in these
		return false
	}
	return !words[name] && mayBeFetched(name, beginningOf(text))
}

// lastName is the name of the member that a text is in, itself or in lists.
func lastName(path []jsonscan.Step) []byte {
	for len(path) > 0 && path[len(path)-1].Name == nil {
		path = path[:len(path)-1]
	}
	if len(path) == 0 {
		return nil
	}
	return path[len(path)-1].Name
}

// beginningOf is the beginning of a text, which tells whether it may be an address: all that
// is read of a megabyte of base64.
func beginningOf(text jsonscan.Value) string {
	const enough = 512
	if raw := text.Raw(); len(raw) > enough && bytes.IndexByte(raw[:enough], '\\') < 0 {
		return string(raw[1:enough])
	}
	return text.View()
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

// mayBeFetched reports whether a text under a name may be fetched.
func mayBeFetched(name, text string) bool {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || !unicode.IsPrint(r) })
	scheme, rest, found := strings.Cut(text, ":")
	switch {
	case text == "" || strings.EqualFold(scheme, "data") && found:
		return false
	case found && isScheme(scheme) && (rest == "" || rest[0] == '/' || rest[0] == '\\'), strings.Contains(text[:min(len(text), 64)], "://"):
		return true
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, `\\`):
		if _, data := StandardBase64(text); !data { // sounds in base64 begin so as well
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
	return len(text) <= 256 && !strings.ContainsFunc(text, isForeign)
}

// pathOf is a path as the client writes it.
func pathOf(path []jsonscan.Step) string {
	var b strings.Builder
	for _, s := range path[:min(len(path), 12)] {
		switch {
		case s.Name == nil:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case b.Len() > 0:
			b.WriteByte('.')
			fallthrough
		default:
			b.Write(s.Name[:min(len(s.Name), 64)])
		}
	}
	return b.String()
}
