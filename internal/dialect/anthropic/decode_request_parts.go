package anthropic

import (
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// fields are the members a block has besides type and cache_control.
var fields = map[string][]string{
	"text":              {"text", "citations"},
	"thinking":          {"thinking", "signature"},
	"redacted_thinking": {"data"},
	"tool_use":          {"id", "name", "input"},
	"tool_result":       {"tool_use_id", "content", "is_error"},
	"image":             {"source"},
	"document":          {"source", "title", "context", "citations"},
}

// members are the values of a block, each looked at once.
type members struct {
	kind, cache                 gjson.Result
	text, citations             gjson.Result
	thinking, signature, data   gjson.Result
	id, name, input             gjson.Result
	toolUseID, content, isError gjson.Result
	source, title, context      gjson.Result
	others                      []other
}

// other is a member that the common conversation has no place for.
type other struct {
	key string
	v   gjson.Result
}

// slot is where a member of a block goes; nil for one that is not known.
func (m *members) slot(key string) *gjson.Result {
	switch key {
	case "type":
		return &m.kind
	case "cache_control":
		return &m.cache
	case "text":
		return &m.text
	case "citations":
		return &m.citations
	case "thinking":
		return &m.thinking
	case "signature":
		return &m.signature
	case "data":
		return &m.data
	case "id":
		return &m.id
	case "name":
		return &m.name
	case "input":
		return &m.input
	case "tool_use_id":
		return &m.toolUseID
	case "content":
		return &m.content
	case "is_error":
		return &m.isError
	case "source":
		return &m.source
	case "title":
		return &m.title
	case "context":
		return &m.context
	}
	return nil
}

// block reads one block, of a request or of an answer: the only place that
// knows their names.
func (r *reading) block(v gjson.Result) (p chat.Part, ok bool) {
	var m members
	r.members(v, "", func(key string, v gjson.Result) {
		if slot := m.slot(key); slot != nil {
			*slot = v
		}
		if !isDefault(key, v) {
			m.others = append(m.others, other{key, v})
		}
	})
	kind := r.text(m.kind, "type")
	if kind == "" {
		r.wrong("type", "a string")
	}
	if r.err != nil || kind == "" {
		return p, false
	}
	if m.cache.Exists() {
		p.Cache = r.cache(m.cache)
	}
	switch kind {
	case "text":
		p.Kind, p.Text = chat.Text, r.text(m.text, "text")
		p.Citations = r.citations(m.citations)
	case "thinking":
		p.Kind, p.Text, p.Proof = chat.Thought, r.text(m.thinking, "thinking"), signed(r.text(m.signature, "signature"))
	case "redacted_thinking":
		p.Kind, p.Text = chat.Redacted, r.text(m.data, "data")
	case "tool_use":
		p.Kind, p.ID, p.Name, p.Text = chat.ToolCall, r.text(m.id, "id"), r.text(m.name, "name"), arguments(m.input)
	case "tool_result":
		p.Kind, p.ID, p.Failed = chat.ToolResult, r.text(m.toolUseID, "tool_use_id"), r.flag(m.isError, "is_error")
		if m.content.Exists() {
			p.Content = r.inside(m.content, "content")
		}
	case "image":
		p.Kind, p.Media = chat.Image, r.media(m.source, &p)
		if p.Media == nil {
			p.Media = new(chat.Media)
			r.bad("source.type", "a picture is none of those.")
		}
	case "document":
		p.Kind, p.Name = chat.Document, r.text(m.title, "title")
		p.Media = r.media(m.source, &p)
		r.describe(&m, &p)
	default:
		p.Kind, p.Name, p.Text = chat.Opaque, prefix+kind, words(kind, v)
		raw, _ := sjson.Delete(v.Raw, "cache_control")
		p.Raw = json.RawMessage(raw)
		return p, r.err == nil
	}
	r.unknown(kind, m.others, &p)
	return p, r.err == nil
}

// isDefault reports whether a member says nothing.
func isDefault(key string, v gjson.Result) bool {
	return key == "type" || key == "cache_control" || key == "caller" && v.Get("type").Str == "direct"
}

// unknown keeps the members of a block that the common conversation has no place
// for: on the part, for this dialect, and as an Extra, which others report.
func (r *reading) unknown(kind string, others []other, p *chat.Part) {
	rest := []byte{'{'}
	for _, o := range others {
		if !slices.Contains(fields[kind], o.key) {
			rest = append(member(rest, o.key), o.v.Raw...)
			r.extra(r.where(o.key), o.v, chat.Shapes)
		}
	}
	if rest = append(rest, '}'); len(rest) > 2 {
		p.Raw = rest
	}
}

// arguments are a call's input as it was written. Some upstreams write it as
// text, or leave it out where there is none.
func arguments(v gjson.Result) string {
	switch {
	case v.Type == gjson.String:
		return v.Str
	case !v.Exists():
		return "{}"
	}
	return v.Raw
}

// describe takes over what is said about a document.
func (r *reading) describe(m *members, p *chat.Part) {
	note, cite := r.text(m.context, "context"), m.citations.Get("enabled").Bool()
	if p.Media == nil && (note != "" || cite || len(p.Content) == 0) {
		p.Media = new(chat.Media)
	}
	if p.Media != nil {
		p.Media.Name, p.Media.Note, p.Media.Cite = p.Name, note, cite
	}
}

// media reads the source of a picture or a document. One made of blocks becomes
// the part's content instead.
func (r *reading) media(v gjson.Result, p *chat.Part) *chat.Media {
	var kind string
	var data, content gjson.Result
	m := new(chat.Media)
	r.members(v, "source", func(key string, v gjson.Result) {
		switch key {
		case "type":
			kind = r.text(v, "source.type")
		case "media_type":
			m.Type = r.text(v, "source.media_type")
		case "data":
			data = v
		case "url":
			m.URL = r.text(v, "source.url")
		case "file_id":
			m.FileID = r.text(v, "source.file_id")
		case "content":
			content = v
		default:
			r.note(r.here(chat.Dropped, "source."+key))
		}
	})
	switch kind {
	case "base64":
		r.payload(m, r.text(data, "source.data"))
	case "text":
		m.Plain = r.text(data, "source.data")
		if m.Type == "" {
			m.Type = "text/plain"
		}
	case "content":
		p.Content = r.inside(content, "source.content")
		return nil
	case "url":
		if u, ok := dialect.DataURL(m.URL); ok {
			return u
		}
	case "file":
	default:
		r.bad("source.type", "%q is none of base64, text, content, url, file.", kind)
	}
	return m
}

func (r *reading) payload(m *chat.Media, data string) {
	if u, ok := dialect.DataURL(data); ok {
		*m = *u
		return
	}
	clean, ok := dialect.Base64(data)
	if !ok {
		r.bad("source.data", "it is not base64.")
	}
	m.Base64 = clean
}

// citations reads the sources of a text.
func (r *reading) citations(v gjson.Result) []chat.Citation {
	var list []chat.Citation
	v.ForEach(func(_, v gjson.Result) bool {
		if v.IsObject() {
			list = append(list, citation(v))
		}
		return true
	})
	return list
}

// citation reads one source. Where in the document it is only its own words
// tell; where in the answer the API does not say: it is about all of its block.
func citation(v gjson.Result) chat.Citation {
	c := chat.Citation{Quote: v.Get("cited_text").Str, Raw: json.RawMessage(v.Raw), Dialect: dialectName}
	c.URL, c.Title = v.Get("url").Str, v.Get("title").Str
	if c.URL == "" {
		c.URL = v.Get("source").Str
	}
	if c.Title == "" {
		c.Title = v.Get("document_title").Str
	}
	return c
}
