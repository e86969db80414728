package provider

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/relay"
)

// swapped puts the parts that a request swaps into the client's own bytes, and
// leaves every other byte as it is. Where a place cannot be found in there, the
// request is written anew instead.
func (c *Chat) swapped(req *chat.Request, t relay.Target) (*chat.Request, error) {
	if len(req.Swaps) == 0 || !req.PassesTo(c.dialect.Name()) {
		return req, nil
	}
	talk, err := req.Conversation()
	if err != nil {
		return nil, err
	}
	target := dialect.Target{Model: t.Model, Compatible: !c.account.Kind.Author(), Schemaless: c.account.Kind.Schemaless}
	body := req.Origin.Body
	var cuts []cut
	in := new(inlays)
	var lost []chat.Loss
	for _, s := range req.Swaps {
		m := talk.Messages[s.Message]
		p := m.Parts[s.Part]
		at := gjson.GetBytes(body, jsonPath(c.dialect.Path(chat.LostPart(m, p, "", ""))))
		if !at.IsObject() || at.Index == 0 || !strings.Contains(at.Raw, s.Named) {
			return req.With(talk), nil
		}
		m.Parts = []chat.Part{p}
		text, losses, err := c.written(in, m, target)
		if err != nil {
			return nil, err
		}
		if text == nil {
			return req.With(talk), nil
		}
		cuts = append(cuts, cut{at.Index, at.Index + len(at.Raw), text})
		lost = append(lost, losses...)
	}
	slices.SortFunc(cuts, func(a, b cut) int { return a.from - b.from })
	var out []byte
	from := 0
	for _, c := range cuts {
		if c.from < from {
			return req.With(talk), nil // two parts of the conversation came from one of the client's
		}
		out = append(append(out, body[from:c.from]...), c.text...)
		from = c.to
	}
	whole := req.Rewritten(append(out, body[from:]...), lost)
	whole.Inlaid = in
	return whole, nil
}

// written is what the dialect makes of a message with one part: an element, or
// several, of a list of parts. It is nil where the dialect makes something else.
func (c *Chat) written(in *inlays, m chat.Message, t dialect.Target) ([]byte, []chat.Loss, error) {
	call, err := c.dialect.EncodeRequest(in.lift(&chat.Conversation{Messages: []chat.Message{m}}), t)
	if err != nil {
		return nil, nil, err
	}
	var lost []chat.Loss
	for _, l := range call.Losses {
		if l.Message >= 0 {
			lost = append(lost, l)
		}
	}
	first := jsonPath(c.dialect.Path(chat.Loss{Field: chat.FieldPart}))
	list := gjson.GetBytes(call.Body, first[:strings.LastIndexByte(first, '.')])
	switch {
	case list.IsArray() && len(list.Array()) > 0:
		return bytes.TrimSpace([]byte(list.Raw[1 : len(list.Raw)-1])), lost, nil
	case list.Type == gjson.String: // one text may stand without a list
		return []byte(`{"type":"text","text":` + list.Raw + `}`), lost, nil
	}
	return nil, nil, nil
}

// jsonPath is a path for people, such as messages[0].content[1], as gjson reads it.
func jsonPath(path string) string {
	return strings.NewReplacer("[", ".", "]", "").Replace(path)
}
