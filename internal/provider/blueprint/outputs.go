package blueprint

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"stele/internal/media"
	"stele/internal/wire"
)

// listMade lists what an answer says was made. Values that are no outputs are passed
// over: whether anything is left is for the caller to judge.
func (m *Maker) listMade(op *Operation, a answer, t *ticket) []media.Output {
	var list []media.Output
	for place := range op.Outputs {
		rule := &op.Outputs[place]
		if rule.Body {
			if a.doc == nil && len(a.body) > 0 {
				list = append(list, rule.output(t, nil, a.output(), a.header.Get("Content-Type")))
			}
			continue
		}
		for _, item := range rule.Path.with(t.ID).all(a.doc) {
			if !haveAll(item, rule.If, t.ID) || (len(rule.Unless) > 0 && haveAll(item, rule.Unless, t.ID)) {
				continue
			}
			if o, ok := m.outputOf(op, rule, t, item); ok {
				list = append(list, o)
			}
		}
	}
	return list
}

// outputOf is one value as an output, and whether it is one.
func (m *Maker) outputOf(op *Operation, rule *Output, t *ticket, item any) (media.Output, bool) {
	contentType := rule.Type.text(item)
	if rule.Get != "" {
		where, err := address(rule.Get, func(name string) string {
			if inner, ok := strings.CutPrefix(name, "item."); ok {
				return path{{key: inner}}.text(item)
			}
			if name == "value" {
				return rule.Value.text(item)
			}
			return t.fill(name)
		})
		if err != nil {
			return media.Output{}, false
		}
		return rule.output(t, item, m.opener(op, rule, where), contentType), true
	}
	value := rule.Value.text(item)
	if value == "" {
		return media.Output{}, false
	}
	switch rule.Form {
	case "base64", "hex":
		body, err := decode(rule.Form, value)
		if err != nil || len(body) == 0 {
			return media.Output{}, false
		}
		if s, ok := readRawSound(contentType); ok {
			o := rule.output(t, item, openRead(s.wav(body)), "audio/wav")
			o.Duration = s.duration(len(body))
			return o, true
		}
		return rule.output(t, item, openRead(body), contentType), true
	}
	if strings.HasPrefix(value, "data:") {
		kind, content, err := wire.OpenDataURL(value)
		if err != nil {
			return media.Output{}, false
		}
		body, err := io.ReadAll(content)
		if err != nil {
			return media.Output{}, false
		}
		return rule.output(t, item, openRead(body), kind), true
	}
	if u, err := m.caller.locate(value); err != nil || strings.HasPrefix(value, "/") || u.Host == "" {
		return media.Output{}, false
	}
	return rule.output(t, item, m.opener(op, rule, value), contentType), true
}

type opener = func(ctx context.Context) (io.ReadCloser, error)

func (rule *Output) output(t *ticket, item any, open opener, contentType string) media.Output {
	const widest, longest = 1 << 20, 1e7 // pixels; seconds
	o := media.Output{
		Kind: rule.Kind, Role: rule.Role, Type: contentType, Open: open,
		Width: int(within(rule.Width, item, widest)), Height: int(within(rule.Height, item, widest)), Duration: within(rule.Duration, item, longest),
	}
	name := rule.Name
	if !name.isGiven() {
		name = rule.Value
	}
	o.Kind = cmp.Or(o.Kind, kindOf(contentType, name.text(item)), t.Kind)
	return o
}

// kindOf is the kind of media that a content type or the ending of a name or
// address tells, "" where they tell nothing.
func kindOf(contentType, name string) string {
	if kind, _, ok := strings.Cut(contentType, "/"); ok && slices.Contains(media.Types(), kind) {
		return kind
	}
	if u, err := url.Parse(name); err == nil {
		name = u.Path
	}
	end := strings.ToLower(filepath.Ext(name))
	for kind, known := range endings {
		if end != "" && end == known {
			kind, _, _ = strings.Cut(kind, "/")
			return kind
		}
	}
	return ""
}

func decode(form, text string) ([]byte, error) {
	if form == "hex" {
		return hex.DecodeString(text)
	}
	return base64.StdEncoding.DecodeString(wire.Base64(text)) // some break lines, some leave the padding out
}
