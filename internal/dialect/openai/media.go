package openai

import (
	"cmp"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// readLink reads an image_url or a video_url, which some clients send as a string. LiteLLM's
// say the type in format.
func readLink(v jsonscan.Value) (*chat.Media, bool) {
	detail, format := v.Get("detail").View(), v.Get("format").View()
	if v.Kind() == object {
		v = v.Get("url")
	}
	m, ok := readURL(v.View())
	if ok {
		m.Detail, m.Type = strings.ToLower(detail), cmp.Or(m.Type, strings.ToLower(format))
	}
	return m, ok
}

// kindOfData is what data is by its type, where that is something else than its part says: clients send
// PDFs and sounds as pictures, and pictures as files.
func kindOfData(m *chat.Media, said chat.Kind) chat.Kind {
	if m.Base64 == "" {
		return said
	}
	kind := dialect.TypeOf(m)
	switch family, _, _ := strings.Cut(kind, "/"); {
	case family == "image":
		return chat.Image
	case family == "audio":
		return chat.Audio
	case family == "video":
		return chat.Video
	case kind == "application/pdf":
		return chat.Document
	}
	return said
}

func readURL(text string) (*chat.Media, bool) {
	text = strings.TrimSpace(text)
	switch head := strings.ToLower(text[:min(len(text), 8)]); {
	case strings.HasPrefix(head, "data:"):
		return dialect.ReadDataURL(text)
	case strings.HasPrefix(head, "http://"), strings.HasPrefix(head, "https://"):
		return &chat.Media{URL: text}, true
	case strings.HasPrefix(head, "file_"), strings.HasPrefix(head, "file-"):
		return &chat.Media{FileID: text}, true
	}
	return readBare(text)
}

// readBare reads base64 without a data: before it, if its bytes say what they are.
func readBare(text string) (*chat.Media, bool) {
	payload, ok := dialect.StandardBase64(text)
	if !ok || dialect.Sniff(payload) == "" {
		return nil, false
	}
	return &chat.Media{Type: dialect.Sniff(payload), Base64: payload}, true
}

func readAudio(v jsonscan.Value) (*chat.Media, bool) {
	data, format := cmp.Or(v.View(), v.Get("data").View()), strings.ToLower(v.Get("format").View()) // Mistral's clients leave the object out
	m, ok := dialect.ReadDataURL(data)
	switch head := strings.ToLower(data[:min(len(data), 8)]); {
	case ok:
	case strings.HasPrefix(head, "https://"), strings.HasPrefix(head, "http://"): // as Alibaba and Mistral take it
		m, ok = &chat.Media{URL: data}, true
	default:
		m = &chat.Media{}
		m.Base64, ok = dialect.StandardBase64(data)
	}
	switch format = strings.TrimPrefix(strings.TrimPrefix(format, "audio/"), "."); format { // some say the type, or an ending
	case "":
	case "mp3":
		m.Type = "audio/mpeg"
	default:
		m.Type = "audio/" + format
	}
	if m.Type == "" {
		m.Type = dialect.TypeOf(m)
	}
	return m, ok
}

// readFile reads a file part.
func readFile(v jsonscan.Value) (chat.Part, bool) {
	p := chat.Part{Kind: chat.Document, Name: v.Get("filename").View()}
	format := strings.ToLower(v.Get("format").View())
	id := v.Get("file_id").View()
	isAddress := strings.HasPrefix(id, "https://") || strings.HasPrefix(id, "http://") // of LiteLLM's clients
	if id != "" && !isAddress && v.Get("file_data").View() == "" {                     // some clients send both
		p.Media = &chat.Media{FileID: id, Name: p.Name, Type: format}
		return p, true
	}
	data := cmp.Or(v.Get("file_data").View(), v.Get("file_url").View(), id) // where other servers take addresses too
	m, ok := readURL(data)
	if !ok || m.FileID != "" {
		return p, false
	}
	m.Name, m.Type = p.Name, cmp.Or(m.Type, format)
	p.Media, p.Kind = m, kindOfData(m, p.Kind)
	return p, true
}

// writeData writes a data URL. The payload is base64 and needs no escapes.
func writeData(w *jsonscan.Writer, mime, payload string) {
	head := jsonscan.AppendText(nil, wire.NewDataURL(mime, ""))
	w.Plain(string(head[1:len(head)-1]), payload)
}

// readSound reads message.audio, of which history has only the id.
func readSound(v jsonscan.Value) chat.Part {
	p := chat.Part{Kind: chat.Audio, ID: v.Get("id").View(), Text: v.Get("transcript").View(), At: atAudio}
	if data, ok := dialect.StandardBase64(v.Get("data").View()); ok {
		p.Media = &chat.Media{Base64: data, Type: dialect.Sniff(data)}
	}
	return p
}

// readPictures reads message.images, by which other servers give pictures.
func readPictures(v jsonscan.Value) (parts []chat.Part) {
	for _, item := range v.Elements() {
		if m, ok := readLink(item.Get("image_url")); ok {
			parts = append(parts, chat.Part{Kind: chat.Image, Media: m, Proof: signature(item.Get("extra_content")), At: atImages + len(parts)})
		}
	}
	return parts
}
