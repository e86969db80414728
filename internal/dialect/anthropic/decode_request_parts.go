package anthropic

import (
	"cmp"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// kinds are the blocks that the common conversation has parts for.
var kinds = map[string]chat.Kind{
	"text":              chat.Text,
	"thinking":          chat.Thought,
	"redacted_thinking": chat.Redacted,
	"tool_use":          chat.ToolCall,
	"tool_result":       chat.ToolResult,
	"image":             chat.Image,
	"document":          chat.Document,
}

// readBlock reads one block, of a request or of an answer.
func (r *requestReader) readBlock(v jsonscan.Value) (p chat.Part, ok bool) {
	if r.loose && v.View() != "" { // of imitations
		return chat.Part{Kind: chat.Text, Text: cloneText(v)}, true
	}
	if v.Kind() != jsonscan.Object {
		r.refuseType("", "an object")
		return p, false
	}
	kind := r.readText(v.Get("type"), "type")
	if r.loose && (kind == "" || kind == "output_text") && v.Get("text").View() != "" {
		kind = "text"
	}
	if kind == "" {
		r.refuseType("type", "a string")
		return p, false
	}
	p.Kind = kinds[kind]
	switch p.Kind {
	case 0:
		p = chat.Part{Kind: chat.Opaque, Name: prefix + kind, Text: blockWords(kind, v), Raw: without(v, "cache_control")}
		if c := v.Get("cache_control"); !c.Absent() {
			p.Cache = r.readCache(c)
		}
		return p, r.err == nil
	case chat.ToolCall:
		p.Text = "{}" // some upstreams leave it out where there is none
	}
	var a attachment
	var rest jsonscan.Writer
	for key, v := range r.members(v, "") {
		if !r.readBlockField(&p, &a, key, v) {
			r.keepBeside(&rest, key, v)
		}
	}
	if p.Raw = closeRest(&rest); p.Kind == chat.ToolCall && p.Name == "" {
		r.refuseValue("name", "a call needs one.")
	}
	if p.Kind == chat.Image || p.Kind == chat.Document {
		r.attach(&p, &a)
	}
	return p, r.err == nil
}

// readBlockField takes one member of a block over, and reports whether blocks of its kind
// have one of that name.
func (r *requestReader) readBlockField(p *chat.Part, a *attachment, key string, v jsonscan.Value) bool {
	type field struct {
		of  chat.Kind
		key string
	}
	switch (field{p.Kind, key}) {
	case field{chat.Text, "text"}, field{chat.Thought, "thinking"}, field{chat.Redacted, "data"}:
		p.Text = r.readText(v, key)
	case field{chat.Text, "citations"}:
		p.Citations = readCitations(v)
	case field{chat.Thought, "signature"}:
		signature := r.readText(v, key)
		p.Proof = ownSignature(signature)
		if turn, ok := chat.MarkedTurn(signature); ok {
			p.ID = turn
		}
	case field{chat.ToolCall, "id"}, field{chat.ToolResult, "tool_use_id"}:
		p.ID = r.readText(v, key)
	case field{chat.ToolCall, "name"}, field{chat.Document, "title"}:
		p.Name = r.readText(v, key)
	case field{chat.ToolCall, "input"}: // some upstreams write it as text
		if p.Text = anyText(v); dialect.NoArguments(p.Text) {
			p.Text = "{}"
		}
	case field{chat.ToolResult, "content"}:
		p.Content = r.readBlocks(v, key, &r.inner)
	case field{chat.ToolResult, "is_error"}:
		p.Failed = r.readBool(v, key)
	case field{chat.Image, "source"}, field{chat.Document, "source"}:
		a.source = v
	case field{chat.Document, "context"}:
		a.note = r.readText(v, key)
	case field{chat.Document, "citations"}:
		a.cite, _ = v.Get("enabled").Bool()
		for key := range r.members(v, key) {
			if key != "enabled" {
				r.note(r.lossHere(chat.Dropped, "citations."+key))
			}
		}
	default:
		switch key {
		case "type":
		case "cache_control":
			p.Cache = r.readCache(v)
		case "caller":
			return v.Get("type").View() == "direct"
		default:
			return false
		}
	}
	return true
}

// readCitations reads the sources of a text.
func readCitations(v jsonscan.Value) []chat.Citation {
	var list []chat.Citation
	for _, v := range v.Elements() {
		if v.Kind() == jsonscan.Object {
			list = append(list, readCitation(v))
		}
	}
	return list
}

// readCitation reads one source. Where in the document it is only its own words
// tell; where in the answer the API does not say: it is about all of its block.
func readCitation(v jsonscan.Value) chat.Citation {
	return chat.Citation{
		URL:   cmp.Or(v.Get("url").View(), v.Get("source").View()),
		Title: cmp.Or(v.Get("title").View(), v.Get("document_title").View()),
		Quote: v.Get("cited_text").View(), Raw: v.Raw(), Dialect: dialectName,
	}
}
