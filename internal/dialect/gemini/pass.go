package gemini

import (
	"bytes"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// PassRequest is the client's own bytes. They are touched only where they hold a
// switch of ours that Google would refuse, or a signature that we wrapped.
func (Codec) PassRequest(req *chat.Request, t dialect.Upstream) (dialect.Outgoing, error) {
	p := passer{target: t, traits: traitsOf(t.Model)}
	p.edit(req)
	if p.err != nil {
		return dialect.Outgoing{}, p.err
	}
	if t.Forget {
		p.losses = append(p.losses, chat.Lost(chat.FieldThinking, chat.Dropped, "signatures of earlier turns, which were refused"))
	}
	if p.worded {
		p.losses = append(p.losses, chat.Lost(chat.FieldMessages, chat.Added, "an empty text beside signatures that came with one"))
	}
	if p.dummies && !t.Forget {
		p.losses = append(p.losses, placeholders)
	}
	call := dialect.Outgoing{Path: addressOf(t), Losses: p.losses}
	return call, call.Splice(req.Origin.Body, &p.edits)
}

// passer puts our switches into Google's words. Everything else keeps its bytes, its
// order and its white space.
type passer struct {
	target dialect.Upstream
	traits traits
	edits  jsonscan.Edits
	losses []chat.Loss
	err    error
	config jsonscan.Value   // the body's own generationConfig
	think  []byte           // thinkingConfig, to be put into generationConfig
	asked  string           // the member that asks for it
	below  []jsonscan.Value // objects whose members count where the body has none
	under  []jsonscan.Value // generationConfigs in those

	strange bool // the turn holds what another model signed
	called  bool // and a call already
	dummies bool // a call carries the placeholder
	worded  bool // a signature of nothing got its empty text back
}

// edit goes over the body's members once.
func (p *passer) edit(req *chat.Request) {
	root := jsonscan.Root(req.Origin.Body)
	for key, v := range dialect.Members(req) {
		switch name := toCamel(key.Name); name {
		case "contents":
			if req.Origin.Facts.Envelopes || p.target.Forget || p.target.Worded {
				p.openSignatures(v)
			}
			if slices.Contains(p.target.Refused, mediaResolution) {
				p.leaveResolutions(v)
			}
			if slices.Contains(p.target.Refused, dialect.ResultNames) {
				p.nameResults(v)
			}
		case "generationConfig":
			p.config = v
		case "systemInstruction":
			if v.Kind() == jsonscan.String {
				p.edits.Splice(v.From(), v.From(), []byte(`{"parts":[{"text":`))
				p.edits.Splice(v.To(), v.To(), []byte(`}]}`))
			}
		case "model":
			p.edits.ReplaceText(v, "models/"+p.target.Model)
		case "extraBody", "options":
			p.below = append(p.below, v)
			p.edits.Remove(key, v)
		default:
			if p.rethink(name, v) {
				p.edits.Remove(key, v)
			}
		}
	}
	if p.below != nil {
		p.merge(root)
	}
	if len(p.target.Refused) > 0 {
		p.leaveRefused()
	}
	if p.think != nil || p.under != nil {
		p.configure(root)
	}
}

// rethink takes a switch for thinking and reports whether it was one.
func (p *passer) rethink(name string, v jsonscan.Value) bool {
	switch name {
	case "thinkingConfig":
		p.think, p.asked = v.Raw(), name
		return true
	case "reasoning", "thinking", "reasoningEffort":
	default:
		return false
	}
	var effort string
	switch v.Kind() {
	case jsonscan.True:
		return true
	case jsonscan.False:
		effort = "none"
	case jsonscan.String:
		level, err := dialect.ReadEffort(v.View(), name)
		if err != nil {
			p.err = err
			return true
		}
		effort = level
	default:
		return false
	}
	if p.think != nil {
		return true
	}
	want, losses := p.traits.think(&chat.Thinking{Effort: effort})
	p.losses = append(p.losses, losses...)
	if want.level != "" || want.budget != nil {
		var w jsonscan.Writer
		w.Open(jsonscan.Object)
		want.write(&w)
		p.think, p.asked = w.Close(jsonscan.Object).Bytes(), name
	}
	return true
}

// merge puts the members that lie below the body into it, where it has none itself.
func (p *passer) merge(root jsonscan.Value) {
	seen := make(map[string]bool)
	for key := range root.Members() {
		seen[toCamel(key.Name)] = true
	}
	for _, object := range p.below {
		for key, v := range object.Members() {
			name := toCamel(key.Name)
			if name == "generationConfig" && v.Kind() == jsonscan.Object {
				p.under = append(p.under, v)
				continue
			}
			if seen[name] {
				continue
			}
			seen[name] = true
			switch name {
			case "model", "extraBody", "options", "thinkingConfig", "reasoning", "thinking", "reasoningEffort":
				p.rethink(name, v)
			default:
				p.edits.Append(root, name, v.Raw())
			}
		}
	}
}

// configure puts into generationConfig what it does not have itself.
func (p *passer) configure(root jsonscan.Value) {
	seen := make(map[string]bool)
	for key := range p.config.Members() {
		seen[toCamel(key.Name)] = true
	}
	var w jsonscan.Writer
	w.Open(jsonscan.Object)
	added := 0
	add := func(name, asked string, value []byte) {
		if seen[name] {
			return
		}
		seen[name] = true
		if value = p.dropRefused(name, asked, value); value == nil {
			return
		}
		added++
		w.Key(name).Raw(value)
		if p.config.Kind() == jsonscan.Object {
			p.edits.Append(p.config, name, value)
		}
	}
	for _, config := range p.under {
		for key, v := range config.Members() {
			add(toCamel(key.Name), "", v.Raw())
		}
	}
	if p.think != nil {
		if seen[thinkingConfig] {
			p.losses = append(p.losses, chat.Lost(name+"."+p.asked, chat.Dropped, ownThinking))
		}
		add(thinkingConfig, name+"."+p.asked, p.think)
	}
	switch whole := w.Close(jsonscan.Object).Bytes(); {
	case added == 0:
	case !p.config.Exists():
		p.edits.Append(root, "generationConfig", whole)
	case p.config.Absent():
		p.edits.Replace(p.config, whole)
	}
}

// Rename puts another model's name into an answer's or a frame's own bytes. What
// has none comes back as it is.
func (Codec) Rename(raw []byte, model string) []byte {
	at := bytes.IndexByte(raw, '{')
	if at < 0 || !bytes.Contains(raw, []byte("odelVersion")) {
		return raw
	}
	return jsonscan.WithText(raw, fieldOf(jsonscan.At(raw, at), "modelVersion"), model)
}

// PutCost puts what an answer cost into its usage. Every frame of a stream has one, and
// what it cost is known with the end.
func (Codec) PutCost(raw []byte, nano int64) []byte {
	at := bytes.IndexByte(raw, '{')
	if at < 0 || !bytes.Contains(raw, []byte("finish")) && !bytes.Contains(raw, []byte("eedback")) {
		return raw
	}
	return dialect.PutCost(raw, fieldOf(jsonscan.At(raw, at), "usageMetadata"), nano)
}

// DropUnasked changes nothing: usage comes without being asked for.
func (Codec) DropUnasked(frames []byte) []byte { return frames }

// NothingToMeter reports whether a run of whole frames ends with content: no end, no block, no
// error. Usage is in every frame, and the one with the end has the last word; a frame
// or two may follow it.
func (Codec) NothingToMeter(frames []byte) bool {
	frames = wire.Tail(frames, 3)
	return !bytes.Contains(frames, []byte("finish")) && !bytes.Contains(frames, []byte(`rror"`)) && !bytes.Contains(frames, []byte("eedback"))
}
