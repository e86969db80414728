package anthropic

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// pictures are the types that Claude sees.
var pictures = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

func (c *composer) image(m *chat.Message, p *chat.Part, t *turn) error {
	b := []byte(`{"type":"image","source":`)
	switch media := p.Media; {
	case media == nil || media.FileID != "":
		return refusePart(m, p, "the file is not one of this service's.")
	case media.Base64 != "":
		kind := dialect.TypeOf(media)
		if !pictures[kind] {
			return refusePart(m, p, "the model takes pictures in JPEG, PNG, GIF and WebP, not %q.", kind)
		}
		b = append(b, `{"type":"base64","media_type":"`+kind+`","data":"`...)
		b = append(append(b, media.Base64...), `"}`...)
	case media.URL != "":
		b = append(dialect.AppendText(append(b, `{"type":"url","url":`...), media.URL), '}')
	default:
		return refusePart(m, p, "there is no picture in it.")
	}
	if d := p.Media.Detail; d != "" && d != "auto" {
		c.lose(chat.LostPart(*m, *p, chat.Dropped, "detail "+d))
	}
	t.blocks = append(t.blocks, block{json: c.rest(p.Raw, b), cache: p.Cache})
	return nil
}

// document writes a document. In what the assistant said there can be none.
func (c *composer) document(m *chat.Message, p *chat.Part, t *turn) error {
	if m.Role == chat.Assistant {
		c.instead(m, p, t, "[document "+p.Name+"]")
		return nil
	}
	source, err := c.source(m, p)
	if err != nil {
		return err
	}
	b := append([]byte(`{"type":"document","source":`), source...)
	title := p.Name
	if media := p.Media; media != nil {
		if title == "" {
			title = media.Name
		}
		if media.Note != "" {
			b = dialect.AppendText(append(b, `,"context":`...), media.Note)
		}
		if media.Cite && c.talk.Format == nil {
			b = append(b, `,"citations":{"enabled":true}`...)
		} else if media.Cite {
			c.lose(chat.LostPart(*m, *p, chat.Dropped, "citations, which do not go with a format"))
		}
	}
	if title != "" {
		b = dialect.AppendText(append(b, `,"title":`...), title)
	}
	t.blocks = append(t.blocks, block{json: c.rest(p.Raw, b), cache: p.Cache})
	return nil
}

func (c *composer) source(m *chat.Message, p *chat.Part) ([]byte, error) {
	media := p.Media
	switch {
	case len(p.Content) > 0:
		var inside turn
		for i := range p.Content {
			q := p.Content[i]
			q.At = p.At
			if err := c.part(m, &q, &inside); err != nil {
				return nil, err
			}
		}
		return append(list([]byte(`{"type":"content","content":`), inside.blocks), '}'), nil
	case media == nil || media.FileID != "":
		return nil, refusePart(m, p, "the file is not one of this service's.")
	case media.URL != "":
		return append(dialect.AppendText([]byte(`{"type":"url","url":`), media.URL), '}'), nil
	case media.Base64 == "":
		return plainSource(media.Plain), nil
	}
	kind := dialect.TypeOf(media)
	if kind == "application/pdf" {
		b := append([]byte(`{"type":"base64","media_type":"application/pdf","data":"`), media.Base64...)
		return append(b, `"}`...), nil
	}
	words, err := base64.StdEncoding.DecodeString(media.Base64)
	if !strings.HasPrefix(kind, "text/") && kind != "application/json" || err != nil || !utf8.Valid(words) {
		return nil, refusePart(m, p, "the model takes documents in PDF and plain text, not %q.", kind)
	}
	return plainSource(string(words)), nil
}

func plainSource(words string) []byte {
	return append(dialect.AppendText([]byte(`{"type":"text","media_type":"text/plain","data":`), words), '}')
}
