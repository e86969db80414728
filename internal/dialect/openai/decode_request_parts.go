package openai

import (
	"fmt"
	"slices"
	"strconv"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// readContent reads a message's content: a string, parts, or nothing.
func (r *requestReader) readContent(v jsonscan.Value) ([]chat.Part, error) {
	switch {
	case v.Absent():
		return nil, nil
	case v.Kind() == jsonscan.String:
		if text := v.View(); text != "" {
			return []chat.Part{{Kind: chat.Text, Text: text, At: atWhole}}, nil
		}
		return nil, nil
	case v.Kind() != array:
		return nil, fault.WrongValue(r.pathOf(".content"), "a string or a list of parts")
	}
	var parts []chat.Part
	for i, item := range v.Elements() {
		at := r.pathOf(".content[" + strconv.Itoa(i) + "]")
		p, err := r.readPart(item, at)
		if err != nil {
			return nil, err
		}
		p.At = i
		parts = append(parts, p)
	}
	return parts, nil
}

// readPart reads one part and notes its members that say nothing to us.
func (r *requestReader) readPart(v jsonscan.Value, at string) (chat.Part, error) {
	if v.Kind() != object {
		return chat.Part{}, fault.WrongValue(at, "an object with a type")
	}
	kind := v.Get("type").View()
	if p, theirs, err := r.readBlock(kind, v, at); theirs {
		return p, err
	}
	var value jsonscan.Value
	var cache, breakpoint *chat.Cache
	var unknown []string
	for key, member := range v.Members() {
		switch key.Name {
		case kind:
			value = member
		case "type":
		case "cache_control":
			cache = r.readCache(member, at+"."+key.Name)
		case "prompt_cache_breakpoint":
			breakpoint = r.readCache(member, at+"."+key.Name)
		default:
			if dialect.Asks(member) && !(r.answered && isRepeat(kind, key.Name)) {
				unknown = append(unknown, key.Name)
			}
		}
	}
	p, err := readPart(kind, value, at)
	if err != nil {
		return p, err
	}
	for _, name := range unknown {
		r.note(at+"."+name, chat.Dropped, "unknown")
	}
	r.noteOthers(value, at+"."+kind, partMembers[kind]...)
	if p.Cache = cache; cache == nil {
		p.Cache = breakpoint
	}
	return p, nil
}

// partMembers are those of what a part has under the name of its type.
var partMembers = map[string][]string{
	"image_url": {"url", "detail", "format"}, "video_url": {"url", "format"}, "audio_url": {"url", "format"}, "input_audio": {"data", "format"},
	"file": {"file_id", "file_data", "file_url", "filename", "format"},
}

// readPart reads what a part has under the name of its type.
func readPart(kind string, v jsonscan.Value, at string) (p chat.Part, err error) {
	ok, why := true, ""
	switch kind {
	case "text":
		p.Kind = chat.Text
		p.Text, err = readText(v, at+".text")
	case "refusal":
		p.Kind = chat.Refusal
		p.Text, err = readText(v, at+".refusal")
	case "image_url", "video_url", "audio_url": // the last two are vLLM's
		p.Kind, why = chat.Image, "its url is neither an http address nor base64 data"
		switch kind {
		case "video_url":
			p.Kind = chat.Video
		case "audio_url":
			p.Kind = chat.Audio
		}
		if p.Media, ok = readLink(v); ok {
			p.Kind = kindOfData(p.Media, p.Kind)
		}
	case "input_audio":
		p.Kind, why = chat.Audio, "its data is not base64"
		p.Media, ok = readAudio(v)
	case "file":
		why = "it has neither a file_id nor file_data in base64"
		p, ok = readFile(v)
	default:
		ok, why = false, fmt.Sprintf("there is no part of type %q", kind)
	}
	if !ok {
		return p, fault.Unclear(at, why)
	}
	return p, err
}

// readCache reads a cache marker: anthropic's, which many clients send here too,
// or this API's own.
func readCache(v jsonscan.Value) *chat.Cache {
	if v.Kind() != object {
		return nil
	}
	return &chat.Cache{TTL: v.Get("ttl").View()}
}

// readCache reads the cache marker at a place.
func (r *requestReader) readCache(v jsonscan.Value, at string) *chat.Cache {
	r.noteOthers(v, at, "type", "ttl", "mode")
	return readCache(v)
}

// readRest reads what an assistant's message has beside its content and its calls:
// a refusal, a sound, pictures.
func readRest(m *message) (parts []chat.Part) {
	if text := m.refusal.View(); text != "" {
		parts = append(parts, chat.Part{Kind: chat.Refusal, Text: text, At: atRefusal})
	}
	if m.audio.Kind() == object {
		parts = append(parts, readSound(m.audio))
	}
	return append(parts, readPictures(m.images)...)
}

// readCitations reads annotations, of whatever type: those of files and of what is not
// known yet are sources too. What one says stands under the name of its type, or beside it
// as the Responses API has it.
func readCitations(v jsonscan.Value) (list []chat.Citation) {
	for _, item := range v.Elements() {
		if item.Kind() != object {
			continue
		}
		source := item.Get(item.Get("type").View())
		if source.Kind() != object {
			source = item
		}
		list = append(list, chat.Citation{
			URL: source.Get("url").View(), Title: firstText(source, "title", "filename", "name", "file_id"), Quote: source.Get("quote").View(),
			Start: int(readCount(firstOf("start_index", source, item))), End: int(readCount(firstOf("end_index", source, item))),
			Raw: item.Raw(), Dialect: name,
		})
	}
	return list
}

// firstText is the first text among members of an object.
func firstText(v jsonscan.Value, names ...string) string {
	for _, name := range names {
		if text := v.Get(name).View(); text != "" {
			return text
		}
	}
	return ""
}

// firstOf is a member of the first object that has it.
func firstOf(name string, objects ...jsonscan.Value) (v jsonscan.Value) {
	for _, o := range objects {
		if v = o.Get(name); v.Exists() {
			return v
		}
	}
	return v
}

// cite puts sources on the first text. Where there is none they stand alone, to be told of.
func cite(parts []chat.Part, sources []chat.Citation) []chat.Part {
	if len(sources) == 0 {
		return parts
	}
	i := slices.IndexFunc(parts, func(p chat.Part) bool { return p.Kind == chat.Text })
	if i < 0 {
		i, parts = len(parts), append(parts, chat.Part{Kind: chat.Text})
	}
	parts[i].Citations = append(parts[i].Citations, sources...)
	return parts
}

// sign puts a message's own signature on its last words, or keeps it on a
// thought without words.
func sign(parts []chat.Part, proof string) []chat.Part {
	for i := range slices.Backward(parts) {
		if parts[i].Kind == chat.Text {
			parts[i].Proof = proof
			return parts
		}
	}
	return append(parts, chat.Part{Kind: chat.Thought, Proof: proof, At: atThoughts})
}
