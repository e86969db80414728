package bridge

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// parts are the content of a message as the chat route takes it.
type parts struct {
	texts  []string
	all    []byte // every part, as elements of a list
	words  []byte // those that are a text, likewise
	others []byte // those that are none, likewise
	plain  bool   // they are texts and nothing is said of them
	marked bool   // of one it is said that a cache ends there

	drop func(path, why string)
}

// readParts reads a content: a string or a list of parts. What of it is not carried goes to drop.
func readParts(v jsonscan.Value, path string, drop func(path, why string)) (*parts, error) {
	p := &parts{plain: true, drop: drop}
	switch {
	case v.Absent():
		return p, nil
	case v.Kind() == jsonscan.String:
		p.texts = []string{v.View()}
		return p, nil
	case v.Kind() != array:
		return nil, fault.WrongValue(path, "a text or a list of parts")
	}
	for at, item := range v.Elements() {
		if err := p.add(item, fmt.Sprintf("%s[%d]", path, at)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *parts) add(v jsonscan.Value, path string) error {
	var w jsonscan.Writer
	w.Open(object)
	kind := v.Get("type").View()
	isText := false
	switch kind {
	case "input_text", "output_text", "text", "summary_text", "reasoning_text", "encrypted_content":
		isText = true
		words := v.Get("text")
		if !words.Absent() && words.Kind() != jsonscan.String {
			return fault.WrongValue(path+".text", "a text")
		}
		said := words.View()
		if kind == "encrypted_content" {
			if said = plainContent(v); said == "" {
				p.drop(path, "what another service has encrypted cannot be read here")
				return nil
			}
		}
		p.texts = append(p.texts, said)
		w.Key("type").Plain("text").Key("text").Text(said)
	case "refusal":
		p.plain = false
		w.Key("type").Plain(kind).Key(kind).Text(v.Get(kind).View())
	case "input_image":
		if err := p.writeImage(&w, v, path); err != nil {
			return err
		}
	case "input_file":
		if err := p.writeFile(&w, v, path); err != nil {
			return err
		}
	case "input_audio":
		if err := writeSound(&w, v, path); err != nil {
			return err
		}
	case "":
		return fault.Missing(path + ".type")
	default:
		return fault.Unclear(path, fmt.Sprintf("there is no part of type %q", kind))
	}
	for _, name := range cacheMarks {
		if mark := v.Get(name); !mark.Absent() {
			p.plain, p.marked = false, true
			w.Key(name).Raw(mark.Raw())
		}
	}
	w.Close(object)
	p.all = joinElements(p.all, w.Bytes())
	if isText {
		p.words = joinElements(p.words, w.Bytes())
	} else {
		p.plain = false
		p.others = joinElements(p.others, w.Bytes())
	}
	return nil
}

// cacheMarks say where a cache ends: OpenAI's own, and Anthropic's, which the chat route takes too.
var cacheMarks = []string{"prompt_cache_breakpoint", "cache_control"}

// write writes the content: a string where that says it all, because some servers
// take nothing else.
func (p *parts) write(w *jsonscan.Writer) {
	if p.plain && len(p.texts) <= 1 {
		w.Text(p.text())
		return
	}
	w.Open(array).Raw(p.all).Close(array)
}

// writeAll writes several contents as one: a string with something between them, where nothing is said of any, or else a list.
func writeAll(w *jsonscan.Writer, list []*parts, between string) {
	if between != "" && !slices.ContainsFunc(list, func(p *parts) bool { return p.marked }) {
		var texts []string
		for _, p := range list {
			texts = append(texts, p.text())
		}
		w.Text(strings.Join(texts, between))
		return
	}
	w.Open(array)
	for _, p := range list {
		if p.all != nil {
			w.Raw(p.all)
		} else {
			writeWords(w, p.text())
		}
	}
	w.Close(array)
}

// writeWords writes a text as a part.
func writeWords(w *jsonscan.Writer, text string) {
	w.Open(object).Key("type").Plain("text").Key("text").Text(text).Close(object)
}

// text is all words.
func (p *parts) text() string { return strings.Join(p.texts, "\n") }

// wordsAlone is a content that must be words alone.
func wordsAlone(v jsonscan.Value, path string, drop func(path, why string)) (*parts, error) {
	p, err := readParts(v, path+".content", drop)
	if err != nil {
		return nil, err
	}
	if len(p.others) > 0 {
		return nil, fault.WrongValue(path+".content", "text: instructions take nothing else")
	}
	return p, nil
}

func (p *parts) writeImage(w *jsonscan.Writer, v jsonscan.Value, path string) error {
	if url := v.Get("image_url").View(); url != "" {
		w.Key("type").Plain("image_url").Key("image_url").Open(object).Key("url").Text(url)
		switch detail := v.Get("detail").View(); detail {
		case "low", "high", "auto":
			w.Key("detail").Plain(detail)
		case "original":
			w.Key("detail").Plain("high")
		case "":
		default:
			p.drop(path+".detail", "it is not known to the bridge")
		}
		w.Close(object)
		return nil
	}
	if id := v.Get("file_id").View(); id != "" {
		w.Key("type").Plain("file").Key("file").Open(object).Key("file_id").Text(id).Close(object)
		return nil
	}
	if v.Get("image_url").Kind() == object { // as the chat route has it
		return fault.WrongValue(path+".image_url", "a text: an address or a data URL")
	}
	return fault.Unclear(path, "an image needs an image_url or a file_id")
}

func (p *parts) writeFile(w *jsonscan.Writer, v jsonscan.Value, path string) error {
	data, address := v.Get("file_data").View(), v.Get("file_url").View()
	if data == "" && address == "" && v.Get("file_id").View() == "" {
		return fault.Unclear(path, "a file needs file_data, a file_url or a file_id")
	}
	if detail := v.Get("detail").View(); detail != "" && detail != "auto" {
		p.drop(path+".detail", "chats have none for files")
	}
	if kind, _, _, ok := wire.DataURL(data); ok && strings.HasPrefix(kind, "image/") {
		w.Key("type").Plain("image_url").Key("image_url").Open(object).Key("url").Text(data).Close(object)
		return nil
	}
	w.Key("type").Plain("file").Key("file").Open(object)
	copyMembers(w, v, "file_id", "file_data", "filename")
	if data == "" && address != "" {
		w.Key("file_data").Text(address) // the server fetches it where its upstream does not
	}
	w.Close(object)
	return nil
}

// writeSound writes a sound: as the chat route has it, or in Codex's form, a data URL or an address.
func writeSound(w *jsonscan.Writer, v jsonscan.Value, path string) error {
	const kind = "input_audio"
	inner, link := v.Get(kind), v.Get("audio_url")
	mime, data, coded, ok := wire.DataURL(link.View())
	switch {
	case inner.Kind() == object:
		w.Key("type").Plain(kind).Key(kind).Raw(inner.Raw())
	case !link.Absent() && link.Kind() != jsonscan.String:
		return fault.WrongValue(path+".audio_url", "a text: an address or a data URL")
	case ok && coded:
		w.Key("type").Plain(kind).Key(kind).Open(object).Key("data").Text(data).Key("format").Text(openai.SoundFormat(mime)).Close(object)
	case link.View() != "":
		w.Key("type").Plain("file").Key("file").Open(object).Key("file_data").Text(link.View()).Close(object)
	default:
		return fault.Unclear(path, "audio needs an input_audio with its data and format")
	}
	return nil
}
