package provider

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// toolName is the client's name of a tool that a model called. Some models put the name of
// a list before it, or white space around it, or a word of their template behind it, as gpt-oss does.
func (x *exchange) toolName(said string) string {
	plain, _, _ := strings.Cut(said, "<|")
	for _, name := range []string{said, strings.TrimSpace(plain), strings.TrimSpace(plain[strings.LastIndexAny(plain, ".:/")+1:])} {
		if own, changed := x.call.Names[name]; changed {
			return own
		}
		if x.offers(name) {
			return name
		}
	}
	return said
}

// offers reports whether the client has a tool of that name.
func (x *exchange) offers(name string) bool {
	talk, err := x.req.Conversation()
	return err == nil && slices.ContainsFunc(talk.Tools, func(t chat.Tool) bool { return t.Name == name })
}

// callID is an upstream's id of a call, or a new one where the conversation has a call of
// that id already: some servers begin to count anew with every answer, and a result
// would find two calls.
func (x *exchange) callID(id string) string {
	if x.ids == nil {
		x.ids = make(map[string]string)
		if talk, err := x.req.Conversation(); err == nil {
			for i := range talk.Messages {
				for j := range talk.Messages[i].Parts {
					if p := &talk.Messages[i].Parts[j]; p.Kind == chat.ToolCall {
						x.ids[p.ID] = ""
					}
				}
			}
		}
	}
	now, used := x.ids[id]
	if !used { // nor as the client got to see it
		_, used = x.ids[dialect.CallID(id, 1)]
	}
	if !used {
		return id
	}
	if now == "" {
		now = chat.NewCallID()
		x.ids[id] = now
	}
	return now
}

// notAllowed says that a model called what it was not to call.
var notAllowed = chat.Lost(chat.FieldAnswer, chat.Dropped, "a call of a tool that the request does not allow")

// dropForbidden gives a stream without calls of tools that the client did not allow: a model may
// remember them from earlier turns, and some servers do not know that none may be called.
func (x *exchange) dropForbidden(stream chat.Stream) chat.Stream {
	names, all := x.allowedTools()
	if all || x.reply.Passed {
		return stream
	}
	empty := func() error { return chat.ErrNotAllowed() }
	if x.resumes {
		empty = func() error { return nil }
	}
	return chat.Only(stream, func(name string) bool { return slices.Contains(names, name) }, func() { x.reply.Late = append(x.reply.Late, notAllowed) }, empty)
}

// leaveOut is dropForbidden for a whole answer, and leaves out calls without a name, as streams do.
// What it left out is lost.
func (x *exchange) leaveOut(a *chat.Answer) (lost []chat.Loss) {
	names, all := x.allowedTools()
	a.Parts = slices.DeleteFunc(a.Parts, func(p chat.Part) bool {
		switch {
		case p.Kind != chat.ToolCall:
			return false
		case strings.TrimSpace(p.Name) == "":
			lost = append(lost, chat.Unnamed)
		case !all && !slices.Contains(names, x.toolName(p.Name)):
			lost = append(lost, notAllowed)
		default:
			return false
		}
		return true
	})
	return lost
}

// remark leaves out the calls of an answer that were not allowed, and tells of them and of an
// end that is not known. It is an error where nothing is left.
func (x *exchange) remark(a *chat.Answer) ([]chat.Loss, error) {
	lost := x.leaveOut(a)
	if !x.resumes && a.Stop.Reason != chat.Paused {
		if err := whyEmpty(a.Parts, lost); err != nil {
			return nil, err
		}
	}
	a.Stop = chat.Settle(a.Stop, chat.HasKind(a.Parts, chat.ToolCall))
	if a.Stop.Strange() {
		lost = append(lost, chat.Lost(chat.FieldAnswer, chat.Approximated, "it ended with "+a.Stop.Raw))
	}
	return lost, nil
}

// whyEmpty is why an answer is none: nothing is left of it but thoughts, and calls of it were left
// out. Of one that is paused only its end can tell.
func whyEmpty(parts []chat.Part, lost []chat.Loss) error {
	switch {
	case slices.ContainsFunc(parts, func(p chat.Part) bool { return p.Kind != chat.Thought && p.Kind != chat.Redacted }):
	case slices.Contains(lost, chat.Unnamed):
		return chat.ErrUnnamed()
	case slices.Contains(lost, notAllowed):
		return chat.ErrNotAllowed()
	}
	return nil
}

// allowedTools are those that the client leaves to choose from. Where it leaves all, so are
// those that it does not have: agents answer such a call with an error, from which models learn.
func (x *exchange) allowedTools() (names []string, all bool) {
	talk, err := x.req.Conversation()
	if err != nil {
		return nil, true
	}
	switch choice := &talk.Choice; {
	case choice.Mode == chat.None:
		return nil, false
	case (choice.Mode == chat.Allowed || choice.Mode == chat.Validated) && len(choice.Names) > 0:
		return choice.Names, false
	}
	return nil, true
}
