package bridge

import (
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/uid"
)

// Codex asks for a shorter conversation on the route for responses too: its last item is a
// compaction_trigger, and the response is to be one item, the summary. Any other answer ends
// its session ("expected exactly one compaction output item, got 0").

// triggerKind is the type of such an item.
const triggerKind = "compaction_trigger"

// endsInTrigger reports whether the last item asks for a summary. One elsewhere is refused:
// it is not known what it would be a summary of.
func endsInTrigger(items []item) (bool, error) {
	last := len(items) - 1
	for i := range items {
		switch {
		case items[i].kind != triggerKind:
		case i < last:
			return false, refuse(items[i].path, "a "+triggerKind+" is the last item, and the only one of its type")
		case last == 0:
			return false, refuse(items[i].path, "there is nothing before it to write a summary of")
		default:
			return true, nil
		}
	}
	return false, nil
}

// writeSummaryRequest writes what the server is asked for the summary.
func (b *Bridge) writeSummaryRequest(o *order, items []item) error {
	asked, err := b.decode(summaryRequest(o, items))
	if err == nil {
		o.chat = asked.chat
	}
	return err
}

// takeSummary takes over words of the summary. They are told when it is whole.
func (a *answer) takeSummary(events []chat.Event) {
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == chat.Delta && e.Part.Kind == chat.Text:
			a.summary.WriteString(e.Part.Text)
		case e.Kind == chat.Finish:
			a.stop, a.usage = e.Stop, e.Usage
		}
	}
}

// checkSummary says that a summary is cut off, or none, where one is asked for: a client
// would throw away all that it stands for.
func (a *answer) checkSummary() error {
	if a.shortens && (strings.TrimSpace(a.summary.String()) == "" || a.stop.Reason == chat.MaxTokens || a.isFiltered()) {
		return fault.New(fault.UpstreamError, "The model wrote no summary of the conversation.")
	}
	return nil
}

// tellSummary tells the summary as the one item of the response.
func (a *answer) tellSummary() error {
	id := uid.New("cmp")
	if err := a.tellAdded(a.at(), summaryItem(id, "")); err != nil {
		return err
	}
	return a.tellDone(a.at(), summaryItem(id, strings.TrimSpace(a.summary.String())))
}

// addAgentMessage adds what one of Codex's agents has written to another, as words of the
// user's: a chat has no third speaker. It is how an agent is given its task, and how it
// hears what others have found.
func (t *talk) addAgentMessage(v jsonscan.Value, path string) error {
	list := &parts{plain: true}
	content := v.Get("content")
	if content.Kind() != array {
		var err error
		if list, err = readParts(content, path+".content"); err != nil {
			return err
		}
	}
	for _, part := range content.Elements() {
		if part.Get("type").View() == "encrypted_content" {
			text := plainContent(part)
			if text == "" {
				t.drop(path, "what another service has encrypted cannot be read here")
				continue
			}
			var w jsonscan.Writer
			part = jsonscan.Root(w.Open(object).Key("type").Plain("text").Key("text").Text(text).Close(object).Bytes())
		}
		if err := list.add(part, path+".content"); err != nil {
			return err
		}
	}
	if list.text() == "" && len(list.others) == 0 {
		return nil
	}
	t.turnEnd()
	t.begin()
	message := t.message("user")
	if len(list.others) == 0 {
		message.Text(routeOf(v) + ":\n\n" + list.text())
	} else {
		message.Open(array).Open(object).Key("type").Plain("text").Key("text").Text(routeOf(v) + ":").Close(object).Raw(list.all).Close(array)
	}
	t.endMessage()
	return nil
}

// routeOf says who wrote an agent's message, and to whom.
func routeOf(v jsonscan.Value) string {
	return "Message from agent " + v.Get("author").View() + " to agent " + v.Get("recipient").View()
}

// plainContent is a content that is to be encrypted and is not: only OpenAI's own service
// encrypts what its models write to other agents, and all others leave it as it is.
func plainContent(v jsonscan.Value) string {
	text := v.Get("encrypted_content").View()
	const fernet = "gAAAA" // how all begin that OpenAI has encrypted
	if strings.HasPrefix(text, fernet) && !strings.ContainsAny(text, " \n") {
		return ""
	}
	return text
}
