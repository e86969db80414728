package openai

import (
	"cmp"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// standards are the types of LangChain's standard blocks. What one holds stands beside its type: in base64 or as
// data, at a url, as a text, or by an id.
var standards = map[string]chat.Kind{
	"image": chat.Image, "audio": chat.Audio, "video": chat.Video, "file": chat.Document, "text-plain": chat.Document,
}

// isStandard reports whether a part is one of those, and no other server's: these have the type of data, too, or
// say what it is.
func isStandard(part jsonscan.Value) bool {
	if standards[part.Get("type").View()] == 0 {
		return false
	}
	typed := mimeTypeOf(part) != ""
	return isText(part, "source_type") || isText(part, "base64") || typed && (isText(part, "data") || isText(part, "url"))
}

// isBareStandard reports whether a part is one of those without the type of its data. Other servers have such parts, too.
func isBareStandard(kind string, part jsonscan.Value) bool {
	bare := part.Get(kind).Absent() && part.Get("source").Absent() && (isText(part, "url") || isText(part, "file_id") || isText(part, "fileId"))
	return kind == "text-plain" || standards[kind] != 0 && bare
}

func isText(v jsonscan.Value, member string) bool { return v.Get(member).Kind() == jsonscan.String }

// readStandard reads one.
func readStandard(kind string, v jsonscan.Value, at string) (chat.Part, error) {
	media, ok := readStandardMedia(v)
	if !ok {
		return chat.Part{}, fault.Unclear(at, "it has neither data in base64, nor an address, nor an id")
	}
	p := chat.Part{Kind: standards[kind], Media: media}
	if family, _, _ := strings.Cut(media.Type, "/"); kind == "file" {
		p.Kind = cmp.Or(resources[family], p.Kind)
	}
	p.Kind = kindOfData(media, p.Kind)
	media.Name = cmp.Or(firstText(v, "filename", "name", "title"), firstText(v.Get("metadata"), "filename", "name"), firstText(v.Get("extras"), "filename", "name"))
	if p.Kind == chat.Document {
		p.Name = media.Name
	}
	return p, nil
}

func readStandardMedia(v jsonscan.Value) (*chat.Media, bool) {
	kind := strings.ToLower(mimeTypeOf(v))
	if text := v.Get("text").View(); text != "" {
		return &chat.Media{Type: cmp.Or(kind, "text/plain"), Plain: text}, true
	}
	if data := firstText(v, "base64", "data"); data != "" {
		if m, ok := dialect.ReadDataURL(data); ok {
			return m, true
		}
		data, ok := dialect.StandardBase64(data)
		return &chat.Media{Type: cmp.Or(kind, dialect.Sniff(data)), Base64: data}, ok
	}
	if url := v.Get("url").View(); url != "" {
		m, ok := readURL(url)
		if ok {
			m.Type = cmp.Or(m.Type, kind)
		}
		return m, ok
	}
	id := firstText(v, "file_id", "fileId")
	if id == "" && v.Get("source_type").View() == "id" {
		id = v.Get("id").View()
	}
	return &chat.Media{Type: kind, FileID: id}, id != ""
}

// readFileLink reads Mistral's document_url, and the file_url of Zhipu, Perplexity and FastGPT's clients: an address or
// data, as a text or in an object, or beside the type.
func (r *requestReader) readFileLink(kind string, v jsonscan.Value, at string) (chat.Part, error) {
	link := v.Get(kind)
	if link.Absent() {
		link = v
	} else {
		r.noteOthers(v, at, "type", kind, "document_name", "name", "cache_control")
		r.noteOthers(link, at+"."+kind, "url", "format", "file_name", "filename", "name")
	}
	media, ok := readLink(link)
	if !ok {
		return chat.Part{}, fault.Unclear(at, "its url is neither an http address nor base64 data")
	}
	media.Name = cmp.Or(firstText(v, "document_name", "name"), firstText(link, "file_name", "filename", "name"))
	return chat.Part{Kind: kindOfData(media, chat.Document), Name: media.Name, Media: media}, nil
}
