package anthropic

import (
	"bytes"
	"slices"
	"strconv"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// edit changes what the API would not understand in a body that passes through.
func edit(call *dialect.Outgoing, target dialect.Upstream) (err error) {
	e := editor{requestWriter: newRequestWriter(new(chat.Conversation), target), root: jsonscan.Root(call.Body)}
	e.edits.ReplaceText(e.root.Get("model"), target.Model)
	e.loosen()
	e.rethink()
	e.leaveSampling()
	e.openEnvelopes()
	e.speakAsUser()
	switch {
	case e.added != nil && e.thinking.Exists():
		e.edits.Replace(e.thinking, e.added)
	case e.added != nil:
		e.edits.Append(e.root, "thinking", e.added)
	}
	call.Losses = append(call.Losses, e.losses...)
	if call.Body, err = e.edits.Apply(call.Body); err != nil {
		return err
	}
	for _, repair := range []func(*dialect.Outgoing, []string) error{leaveBlanks, retype, modernize, leaveHints} {
		if err = repair(call, target.Refused); err != nil {
			return err
		}
	}
	return nil
}

// editor edits one body. It knows what the target can, and reports losses, as one who
// writes a request.
type editor struct {
	*requestWriter
	root     jsonscan.Value
	edits    jsonscan.Edits
	thinking jsonscan.Value // as the client has it; missing where it is only a switch
	loose    jsonscan.Value // the switch that counts then
	added    []byte         // thinking, in the place of switches or of what the upstream has refused
	enabled  bool           // the model is asked to think within a budget
	changed  bool           // thoughts were opened or left out, or the model is to think in another way
	forgot   bool           // thoughts of this upstream were left out
}

// switches are fields that may be only true or false, which the API does not know. The
// last that is there counts.
var switches = []string{"reasoning", "reasoning_effort", "thinking"}

// samplings are numbers for which LangChain has sent -1 where nothing was set, to every model whose name it did not know.
// Old models took that, new ones do not (langchain-ai/langgraphjs#1712).
var samplings = []string{"temperature", "top_p", "top_k"}

// isUnset reports whether a number is what stands for none.
func isUnset(v jsonscan.Value) bool {
	n, ok := v.Int()
	return ok && n == -1
}

// loosen turns switches that are only true or false into the API's own fields, and leaves out numbers that are not set.
func (e *editor) loosen() {
	at := -1
	for key, v := range e.root.Members() {
		if slices.Contains(samplings, key.Name) && isUnset(v) {
			e.edits.Remove(key, v)
			continue
		}
		i := slices.Index(switches, key.Name)
		if _, loose := v.Bool(); loose && i >= 0 {
			e.edits.Remove(key, v)
			if i > at {
				at, e.loose = i, v
			}
		} else if key.Name == "thinking" {
			e.thinking = v
		}
	}
	e.enabled = e.thinking.Get("type").View() == thinkEnabled
	if on, _ := e.loose.Bool(); at >= 0 && !e.thinking.Exists() && !e.isRefused() {
		e.toggleThinking(on)
	}
}

// toggleThinking asks for thinking, or for none, in the target's own way.
func (e *editor) toggleThinking(on bool) {
	if p := e.planThinking(toggle(on)); p.effort != "" {
		e.putEffort(jsonscan.AppendText(nil, p.effort))
	}
}

// planThinking finds the target's own way to think as is wanted, with room for it.
func (e *editor) planThinking(wanted *chat.Thinking) plan {
	e.talk.Thinking = wanted
	given := e.root.Get("max_tokens")
	if n, ok := given.Int(); ok && n > 0 {
		e.talk.Sampling.MaxTokens = &n
	}
	p := e.think()
	if p.budget > 0 {
		limit := e.limit(&p)
		if n := e.talk.Sampling.MaxTokens; n != nil && limit != *n {
			e.edits.Replace(given, strconv.AppendInt(nil, limit, 10))
		}
	}
	if p.kind != "" {
		out := new(jsonscan.Writer)
		e.requestWriter.writeThinking(out, &p)
		e.added, e.enabled = out.Bytes(), p.kind == thinkEnabled
	}
	return p
}

// putEffort puts output_config.effort into the body.
func (e *editor) putEffort(level []byte) {
	config := e.root.Get("output_config")
	switch own := config.Get("effort"); {
	case own.Exists():
		e.edits.Replace(own, level)
	case config.Kind() == jsonscan.Object:
		e.edits.Append(config, "effort", level)
	default:
		whole := slices.Concat([]byte(`{"effort":`), level, []byte{'}'})
		if config.Exists() {
			e.edits.Replace(config, whole)
		} else {
			e.edits.Append(e.root, "output_config", whole)
		}
	}
}

// openEnvelopes opens the envelopes that are addressed to this upstream and leaves out the
// thoughts in those that are not, which it would refuse; or all thoughts, where it has
// refused their signatures.
func (e *editor) openEnvelopes() {
	var step, last jsonscan.Value // the last two turns
	var before, first string      // what they begin with
	for i, m := range e.root.Get("messages").Elements() {
		content := m.Get("content")
		step, before = last, first
		last, first = m, content.Index(0).Get("type").View()
		if e.target.Forget || bytes.Contains(content.Raw(), []byte(chat.EnvelopePrefix)) {
			first = e.writeTurn(content, i, first)
		}
	}
	if e.forgot {
		e.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "thoughts of earlier turns, whose signatures were refused"))
	}
	missed := slices.Contains(e.target.Refused, begun)
	thinks := e.enabled || missed && e.thinking.Get("type").View() == thinkAdaptive && !slices.ContainsFunc(e.target.Refused, func(name string) bool {
		return name != begun && isOfThinking(name) // of which the member was edited already
	})
	if (e.changed || missed) && thinks && step.Get("role").View() == "assistant" && proofs[before] == "" && answers(last) {
		e.disable()
	}
}

// proofs are where blocks of thoughts have what their upstream made.
var proofs = map[string]string{"thinking": "signature", "redacted_thinking": "data"}

// writeTurn writes a turn's content without the thoughts that are left out, and gives what
// it begins with then.
func (e *editor) writeTurn(content jsonscan.Value, message int, first string) string {
	out := jsonscan.NewWriter(nil).Open(jsonscan.Array)
	same, begins := true, ""
	for part, b := range content.Elements() {
		kind := b.Get("type").View()
		raw := b.Raw()
		if proofs[kind] != "" {
			raw = e.writeThought(b, kind, message, part)
			same = same && bytes.Equal(raw, b.Raw())
		}
		if raw != nil && len(out.Bytes()) == 1 {
			begins = kind
		}
		out.Raw(raw)
	}
	if same {
		return first
	}
	e.changed = true
	e.edits.Replace(content, out.Close(jsonscan.Array).Bytes())
	return begins
}

// writeThought writes a block of thoughts as this upstream takes it, or nil.
func (e *editor) writeThought(b jsonscan.Value, kind string, message, part int) []byte {
	key := proofs[kind]
	proof := b.Get(key).View()
	own, ok := "", false
	_, wrapped := chat.Unwrap(proof)
	if wrapped {
		own, ok = e.openProof(proof)
	}
	switch {
	case wrapped && !ok:
		verb := chat.Dropped
		if kind == "thinking" && b.Get("thinking").View() == "" {
			verb = chat.Ignored
		}
		e.lose(chat.Loss{Field: chat.FieldPart, Message: message, Part: part, Verb: verb, Note: "thoughts of another upstream"})
		return nil
	case e.target.Forget:
		e.forgot = true
		return nil
	case wrapped:
		raw := b.Raw()
		return jsonscan.WithText(raw, jsonscan.At(raw, 0).Get(key), own)
	}
	return b.Raw()
}

// answers reports whether a turn has results of tools.
func answers(m jsonscan.Value) bool {
	for _, b := range m.Get("content").Elements() {
		if b.Get("type").View() == "tool_result" {
			return true
		}
	}
	return false
}

// disable switches thinking off where what was left out began the turn whose tools
// are answered: the API would refuse to think on.
func (e *editor) disable() {
	disabled := []byte(`{"type":"disabled"}`)
	if traitsOf(e.target.Model).between {
		disabled = []byte(`{"type":"between_tools"}`)
	}
	if e.added != nil {
		e.added = disabled
	} else {
		e.edits.Replace(e.thinking, disabled)
	}
	e.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "off for this turn: the tool calls that it answers were made elsewhere"))
}
