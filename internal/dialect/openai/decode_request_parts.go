package openai

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// content reads a message's content: a string, parts, or nothing.
func (r *reading) content(v gjson.Result) ([]chat.Part, error) {
	switch {
	case absent(v):
		return nil, nil
	case v.Type == gjson.String && v.Str == "":
		return nil, nil
	case v.Type == gjson.String:
		return []chat.Part{{Kind: chat.Text, Text: v.Str, At: atWhole}}, nil
	case !v.IsArray():
		return nil, wrong(r.here(".content"), "a string or a list of parts")
	}
	var parts []chat.Part
	var err error
	v.ForEach(func(_, item gjson.Result) bool {
		at := r.here(".content[" + strconv.Itoa(len(parts)) + "]")
		var p chat.Part
		if p, err = readPart(item, at); err != nil {
			return false
		}
		p.At = len(parts)
		parts = append(parts, p)
		r.oddities(item, at)
		return true
	})
	return parts, err
}

// oddities reports the members of a part that nobody reads.
func (r *reading) oddities(v gjson.Result, at string) {
	kind := v.Get("type").Str
	v.ForEach(func(key, _ gjson.Result) bool {
		if !slices.Contains([]string{"type", kind, "cache_control", "prompt_cache_breakpoint"}, key.Str) {
			r.note(at+"."+key.Str, chat.Dropped, "unknown")
		}
		return true
	})
}

// readPart reads one part of a client's message.
func readPart(v gjson.Result, at string) (p chat.Part, err error) {
	if !v.IsObject() {
		return p, wrong(at, "an object with a type")
	}
	p.Cache = readCache(v.Get("cache_control"))
	if p.Cache == nil {
		p.Cache = readCache(v.Get("prompt_cache_breakpoint"))
	}
	switch kind := v.Get("type").Str; kind {
	case "text":
		p.Kind = chat.Text
		p.Text, err = readText(v.Get("text"), at+".text")
	case "refusal":
		p.Kind = chat.Refusal
		p.Text, err = readText(v.Get("refusal"), at+".refusal")
	case "image_url":
		p.Kind = chat.Image
		p.Media, err = readLink(v.Get(kind), at)
	case "video_url":
		p.Kind = chat.Video
		p.Media, err = readLink(v.Get(kind), at)
	case "input_audio":
		p.Kind = chat.Audio
		p.Media, err = readAudio(v.Get(kind), at)
	case "file":
		return readFile(p, v.Get(kind), at)
	default:
		return p, refuse(at, fmt.Sprintf("there is no part of type %q", kind))
	}
	return p, err
}

// readLink reads an image_url or a video_url, which some clients send as a string.
func readLink(v gjson.Result, at string) (*chat.Media, error) {
	detail := v.Get("detail").Str
	if v.IsObject() {
		v = v.Get("url")
	}
	m, ok := readURL(v.Str)
	if !ok {
		return nil, refuse(at, "its url is neither an http address nor base64 data")
	}
	m.Detail = strings.ToLower(detail)
	return m, nil
}

func readURL(text string) (*chat.Media, bool) {
	switch head := strings.ToLower(text[:min(len(text), 8)]); {
	case strings.HasPrefix(head, "data:"):
		return dialect.DataURL("data:" + text[5:])
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

func readAudio(v gjson.Result, at string) (*chat.Media, error) {
	data, format := v.Get("data").Str, strings.ToLower(v.Get("format").Str)
	m, ok := dialect.DataURL(data)
	if !ok {
		m = &chat.Media{}
		m.Base64, ok = dialect.Base64(data)
	}
	if !ok {
		return nil, refuse(at, "its data is not base64")
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
	return m, nil
}

// readFile reads a file part. What is a picture or a sound by its type is one.
func readFile(p chat.Part, v gjson.Result, at string) (chat.Part, error) {
	p.Kind, p.Name = chat.Document, v.Get("filename").Str
	if id := v.Get("file_id").Str; id != "" {
		p.Media = &chat.Media{FileID: id, Name: p.Name}
		return p, nil
	}
	data := v.Get("file_data").Str
	m, ok := dialect.DataURL(data)
	if !ok {
		m, ok = readBare(data)
	}
	if !ok {
		return p, refuse(at, "it has neither a file_id nor file_data in base64")
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
	return p, nil
}

// readCache reads a cache marker: anthropic's, which many clients send here too,
// or this API's own.
func readCache(v gjson.Result) *chat.Cache {
	if !v.IsObject() {
		return nil
	}
	return &chat.Cache{TTL: v.Get("ttl").Str}
}

// readSound reads message.audio, of which history has only the id.
func readSound(v gjson.Result) chat.Part {
	p := chat.Part{Kind: chat.Audio, ID: v.Get("id").Str, Text: v.Get("transcript").Str, At: atAudio}
	if data, ok := dialect.Base64(v.Get("data").Str); ok {
		p.Media = &chat.Media{Base64: data}
		p.Media.Type = dialect.Sniff(data)
	}
	return p
}

// readPictures reads message.images, by which other servers give pictures.
func readPictures(v gjson.Result) (parts []chat.Part) {
	v.ForEach(func(_, item gjson.Result) bool {
		if m, err := readLink(item.Get("image_url"), ""); err == nil {
			parts = append(parts, chat.Part{Kind: chat.Image, Media: m, At: atImages + len(parts)})
		}
		return true
	})
	return parts
}

// readCitations reads annotations.
func readCitations(v gjson.Result) (list []chat.Citation) {
	v.ForEach(func(_, item gjson.Result) bool {
		if item.Get("type").Str != "url_citation" {
			return true
		}
		source := item.Get("url_citation")
		list = append(list, chat.Citation{
			URL: source.Get("url").Str, Title: source.Get("title").Str,
			Start: position(source.Get("start_index")), End: position(source.Get("end_index")),
			Raw: []byte(item.Raw), Dialect: name,
		})
		return true
	})
	return list
}

func position(v gjson.Result) int { return int(min(max(v.Int(), 0), 1<<40)) }
