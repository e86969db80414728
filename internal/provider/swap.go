package provider

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/relay"
)

// swapParts puts the parts that a request swaps into the client's own bytes, and
// leaves every other byte as it is. Where a place cannot be found in there, the
// request is written anew instead.
func (c *Chat) swapParts(req *chat.Request, t relay.Target) (*chat.Request, error) {
	if len(req.Swaps) == 0 || !req.PassesTo(c.dialect.Name()) {
		return req, nil
	}
	talk, err := req.Conversation()
	if err != nil {
		return nil, err
	}
	target := dialect.Upstream{Model: t.Model, Compatible: !c.authors, Schemaless: c.account.Kind.Schemaless}
	root := jsonscan.Root(req.Origin.Body)
	var edits jsonscan.Edits
	in := new(inlays)
	var lost []chat.Loss
	for _, s := range req.Swaps {
		m := talk.Messages[s.Message]
		p := m.Parts[s.Part]
		at := find(root, c.dialect.Path(chat.LostPart(m, p, "", "")))
		if m.Role == chat.Assistant || at.Kind() != jsonscan.Object || !bytes.Contains(at.Raw(), []byte(s.Named)) {
			return req.With(talk), nil // a model's own part may have to be shown elsewhere
		}
		m.Parts = []chat.Part{p}
		text, losses, err := c.writePart(in, m, target)
		if err != nil {
			return nil, err
		}
		if text == nil {
			return req.With(talk), nil
		}
		edits.Replace(at, text)
		lost = append(lost, losses...)
	}
	body, err := edits.Apply(req.Origin.Body)
	if err != nil {
		return req.With(talk), nil //nolint:nilerr // two parts of the conversation came from one of the client's
	}
	whole := req.WithBody(body, lost)
	whole.Inlaid = in
	return whole, nil
}

// writePart writes what the dialect makes of a message with one part: an element, or
// several, of a list of parts. It is nil where the dialect makes something else.
func (c *Chat) writePart(in *inlays, m chat.Message, t dialect.Upstream) ([]byte, []chat.Loss, error) {
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
	first := c.dialect.Path(chat.Loss{Field: chat.FieldPart})
	list := find(jsonscan.At(call.Body, 0), first[:strings.LastIndexByte(first, '[')])
	switch {
	case list.Kind() == jsonscan.Array && list.Len() > 0:
		raw := list.Raw()
		return bytes.TrimSpace(raw[1 : len(raw)-1]), lost, nil
	case list.Kind() == jsonscan.String: // one text may stand without a list
		return slices.Concat([]byte(`{"type":"text","text":`), list.Raw(), []byte{'}'}), lost, nil
	}
	return nil, nil, nil
}

// find is the value at a path as people write it: messages[0].content[1].
func find(v jsonscan.Value, path string) jsonscan.Value {
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		if index, ok := strings.CutPrefix(step, "["); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(index, "]"))
			v = v.Index(n)
			continue
		}
		v = v.Get(step)
	}
	return v
}
