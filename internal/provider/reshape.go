package provider

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// reshape makes a call in the dialect's own words one that the kind takes: its
// path, its headers, and its body with as few bytes changed as can be. Where the client's
// own bytes pass only those of the edits are made that are for them.
func (c *Chat) reshape(call dialect.Outgoing, t dialect.Upstream, edits []Edit, pass bool) dialect.Outgoing {
	if where := c.paths.of(t.Stream); where != "" {
		call.Path = strings.NewReplacer("{model}", url.PathEscape(t.Model), "{label}", pathSegment(t.Model)).Replace(where)
	}
	for _, m := range c.account.Kind.Moved {
		if betas := splitList(call.Header.Values(m.Header)); m.Member != "" && len(betas) > 0 {
			edits = append(slices.Clip(edits), Edit{Path: m.Member, Value: textsJSON(betas), Add: true, Pass: true})
		}
		call.Header.Del(m.Header)
	}
	counts := func(e Edit) bool { return (e.Pass || !pass) && e.concerns(t.Model) }
	if !slices.ContainsFunc(edits, counts) {
		return call
	}
	call.Join()
	e := newEditor(call.Body, edits, counts)
	call.Body = e.apply()
	for i := range edits {
		if !e.done[i] {
			continue
		}
		if edits[i].Header != "" {
			carryTier(&call, edits[i].Header, jsonscan.Root(e.old[i]).View())
			continue
		}
		if l, lost := edits[i].loss(); lost {
			call.Losses = append(slices.Clip(call.Losses), l)
		}
		if edits[i].Path == "stop" {
			call.Stops = append(slices.Clip(call.Stops), sequences(e.old[i])...)
		}
	}
	return call
}

// carryTier puts a tier into a header. The usual one needs none.
func carryTier(call *dialect.Outgoing, header, word string) {
	switch tier := strings.TrimPrefix(strings.ToLower(word), "service_tier_"); tier {
	case "", "unspecified", "standard":
	case "flex", "priority":
		if call.Header == nil {
			call.Header = make(http.Header, 1)
		}
		call.Header.Set(header, tier)
	default:
		call.Losses = append(slices.Clip(call.Losses), chat.Lost(chat.FieldTier, chat.Dropped, "there is no such tier"))
	}
}

// editsOfReworded are the edits for bytes in which stele bridge has chosen the names: those of the kind,
// and at a server that is not the author's what it gets in translated requests too. The kind knows better.
func (c *Chat) editsOfReworded() []Edit {
	edits := c.account.Kind.Edits
	if c.authors || c.dialect.Name() != "openai" {
		return edits
	}
	all := slices.Clone(edits)
	for _, e := range compatibleEdits {
		if !slices.ContainsFunc(edits, func(of Edit) bool { return of.Path == e.Path || of.Name == e.Path }) {
			all = append(all, e)
		}
	}
	return all
}

// concerns reports whether an edit is for requests to a model.
func (e *Edit) concerns(model string) bool {
	return len(e.Models) == 0 || slices.ContainsFunc(e.Models, func(pattern string) bool {
		ok, _ := path.Match(pattern, strings.ToLower(model))
		return ok
	})
}

// loss is what the client loses by an edit.
func (e *Edit) loss() (chat.Loss, bool) {
	verb := e.Verb
	switch {
	case e.Field == "":
		return chat.Loss{}, false
	case verb != "":
	case e.Name != "" || e.Value != "":
		verb = chat.Approximated
	default:
		verb = chat.Dropped
	}
	note := cmp.Or(e.Note, "the model's provider does not take it")
	return chat.Lost(e.Field, verb, note), true
}

// sequences are the stop sequences in a member that was left out.
func sequences(raw []byte) []string {
	var list []string
	v := jsonscan.Root(raw)
	if one, _ := v.Text(); one != "" {
		list = append(list, one)
	}
	for _, e := range v.Elements() {
		if text, ok := e.Text(); ok {
			list = append(list, text)
		}
	}
	return list
}

// splitList takes a header apart whose values are lists.
func splitList(values []string) []string {
	var list []string
	for _, line := range values {
		for word := range strings.SplitSeq(line, ",") {
			if word = strings.TrimSpace(word); word != "" {
				list = append(list, word)
			}
		}
	}
	return list
}

// textsJSON is a list of strings as JSON.
func textsJSON(list []string) string {
	out := []byte{'['}
	for i, text := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = dialect.AppendText(out, text)
	}
	return string(append(out, ']'))
}

// pathSegment is a text as one segment of a path, with everything encoded that is not a letter, a
// digit or one of -._~.
func pathSegment(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
