package anthropic

import (
	"cmp"
	"encoding/base64"
	"unicode/utf8"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// attachment is what a block says of a picture or a document.
type attachment struct {
	source jsonscan.Value
	note   string
	cite   bool
}

// attach reads a picture or a document into its part.
func (r *requestReader) attach(p *chat.Part, a *attachment) {
	p.Media = r.readSource(p, a.source)
	if p.Media == nil && p.Kind == chat.Image {
		r.refuseValue("source.type", "a picture is none of those.")
	}
	if p.Media == nil && (p.Kind == chat.Image || a.note != "" || a.cite || len(p.Content) == 0) {
		p.Media = new(chat.Media)
	}
	if p.Media != nil && p.Kind == chat.Document {
		p.Media.Name, p.Media.Note, p.Media.Cite = p.Name, a.note, a.cite
	}
}

// readSource reads where a picture or a document is. One made of blocks becomes the part's
// content instead.
func (r *requestReader) readSource(p *chat.Part, v jsonscan.Value) *chat.Media {
	var kind string
	var data, content jsonscan.Value
	m := new(chat.Media)
	for key, v := range r.members(v, "source") {
		switch key {
		case "type":
			kind = r.readText(v, "source.type")
		case "media_type":
			m.Type = r.readText(v, "source.media_type")
		case "data":
			data = v
		case "url":
			m.URL = r.readText(v, "source.url")
		case "file_id":
			m.FileID = r.readText(v, "source.file_id")
		case "content":
			content = v
		default:
			r.note(r.lossHere(chat.Dropped, "source."+key))
		}
	}
	switch kind {
	case "base64":
		r.readPayload(m, r.readText(data, "source.data"))
	case "text":
		m.Plain = r.readText(data, "source.data")
		m.Type = cmp.Or(m.Type, "text/plain")
	case "content":
		r.holder = ".source"
		p.Content = r.readBlocks(content, "source.content", &r.inner)
		r.holder = ""
		return nil
	case "url":
		if u, ok := dialect.ReadDataURL(m.URL); ok {
			return u
		}
	case "file":
	default:
		r.refuseValue("source.type", "%q is none of base64, text, content, url, file.", kind)
	}
	return m
}

func (r *requestReader) readPayload(m *chat.Media, data string) {
	if u, ok := dialect.ReadDataURL(data); ok {
		*m = *u
		return
	}
	clean, ok := dialect.StandardBase64(data)
	if !ok {
		r.refuseValue("source.data", "it is not base64.")
	}
	m.Base64 = clean
}

// pictures are the types that Claude sees.
var pictures = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

func (w *requestWriter) writeImage(m *chat.Message, p *chat.Part, t *turn) error {
	b := []byte(`{"type":"image","source":`)
	switch media := p.Media; {
	case media == nil || media.FileID != "":
		return refusePart(m, p, "the file is not one of this service's.")
	case media.Base64 != "":
		kind := dialect.TypeOf(media)
		if !pictures[kind] {
			return refusePart(m, p, "the model takes pictures in JPEG, PNG, GIF and WebP, not %q.", kind)
		}
		b = appendBase64Source(b, kind, media.Base64)
	case media.URL != "":
		b = appendURLSource(b, media.URL)
	default:
		return refusePart(m, p, "there is no picture in it.")
	}
	if p.Media.Name != "" {
		w.lose(chat.LostPart(*m, *p, chat.Ignored, "the file's name"))
	}
	if d := p.Media.Detail; d != "" && d != "auto" {
		w.lose(chat.LostPart(*m, *p, chat.Dropped, "detail "+d))
	}
	t.blocks = append(t.blocks, block{json: w.writeRest(p.Raw, b), cache: p.Cache})
	return nil
}

const longestTitle = 500 // characters of a document's title, of which the API takes no more

// writeDocument writes a document. In what the assistant said there can be none.
func (w *requestWriter) writeDocument(m *chat.Message, p *chat.Part, t *turn) error {
	if m.Role == chat.Assistant {
		w.writeInstead(m, p, t, "[document "+p.Name+"]")
		return nil
	}
	source, err := w.writeSource(m, p)
	if err != nil {
		return err
	}
	b := append([]byte(`{"type":"document","source":`), source...)
	title := p.Name
	if media := p.Media; media != nil {
		title = cmp.Or(title, media.Name)
		if media.Note != "" {
			b = jsonscan.AppendText(append(b, `,"context":`...), media.Note)
		}
		if media.Cite && w.talk.Format == nil {
			b = append(b, `,"citations":{"enabled":true}`...)
		} else if media.Cite {
			w.lose(chat.LostPart(*m, *p, chat.Dropped, "citations, which do not go with a format"))
		}
	}
	if utf8.RuneCountInString(title) > longestTitle {
		w.lose(chat.LostPart(*m, *p, chat.Ignored, "the end of its name"))
		title = string([]rune(title)[:longestTitle])
	}
	if title != "" {
		b = jsonscan.AppendText(append(b, `,"title":`...), title)
	}
	t.blocks = append(t.blocks, block{json: w.writeRest(p.Raw, b), cache: p.Cache})
	return nil
}

func (w *requestWriter) writeSource(m *chat.Message, p *chat.Part) ([]byte, error) {
	media := p.Media
	switch {
	case len(p.Content) > 0:
		var inside turn
		err := w.writeContent(m, p, &inside)
		out := new(jsonscan.Writer).Open(jsonscan.Object).Key("type").Plain("content").Key("content")
		new(marks).writeBlocks(out, inside.blocks)
		return out.Close(jsonscan.Object).Bytes(), err
	case media == nil || media.FileID != "":
		return nil, refusePart(m, p, "the file is not one of this service's.")
	case media.URL != "":
		return appendURLSource(nil, media.URL), nil
	case media.Base64 == "":
		return plainSource(media.Plain), nil
	}
	kind := dialect.TypeOf(media)
	if kind == "application/pdf" {
		return appendBase64Source(nil, kind, media.Base64), nil
	}
	words, err := base64.StdEncoding.DecodeString(media.Base64)
	if !dialect.IsText(kind) || err != nil || !utf8.Valid(words) {
		return nil, refusePart(m, p, "the model takes documents in PDF and plain text, not %q.", kind)
	}
	return plainSource(string(words)), nil
}

func appendBase64Source(dst []byte, kind, data string) []byte {
	dst = append(dst, `{"type":"base64","media_type":"`+kind+`","data":"`...)
	return append(append(dst, data...), `"}`...)
}

func appendURLSource(dst []byte, url string) []byte {
	return append(jsonscan.AppendText(append(dst, `{"type":"url","url":`...), url), '}')
}

func plainSource(words string) []byte {
	return append(jsonscan.AppendText([]byte(`{"type":"text","media_type":"text/plain","data":`), words), '}')
}
