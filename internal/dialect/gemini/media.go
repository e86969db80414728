package gemini

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// common is a Part as a common part, whoever sent it. The second result names
// the member that cannot be read.
func (p *wirePart) common() (chat.Part, string) {
	switch p.data {
	case "", "text":
		if p.thought {
			return chat.Part{Kind: chat.Thought, Text: p.text}, ""
		}
		return chat.Part{Kind: chat.Text, Text: p.text}, ""
	case "inlineData", "fileData":
		return p.media()
	case "functionCall":
		return chat.Part{Kind: chat.ToolCall, ID: p.id, Name: p.name, Text: arguments(p.args)}, ""
	case "functionResponse":
		return p.result()
	}
	if !jsontext.Value(p.raw).IsValid(jsontext.AllowDuplicateNames(true)) {
		return chat.Part{}, p.data
	}
	return chat.Part{Kind: chat.Opaque, Name: p.data, Raw: bytes.Clone(p.raw), Text: p.words()}, ""
}

// arguments are a call's arguments as they were written, on one line, because
// Google sets whole answers in several; a call without any has {}.
func arguments(args []byte) string {
	if len(args) == 0 {
		return "{}"
	}
	return string(oneLine(args))
}

// media is an inlineData or a fileData.
func (p *wirePart) media() (chat.Part, string) {
	b := &p.blob
	m := &chat.Media{Type: strings.ToLower(b.mimeType), Name: b.displayName, Detail: strings.ToLower(p.resolution)}
	part := chat.Part{Media: m}
	if p.data == "fileData" {
		if b.fileURI == "" {
			return part, "fileData.fileUri"
		}
		locate(m, b.fileURI)
		part.Kind = kindOf(m.Type)
		if part.Kind == chat.Document && youtube(b.fileURI) {
			part.Kind = chat.Video
		}
		return part, ""
	}
	clean, ok := dialect.Base64(b.data)
	if !ok {
		return part, "inlineData.data"
	}
	part.Kind = kindOf(m.Type)
	m.Base64 = clean
	if strings.HasPrefix(m.Type, "text/") {
		if plain, err := base64.StdEncoding.DecodeString(clean); err == nil && utf8.Valid(plain) && len(plain) > 0 {
			m.Base64, m.Plain = "", string(plain)
		}
	}
	return part, ""
}

// locate reads a fileUri: an address anyone can fetch, a file of Google's that
// only Google has, or a file of this installation.
func locate(m *chat.Media, uri string) {
	own := strings.TrimPrefix(uri, "files/")
	host := ""
	if u, err := url.Parse(uri); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		host = u.Hostname()
	}
	switch {
	case strings.HasPrefix(own, "file_"):
		m.FileID = own
	case host == "" || host == googleFiles:
		m.FileID = uri
	default:
		m.URL = uri
		if m.Type == "" {
			m.Type = byExtension(uri)
		}
	}
}

const googleFiles = "generativelanguage.googleapis.com"

// googles reports whether a file id is one that Google gave.
func googles(id string) bool {
	return strings.HasPrefix(id, "https://"+googleFiles+"/") || strings.HasPrefix(id, "gs://") ||
		strings.HasPrefix(id, "files/") && !strings.HasPrefix(id, "files/file_")
}

func youtube(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil {
		return false
	}
	host := strings.TrimPrefix(u.Hostname(), "www.")
	return host == "youtube.com" || host == "youtu.be" || host == "m.youtube.com"
}

// extensions are the types that a URL's ending tells.
var extensions = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".heic": "image/heic", ".heif": "image/heif", ".pdf": "application/pdf", ".txt": "text/plain", ".md": "text/markdown",
	".html": "text/html", ".csv": "text/csv", ".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg",
	".flac": "audio/flac", ".mp4": "video/mp4", ".mov": "video/quicktime", ".webm": "video/webm",
}

func byExtension(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	return extensions[strings.ToLower(path.Ext(u.Path))]
}

func kindOf(mimeType string) chat.Kind {
	switch family, _, _ := strings.Cut(mimeType, "/"); family {
	case "image":
		return chat.Image
	case "audio":
		return chat.Audio
	case "video":
		return chat.Video
	}
	return chat.Document
}

// result is a functionResponse. Its words are those of its only member output,
// result or error; any other object is its own text.
func (p *wirePart) result() (chat.Part, string) {
	part := chat.Part{Kind: chat.ToolResult, ID: p.id, Name: p.name}
	text, failed := resultText(p.response)
	part.Failed = failed
	if text != "" || len(p.parts) == 0 {
		part.Content = append(part.Content, chat.Part{Kind: chat.Text, Text: text})
	}
	for i := range p.parts {
		inner, wrong := p.parts[i].common()
		if wrong != "" {
			return part, "functionResponse.parts." + wrong
		}
		inner.At = i
		part.Content = append(part.Content, inner)
	}
	return part, ""
}

func resultText(response []byte) (text string, failed bool) {
	c := cursor{b: response}
	if !c.enter('{') {
		if s, ok := c.text(); ok {
			return s, false
		}
		return compact(response), false
	}
	name, ok := c.name()
	if !ok {
		return compact(response), false
	}
	key := string(name)
	value := c.raw()
	if _, more := c.name(); more {
		return compact(response), false
	}
	inner := cursor{b: value}
	s, isText := inner.text()
	switch {
	case key == "error" && isText:
		return s, true
	case key == "error":
		return compact(value), true
	case isText && (key == "output" || key == "result"):
		return s, false
	}
	return compact(response), false
}

// oneLine is JSON that can stand in a frame, whose end is a line's.
func oneLine(value []byte) []byte {
	if bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '\r') < 0 {
		return value
	}
	return []byte(compact(value))
}

// words say what a part only Google understands says.
func (p *wirePart) words() string {
	c := cursor{b: p.raw}
	if !c.enter('{') {
		return ""
	}
	for {
		key, more := c.key()
		if !more {
			return ""
		}
		if string(key) != p.data {
			c.skip()
			continue
		}
		return describe(p.data, c.raw())
	}
}

func describe(kind string, body []byte) string {
	fields := map[string]string{}
	c := cursor{b: body}
	c.enter('{')
	for {
		key, more := c.key()
		if !more {
			break
		}
		name := string(key)
		if c.peek() == '"' {
			fields[name], _ = c.text()
		} else {
			c.skip()
		}
	}
	switch kind {
	case "executableCode":
		return "```" + strings.ToLower(fields["language"]) + "\n" + fields["code"] + "\n```"
	case "codeExecutionResult":
		return "```\n" + fields["output"] + "\n```"
	}
	return "[" + kind + "] " + compact(body)
}
