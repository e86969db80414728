package bridge

import (
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
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
			return false, fault.Unclear(items[i].path, "a "+triggerKind+" is the last item, and the only one of its type")
		case last == 0:
			return false, fault.Unclear(items[i].path, "there is nothing before it to write a summary of")
		default:
			return true, nil
		}
	}
	return false, nil
}

// writeSummaryRequest writes what the server is asked for the summary.
func (b *Bridge) writeSummaryRequest(o *request, items []item) error {
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
			a.stop, a.usage.Usage = e.Stop, e.Usage
		}
	}
}

func errNoSummary() *fault.Error {
	return fault.New(fault.UpstreamError, "The model wrote no summary of the conversation.")
}

// checkSummary says that a summary is cut off, or none, where one is asked for: a client
// would throw away all that it stands for.
func (a *answer) checkSummary() error {
	if a.shortens && (strings.TrimSpace(a.summary.String()) == "" || a.stop.Reason == chat.MaxTokens || a.isFiltered()) {
		return errNoSummary()
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
