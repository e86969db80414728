package anthropic

import (
	"slices"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// rethink asks for thinking in another way where the upstream has refused the client's. Claude Code knows by a
// model's name how to ask, and takes one that it does not know for a new one. A switch of ours was turned into
// the model's own way already.
func (e *editor) rethink() {
	if e.added != nil || !slices.ContainsFunc(e.target.Refused, isOfThinking) {
		return
	}
	r := newReader(true)
	r.thinking, r.outputEffort = e.thinking, e.root.Get("output_config", effort)
	r.readThinking(e.target.Model)
	if e.talk.Extra = r.talk.Extra; r.talk.Thinking == nil {
		return
	}
	p := e.planThinking(r.talk.Thinking)
	e.enabled = p.kind == thinkEnabled
	e.changed = e.changed || e.enabled
	if p.effort != "" {
		e.putEffort(jsonscan.AppendText(nil, p.effort))
		return
	}
	if p.kind == thinkDisabled && r.outputEffort.Exists() { // DeepSeek takes one or the other, Claude Code's sub-agents send both
		e.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "no effort where thinking is off"))
	}
	removeEffort(&e.edits, e.root)
	if p.kind != "" {
		return
	}
	for key, v := range e.root.Members() {
		if key.Name == "thinking" {
			e.edits.Remove(key, v)
		}
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
