package anthropic

import (
	"slices"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// isRefused reports whether the upstream has refused how it was asked to think.
func (e *editor) isRefused() bool { return slices.ContainsFunc(e.target.Refused, isOfThinking) }

// rethink asks for thinking in another way where the upstream has refused the client's, or ours in the place of a
// switch. Claude Code knows by a model's name how to ask, and takes one that it does not know for a new one.
func (e *editor) rethink() {
	if !e.isRefused() {
		return
	}
	r := newReader(true)
	r.thinking, r.outputEffort = e.thinking, e.root.Get("output_config", effort)
	if !e.thinking.Exists() {
		r.reasoningEffort = e.loose
	}
	r.readThinking(e.target.Model)
	if e.talk.Extra = r.talk.Extra; r.talk.Thinking == nil {
		return
	}
	told := len(e.losses)
	p := e.planThinking(r.talk.Thinking)
	kind := e.thinking.Get("type").View()
	switch unbounded := p.kind == thinkEnabled && !e.thinking.Get("budget_tokens").Exists(); {
	case p.kind == "" || kind == "" || told < len(e.losses):
	case kind != p.kind:
		e.lose(chat.Lost(chat.FieldThinking, chat.Approximated, kind+" as "+p.kind))
	case unbounded:
		e.lose(chat.Lost(chat.FieldThinking, chat.Added, "a budget"))
	}
	e.enabled = p.kind == thinkEnabled
	e.changed = e.changed || e.enabled
	if p.effort != "" {
		e.putEffort(jsonscan.AppendText(nil, p.effort))
	} else {
		if p.kind == thinkDisabled && r.outputEffort.Exists() { // DeepSeek takes one or the other, Claude Code's sub-agents send both
			e.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "no effort where thinking is off"))
		}
		removeEffort(&e.edits, e.root)
	}
	if p.kind == "" && e.thinking.Exists() {
		e.removeThinking(told == len(e.losses))
	}
}

// unsampled are the numbers that are left out of a client's own bytes, by what the upstream has refused.
var unsampled = map[string][]string{"sampling": samplings, "top_p": {"top_p"}}

// leaveSampling takes numbers out that the upstream has refused: to agents that send a temperature to every model, another
// name says nothing of one that takes none.
func (e *editor) leaveSampling() {
	fields := map[string]string{"temperature": chat.FieldTemperature, "top_p": chat.FieldTopP, "top_k": chat.FieldTopK}
	for key, v := range e.root.Members() {
		refused := slices.ContainsFunc(e.target.Refused, func(name string) bool { return slices.Contains(unsampled[name], key.Name) })
		if refused && !isUnset(v) {
			e.edits.Remove(key, v)
			e.lose(chat.Lost(fields[key.Name], chat.Dropped, "this model does not take it"))
		}
	}
}

// removeThinking takes the API's own field out, of a model that does not have it.
func (e *editor) removeThinking(untold bool) {
	for key, v := range e.root.Members() {
		if key.Name == "thinking" {
			e.edits.Remove(key, v)
		}
	}
	if untold {
		e.lose(chat.Lost(chat.FieldThinking, chat.Ignored, "the model does not think"))
	}
}

// removeEffort takes the effort out of output_config, and that out of the body where it has nothing else.
func removeEffort(edits *jsonscan.Edits, root jsonscan.Value) {
	for key, config := range root.Members() {
		if key.Name != "output_config" {
			continue
		}
		for name, v := range config.Members() {
			switch {
			case name.Name != effort:
			case config.Len() == 1:
				edits.Remove(key, config)
			default:
				edits.Remove(name, v)
			}
		}
	}
}
