package bridge

import (
	"fmt"
	"strings"

	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// parts are the content of a message as the chat route takes it.
type parts struct {
	texts  []string
	all    []byte // every part, as elements of a list
	others []byte // those that are no text, likewise
	plain  bool   // they are texts and nothing is said of them
}

// readParts reads a content: a string or a list of parts.
func readParts(v jsonscan.Value, path string) (*parts, error) {
	p := &parts{plain: true}
	switch {
	case v.Absent():
		return p, nil
	case v.Kind() == jsonscan.String:
		p.texts = []string{v.View()}
		return p, nil
	case v.Kind() != array:
		return nil, refuseValue(path, "a text or a list of parts")
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
	case "input_text", "output_text", "text", "summary_text", "reasoning_text":
		isText = true
		if words := v.Get("text"); !words.Absent() && words.Kind() != jsonscan.String {
			return refuseValue(path+".text", "a text")
		}
		p.texts = append(p.texts, v.Get("text").View())
		w.Key("type").Plain("text").Key("text").Text(v.Get("text").View())
	case "refusal":
		p.plain = false
		w.Key("type").Plain(kind).Key(kind).Text(v.Get(kind).View())
	case "input_image":
		if err := writeImage(&w, v, path); err != nil {
			return err
		}
	case "input_file":
		if err := writeFile(&w, v, path); err != nil {
			return err
		}
	case "input_audio":
		if v.Get(kind).Kind() != object {
			return refuse(path, "audio needs an input_audio with its data and format")
		}
		w.Key("type").Plain(kind).Key(kind).Raw(v.Get(kind).Raw())
	case "":
		return refuseMissing(path + ".type")
	default:
		return refuse(path, fmt.Sprintf("there is no part of type %q", kind))
	}
	if mark := v.Get("prompt_cache_breakpoint"); !mark.Absent() {
		p.plain = false
		w.Key("prompt_cache_breakpoint").Raw(mark.Raw())
	}
	w.Close(object)
	p.all = joinElements(p.all, w.Bytes())
	if !isText {
		p.plain = false
		p.others = joinElements(p.others, w.Bytes())
	}
	return nil
}

// write writes the content: a string where that says it all, because some servers
// take nothing else.
func (p *parts) write(w *jsonscan.Writer) {
	if p.plain && len(p.texts) <= 1 {
		w.Text(p.text())
		return
	}
	w.Open(array).Raw(p.all).Close(array)
}

// text is all words.
func (p *parts) text() string { return strings.Join(p.texts, "\n") }

// plainText is a content that must be words alone.
func plainText(v jsonscan.Value, path string) (string, error) {
	p, err := readParts(v, path+".content")
	if err != nil {
		return "", err
	}
	if len(p.others) > 0 {
		return "", refuseValue(path+".content", "text: instructions take nothing else")
	}
	return p.text(), nil
}

func writeImage(w *jsonscan.Writer, v jsonscan.Value, path string) error {
	if url := v.Get("image_url").View(); url != "" {
		w.Key("type").Plain("image_url").Key("image_url").Open(object).Key("url").Text(url)
		switch detail := v.Get("detail").View(); detail {
		case "low", "high", "auto":
			w.Key("detail").Plain(detail)
		case "original":
			w.Key("detail").Plain("high")
		}
		w.Close(object)
		return nil
	}
	if id := v.Get("file_id").View(); id != "" {
		w.Key("type").Plain("file").Key("file").Open(object).Key("file_id").Text(id).Close(object)
		return nil
	}
	if v.Get("image_url").Kind() == object { // as the chat route has it
		return refuseValue(path+".image_url", "a text: an address or a data URL")
	}
	return refuse(path, "an image needs an image_url or a file_id")
}

func writeFile(w *jsonscan.Writer, v jsonscan.Value, path string) error {
	data, address := v.Get("file_data").View(), v.Get("file_url").View()
	if data == "" && address == "" && v.Get("file_id").View() == "" {
		return refuse(path, "a file needs file_data, a file_url or a file_id")
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
