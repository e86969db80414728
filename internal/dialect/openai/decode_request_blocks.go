package openai

import (
	"cmp"
	"fmt"
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// readBlock reads what some clients put into a content although it is Anthropic's, of the
// Responses API, of the Model Context Protocol, LangChain's, or of other servers of this dialect.
func (r *requestReader) readBlock(kind string, v jsonscan.Value, at string) (p chat.Part, theirs bool, err error) {
	if isStandard(v) || isBareStandard(kind, v) {
		p, err = readStandard(kind, v, at)
		p.Cache = readCache(v.Get("cache_control"))
		return p, true, err
	}
	switch kind {
	case "tool_use":
		p = chat.Part{Kind: chat.ToolCall, ID: anyText(v.Get("id")), Name: anyText(v.Get("name")), Text: anyText(v.Get("input"))}
		if p.Name == "" {
			err = fault.Missing(at + ".name")
		}
	case "tool_result":
		p, err = r.readBlockResult(v, at)
	case "thinking":
		p = chat.Part{Kind: chat.Thought, Text: readWords(v.Get("thinking")), Proof: v.Get("signature").View()}
	case "redacted_thinking":
		p = chat.Part{Kind: chat.Redacted, Text: v.Get("data").View()}
	case "reasoning", "reasoning_content":
		p = readReasoning(v)
	case "image", "document", "audio":
		p, err = readBlockMedia(kind, v, at)
	case "document_url", "file_url":
		p, err = r.readFileLink(kind, v, at)
	case "resource", "resource_link":
		p, err = readResource(v, at)
	case "input_text", "output_text":
		p.Kind = chat.Text
		p.Text, err = readText(v.Get("text"), at+".text")
	case "input_image", "input_file":
		p, err = readItemMedia(kind, v, at)
	default:
		return p, false, nil
	}
	p.Cache = readCache(v.Get("cache_control"))
	return p, true, err
}

// readReasoning reads thoughts as LangChain's standard blocks have them, its blocks of Amazon's and of the Responses API, and the AI
// SDK's messages.
func readReasoning(v jsonscan.Value) chat.Part {
	said := v
	if inner := v.Get("reasoning_content"); inner.Kind() == object {
		said = inner
	}
	p := chat.Part{Kind: chat.Thought, Proof: firstText(said, "signature")}
	if p.Proof == "" {
		p.Proof = firstText(v.Get("extras"), "signature")
	}
	for _, name := range []string{"reasoning", "text", "summary", "content"} {
		if p.Text == "" {
			p.Text = readWords(said.Get(name))
		}
	}
	return p
}

// readBlockResult reads what a tool answered, in words or in parts.
func (r *requestReader) readBlockResult(v jsonscan.Value, at string) (chat.Part, error) {
	p := chat.Part{Kind: chat.ToolResult, ID: anyText(v.Get("tool_use_id"))}
	p.Failed, _ = v.Get("is_error").Bool()
	if of, ok := r.called[p.ID]; ok {
		p.Name = of.name
		r.called[p.ID] = call{of.name, true}
	}
	content := v.Get("content")
	if text, ok := content.Text(); ok {
		p.Content = []chat.Part{{Kind: chat.Text, Text: text}}
		return p, nil
	}
	for i, item := range content.Elements() {
		place := fmt.Sprintf("%s.content[%d]", at, i)
		if kind := item.Get("type").View(); kind == "tool_result" || kind == "tool_use" {
			return p, fault.Unclear(place, "there is no part of that type in a result")
		}
		inner, err := r.readPart(item, place)
		if err != nil {
			return p, err
		}
		p.Content = append(p.Content, inner)
	}
	return p, nil
}

// checkResult checks what a tool's message holds: neither calls nor further results.
func (r *requestReader) checkResult(content []chat.Part) error {
	for _, p := range content {
		if p.Kind == chat.ToolCall || p.Kind == chat.ToolResult {
			return fault.Unclear(r.pathOf(fmt.Sprintf(".content[%d]", p.At)), "there is no part of that type in a result")
		}
	}
	return nil
}

// readBlockMedia reads a picture, a document or a sound by its source, or by the data beside
// its type, as tools of the Model Context Protocol give it.
func readBlockMedia(kind string, v jsonscan.Value, at string) (chat.Part, error) {
	p := chat.Part{Kind: chat.Image}
	switch kind {
	case "document":
		p.Kind, p.Name = chat.Document, v.Get("title").View()
	case "audio":
		p.Kind = chat.Audio
	}
	source := v.Get("source")
	ok := true
	switch data := source.Get("data").View(); source.Get("type").View() {
	case "base64":
		p.Media, ok = readURL(wire.NewDataURL(source.Get("media_type").View(), data))
	case "text":
		p.Media = &chat.Media{Type: "text/plain", Plain: data}
	case "url":
		p.Media, ok = readURL(source.Get("url").View())
	default:
		p.Media, ok = readURL(wire.NewDataURL(mimeTypeOf(v), v.Get("data").View()))
		ok = ok && isToolMedia(v)
	}
	if !ok {
		return p, fault.Unclear(at, "its source cannot be read")
	}
	p.Media.Name = p.Name
	return p, nil
}

// readResource reads what a tool of the Model Context Protocol gives by its address, with what is there or without.
func readResource(v jsonscan.Value, at string) (p chat.Part, err error) {
	held := v.Get("resource")
	if held.Kind() != object {
		held = v
	}
	uri := held.Get("uri").View()
	if blob := held.Get("blob").View(); blob != "" {
		kind := mimeTypeOf(held)
		media, ok := readURL(wire.NewDataURL(kind, blob))
		if !ok {
			return p, fault.Unclear(at, "its blob is not base64")
		}
		family, _, _ := strings.Cut(kind, "/")
		media.Name = uri[strings.LastIndexByte(uri, '/')+1:]
		p = chat.Part{Kind: cmp.Or(resources[family], chat.Document), Media: media}
		return p, nil
	}
	var lines []string
	for _, name := range []string{"name", "title", "uri", "description", "text"} {
		if line := held.Get(name).View(); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return p, fault.Unclear(at, "there is nothing in it")
	}
	return chat.Part{Kind: chat.Text, Text: strings.Join(lines, "\n")}, nil
}

// resources are the kinds of files that are no documents.
var resources = map[string]chat.Kind{"image": chat.Image, "audio": chat.Audio, "video": chat.Video}

// isToolMedia reports whether a part has its data and their type beside its own type.
func isToolMedia(v jsonscan.Value) bool {
	return v.Get("data").Kind() == jsonscan.String && mimeTypeOf(v) != ""
}

// mimeTypeOf is the type of a part's data. LangChain writes it with an underscore.
func mimeTypeOf(v jsonscan.Value) string {
	return cmp.Or(v.Get("mimeType").View(), v.Get("mime_type").View())
}

// readItemMedia reads a picture or a file of the Responses API.
func readItemMedia(kind string, v jsonscan.Value, at string) (p chat.Part, err error) {
	ok := true
	if link := v.Get("image_url"); kind == "input_image" && !link.Absent() {
		p.Kind = chat.Image
		if p.Media, ok = readLink(link); ok {
			if p.Media.Detail = strings.ToLower(v.Get("detail").View()); p.Media.Detail == "original" {
				p.Media.Detail = "high" // the most that this API has
			}
		}
	} else if p, ok = readFile(v); kind == "input_image" {
		p.Kind = chat.Image
	}
	if !ok {
		err = fault.Unclear(at, "it has neither an address, nor data in base64, nor a file_id")
	}
	return p, err
}

// splitCalls returns the calls among parts, and the rest of them.
func (r *requestReader) splitCalls(parts []chat.Part) (calls, rest []chat.Part) {
	for _, p := range parts {
		switch {
		case p.Kind != chat.ToolCall:
			rest = append(rest, p)
			continue
		case p.ID == "":
			p.ID = fmt.Sprintf("call_%d_%d", r.at, len(calls))
		}
		calls = append(calls, p)
	}
	return calls, rest
}
