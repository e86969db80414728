package gemini

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// toMedia makes a part of an inlineData or a fileData.
func (p *wirePart) toMedia() (chat.Part, string) {
	b := &p.blob
	m := &chat.Media{Type: strings.ToLower(b.mimeType), Name: b.displayName, Detail: strings.ToLower(p.resolution)}
	part := chat.Part{Media: m}
	data := b.data
	if u, ok := dialect.ReadDataURL(cmp.Or(data, b.fileURI)); ok { // which belongs into neither
		data, m.Type = u.Base64, cmp.Or(m.Type, u.Type)
	}
	if p.data == "fileData" && data == "" {
		if b.fileURI == "" {
			return part, "fileData.fileUri"
		}
		locate(m, b.fileURI)
		part.Kind = kindOf(m.Type)
		if part.Kind == chat.Document && isYouTube(b.fileURI) {
			part.Kind = chat.Video
		}
		return part, ""
	}
	clean, ok := dialect.StandardBase64(data)
	if !ok {
		return part, "inlineData.data"
	}
	m.Base64 = clean
	if m.Type == "" {
		m.Type = dialect.TypeOf(m)
	}
	if part.Kind = kindOf(m.Type); part.Kind == chat.Document || part.Kind == chat.Image { // sound may be mere numbers
		part.Kind = kindOf(dialect.TypeOf(m))
	}
	if strings.HasPrefix(m.Type, "text/") {
		part.Kind = chat.Document
		if plain, err := base64.StdEncoding.DecodeString(clean); err == nil && utf8.Valid(plain) && len(plain) > 0 {
			m.Base64, m.Plain = "", string(plain)
		}
	}
	return part, ""
}

// locate reads a fileUri: an address any client can fetch, a file of Google's that
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
			m.Type = typeByExtension(uri)
		}
	}
}

const googleFiles = "generativelanguage.googleapis.com"

// isOfGoogle reports whether a file id is one that Google gave.
func isOfGoogle(id string) bool {
	return strings.HasPrefix(id, "https://"+googleFiles+"/") || strings.HasPrefix(id, "gs://") ||
		strings.HasPrefix(id, "files/") && !strings.HasPrefix(id, "files/file_")
}

func isYouTube(uri string) bool {
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

func typeByExtension(uri string) string {
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

// writeInline writes inlineData.
func writeInline(w *jsonscan.Writer, mimeType, data string) {
	w.Key("inlineData").Open(jsonscan.Object)
	w.Key("mimeType").Text(mimeType).Key("data").Plain(data).Close(jsonscan.Object)
}

// writeFile writes fileData.
func writeFile(w *jsonscan.Writer, uri, mimeType string) {
	w.Key("fileData").Open(jsonscan.Object).Key("fileUri").Text(uri)
	writeText(w, "mimeType", mimeType)
	w.Close(jsonscan.Object)
}

// typeOr is a type, or the likeliest one for a kind of part.
func typeOr(mimeType string, k chat.Kind) string {
	switch {
	case mimeType != "":
		return mimeType
	case k == chat.Image:
		return "image/png"
	case k == chat.Audio:
		return "audio/wav"
	case k == chat.Video:
		return "video/mp4"
	case k == chat.Document:
		return "application/pdf"
	}
	return "text/plain"
}

// detailOf is another dialect's word for a resolution in this one's.
func detailOf(word string) string {
	switch word {
	case "low", "medium", "high":
		return strings.ToUpper(word)
	case "original", "ultra_high":
		return "HIGH"
	}
	return ""
}
