package anthropic

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/pattern"
)

// Claude Code sends all servers of this dialect what only some of them know and what says nothing of
// the answer: how tools are loaded, what is kept in a cache and for whom, what is to be cleared of a
// conversation that has grown long, what becomes of thoughts that fit no more, and who answers in the place of a model that declines.
// Its user can turn none of it off. Anthropic's own libraries send back
// with a turn what the answer had beside its words: who called a tool, that it cites nothing, what was read in it.

// hints are these members, with examples for tools whose descriptions say what they are for, and what a report calls their place.
var hints = map[string]string{
	"context_management": "context_management", "diagnostics": "diagnostics", "metadata": chat.FieldUser,
	"defer_loading": chat.FieldTools, "eager_input_streaming": chat.FieldTools, "input_examples": chat.FieldTools,
	"scope": chat.FieldCache, "ttl": chat.FieldCache, dialect.CacheMarks: chat.FieldCache, "display": chat.FieldThinking, "block_binding": chat.FieldThinking,
	"fallbacks": "fallbacks", "fallback_credit_token": "fallback_credit_token",
	"caller": chat.FieldMessages, "citations": chat.FieldMessages, "parsed_output": chat.FieldMessages,
}

// hintsIn are the hints that stand in another member.
var hintsIn = map[string][]string{dialect.CacheMarks: {"scope", "ttl"}, "thinking": {"display", "block_binding"}}

// hintsOf are those that are hints only in blocks of one type: in a document it is a wish to cite from it.
var hintsOf = map[string]string{"citations": "text"}

// undeferred is how a router says that its model's server has no search for tools, so that all of them must be offered at once.
const undeferred = "deferred custom tools are only supported"

// unknownMember is how servers say that they do not know a member, in Python, Rust, Go and by hand.
var unknownMember = func() pattern.Pattern {
	const quote, path = "\\(?['\"`]?", `(?:\w+\.)*`
	name := quote + path + `(` + strings.Join(slices.Sorted(maps.Keys(hints)), "|") + `)\b['"` + "`" + `]?`
	const member, unknown = `(?:field|parameter|param|argument|property|key)s?`, `(?:not (?:supported|allowed|permitted|recognized)|unsupported|unexpected|unknown)`
	return pattern.New(`(?i)` + strings.Join([]string{
		`(?:^|[\s>])` + name + `: (?:extra (?:inputs|fields) (?:are )?not permitted|input should be a valid (?:dictionary|list))`, // of null: Amazon's
		`(?:unknown|unrecognized|unexpected|unsupported|invalid) (?:\w+ )?` + member + `:? ` + name,
		`(?:` + member + ` |^)` + name + ` (?:is|are|was) ` + unknown, name + ` was unexpected`,
	}, "|"))
}()

// refusedHint is the hint that a refusal is about, if it is about one.
func refusedHint(words string) string {
	if names := refusedBetas(words); names != "" {
		return names
	}
	switch {
	case dialect.Says(words, undeferred):
		return "defer_loading"
	case dialect.Says(words, "invalid 'user_id'"): // DeepSeek's, which takes other letters (deepseek-ai/awesome-deepseek-agent#67)
		return "metadata"
	}
	if found := unknownMember().FindStringSubmatch(words); found != nil {
		return strings.ToLower(cmp.Or(found[1:]...))
	}
	if dialect.SaysUncached(words) {
		return dialect.CacheMarks
	}
	return ""
}

// leaveHints takes those out of a request that the upstream has refused, be it the client's own bytes or ours.
func leaveHints(call *dialect.Outgoing, refused []string) (err error) {
	leaveBetas(call, refused)
	l := leaver{refused: slices.DeleteFunc(slices.Clone(refused), func(name string) bool { return hints[name] == "" })}
	if len(l.refused) == 0 {
		return nil
	}
	root := jsonscan.Root(call.Body)
	l.leave(root)
	for _, list := range []string{"tools", "system"} {
		l.leaveAll(root.Get(list))
	}
	for _, m := range root.Get("messages").Elements() {
		l.leaveAll(m.Get("content"))
	}
	for _, name := range l.refused {
		call.Losses = append(call.Losses, chat.Lost(hints[name], chat.Dropped, "the server does not know "+name))
	}
	call.Body, err = l.edits.Apply(call.Body)
	return err
}

// leaver takes hints out of a body.
type leaver struct {
	refused []string
	edits   jsonscan.Edits
}

// leaveAll takes hints out of blocks and tools, and of the blocks in them.
func (l *leaver) leaveAll(list jsonscan.Value) {
	if list.Kind() != jsonscan.Array {
		return
	}
	for _, v := range list.Elements() {
		l.leave(v)
		l.leaveAll(v.Get("content"))
	}
}

// leave takes hints out of an object.
func (l *leaver) leave(v jsonscan.Value) {
	if v.Kind() != jsonscan.Object {
		return
	}
	for key, member := range v.Members() {
		if slices.Contains(l.refused, key.Name) && (hintsOf[key.Name] == "" || v.Get("type").View() == hintsOf[key.Name]) {
			l.edits.Remove(key, member)
			continue
		}
		for _, name := range hintsIn[key.Name] {
			l.leaveInner(member, name)
		}
	}
}

// leaveInner takes a hint out of the member that it stands in.
func (l *leaver) leaveInner(member jsonscan.Value, name string) {
	for key, v := range member.Members() {
		if key.Name == name && slices.Contains(l.refused, name) {
			l.edits.Remove(key, v)
		}
	}
}
