package openai

import (
	"cmp"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// readLink reads an image_url or a video_url, which some clients send as a string.
func readLink(v jsonscan.Value) (*chat.Media, bool) {
	detail := v.Get("detail").View()
	if v.Kind() == object {
		v = v.Get("url")
	}
	m, ok := readURL(v.View())
	if ok {
		m.Detail = strings.ToLower(detail)
	}
	return m, ok
}

func readURL(text string) (*chat.Media, bool) {
	switch head := strings.ToLower(text[:min(len(text), 8)]); {
	case strings.HasPrefix(head, "data:"):
		return dialect.DataURL(text)
	case strings.HasPrefix(head, "http://"), strings.HasPrefix(head, "https://"):
		return &chat.Media{URL: text}, true
	case strings.HasPrefix(head, "file_"), strings.HasPrefix(head, "file-"):
		return &chat.Media{FileID: text}, true
	}
	return readBare(text)
}

// readBare reads base64 without a data: before it, if its bytes say what they are.
func readBare(text string) (*chat.Media, bool) {
	payload, ok := dialect.Base64(text)
	if !ok || dialect.Sniff(payload) == "" {
		return nil, false
	}
	return &chat.Media{Type: dialect.Sniff(payload), Base64: payload}, true
}

func readAudio(v jsonscan.Value) (*chat.Media, bool) {
	data, format := v.Get("data").View(), strings.ToLower(v.Get("format").View())
	m, ok := dialect.DataURL(data)
	if !ok {
		m = &chat.Media{}
		m.Base64, ok = dialect.Base64(data)
	}
	switch format {
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

// readFile reads a file part. What is a picture or a sound by its type is one.
func readFile(v jsonscan.Value) (chat.Part, bool) {
	p := chat.Part{Kind: chat.Document, Name: v.Get("filename").View()}
	if id := v.Get("file_id").View(); id != "" && v.Get("file_data").View() == "" { // some clients send both
		p.Media = &chat.Media{FileID: id, Name: p.Name}
		return p, true
	}
	data := cmp.Or(v.Get("file_data").View(), v.Get("file_url").View()) // where other servers take addresses too
	m, ok := readURL(data)
	if !ok || m.FileID != "" {
		return p, false
	}
	if m.URL != "" {
		p.Media, m.Name = m, p.Name
		return p, true
	}
	p.Media, m.Name = m, p.Name
	switch family, _, _ := strings.Cut(dialect.TypeOf(m), "/"); family {
	case "image":
		p.Kind = chat.Image
	case "audio":
		p.Kind = chat.Audio
	case "video":
		p.Kind = chat.Video
	}
	return p, true
}

// writeData writes a data URL. The payload is base64 and needs no escapes.
func writeData(w *jsonscan.Writer, mime, payload string) {
	head := jsonscan.AppendText(nil, "data:"+mime+";base64,")
	w.Plain(string(head[1:len(head)-1]), payload)
}

// readSound reads message.audio, of which history has only the id.
func readSound(v jsonscan.Value) chat.Part {
	p := chat.Part{Kind: chat.Audio, ID: v.Get("id").View(), Text: v.Get("transcript").View(), At: atAudio}
	if data, ok := dialect.Base64(v.Get("data").View()); ok {
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
