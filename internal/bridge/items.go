package bridge

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/uid"
)

// item is one of a conversation, and where its client finds it.
type item struct {
	jsonscan.Value

	kind  string
	path  string
	call  string // the call that a result is of which names none
	alone bool   // it is a result, and of no call
}

// conversation is all items that a request is about: those of its conversation or of the
// responses before it, then its own. What they refer to stands in their place.
func (o *request) conversation(kept *Kept) ([]item, error) {
	var all []item
	if o.thread != "" {
		r, ok := kept.Get(o.thread)
		if !ok || !uid.Is("conv", o.thread) {
			return nil, refuseNoConversation(o.thread)
		}
		for _, raw := range r.Output {
			one := item{Value: jsonscan.Root(raw), path: "conversation"}
			o.before = append(o.before, text(one.Get("id")))
			all = append(all, one)
		}
	}
	if o.previous != "" {
		history, ok := kept.History(o.previous)
		if !ok || uid.Is("conv", o.previous) {
			return nil, fault.Unclear("previous_response_id", "the bridge has no response "+o.previous+", or not all that it goes on from. It keeps those that were not made with store: false, until it ends or needs the room").
				With("reason", "previous_response_not_found")
		}
		for _, raw := range history {
			all = append(all, item{Value: jsonscan.Root(raw), path: "previous_response_id"})
		}
	}
	for at, raw := range o.input {
		all = append(all, item{Value: jsonscan.Root(raw), path: fmt.Sprintf("input[%d]", at)})
	}
	for i := range all {
		if err := all[i].resolve(kept); err != nil {
			return nil, err
		}
	}
	pairOutputs(all)
	return all, nil
}

// pairOutputs finds the call of each result that names none, which OpenAI's API leaves to the
// client since the id became optional: it is of the tool whose name it has or, without a name, of the
// first call that waits. Codex's app tells a model so too what no model has asked for: that it is
// time for something, or what a new thread is for. Such a result is of no call.
func pairOutputs(items []item) {
	named, made := make(map[string]bool), make(map[string]bool) // calls whose results name them, and all calls
	for i := range items {
		if one := &items[i]; one.isOutput() {
			named[one.callID()] = true
		} else if one.isCall() {
			made[one.callID()] = true
		}
	}
	var waiting []*item
	for i := range items {
		one := &items[i]
		switch {
		case one.isCall() && !named[one.callID()]:
			waiting = append(waiting, one)
		case one.isOutput() && one.Get("call_id").View() == "" && !made[one.callID()]: // of a local shell's, the id is that of its call
			at := slices.IndexFunc(waiting, one.isOutputOf)
			if one.alone = at < 0; !one.alone {
				one.call = waiting[at].callID()
				waiting = slices.Delete(waiting, at, at+1)
			}
		}
	}
}

// isOutputOf reports whether a result may be of a call, by its kind and by the name of its tool where it says one.
func (i *item) isOutputOf(call *item) bool {
	if name := i.Get("name").View(); name != "" && name != call.Get("name").View() {
		return false
	}
	return i.kind == call.kind+"_output" || i.kind == strings.TrimSuffix(call.kind, "_call")+"_output"
}

// itemKinds are what members of items must be that would be lost otherwise, as fields of another kind would be.
var itemKinds = []struct {
	name  string
	kinds []jsonscan.Kind
	want  string
}{
	{"type", []jsonscan.Kind{jsonscan.String}, "a text"},
	{"call_id", []jsonscan.Kind{jsonscan.String}, "a text"},
	{"name", []jsonscan.Kind{jsonscan.String}, "a text"},
	{"arguments", []jsonscan.Kind{jsonscan.String, object}, "a text"},
	{"input", []jsonscan.Kind{jsonscan.String}, "a text"},
}

// resolve puts what a reference refers to in its place, and reads what kind of item it is.
func (i *item) resolve(kept *Kept) error {
	if i.Kind() != object {
		return fault.WrongValue(i.path, "an item")
	}
	for _, m := range itemKinds {
		if v := i.Get(m.name); !v.Absent() && !slices.Contains(m.kinds, v.Kind()) {
			return fault.WrongValue(i.path+"."+m.name, m.want)
		}
	}
	switch i.kind = kindOf(i.Value); i.kind {
	case "": // it may be all that the client has to say
		return fault.Missing(i.path + ".type")
	case "item_reference":
	case "image_generation_call": // clients name a picture by its id alone
		if raw, ok := kept.Item(i.Get("id").View()); ok && i.Get("result").View() == "" {
			i.Value = jsonscan.Root(raw)
		}
		return nil
	default:
		return nil
	}
	id := i.Get("id").View()
	raw, ok := kept.Item(id)
	if !ok {
		// OpenAI's words: clients know by them that they must send the item itself.
		return fault.New(fault.NotFound, "Item with id '%s' not found. Items are not persisted when `store` is set to false. "+
			"Try again with `store` set to true, or remove this item from your input.", id).Field(i.path)
	}
	i.Value = jsonscan.Root(raw)
	i.kind = kindOf(i.Value)
	return nil
}

// kindOf is an item's type. Messages and references may go without one.
func kindOf(v jsonscan.Value) string {
	kind := v.Get("type").View()
	if kind == "" && v.Get("role").Exists() {
		kind = "message"
	} else if kind == "" && v.Get("id").Exists() {
		kind = "item_reference"
	}
	return kind
}

// isCall reports whether a model calls a tool that the client runs.
func (i *item) isCall() bool {
	switch i.kind {
	case "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "tool_search_call":
		return true
	}
	return false
}

func (i *item) isOutput() bool { return strings.HasSuffix(i.kind, "_output") }

// callID is what a call and its result have in common.
func (i *item) callID() string {
	if i.call != "" {
		return i.call
	}
	if id := i.Get("call_id").View(); id != "" {
		return id
	}
	return i.Get("id").View() // of a local shell
}

// putInOrder puts items into the order of a chat, which has the results of calls right
// behind them: what clients put in between comes after the last result. A call that was
// cut off and that has no result was never made.
func (t *talk) putInOrder(items []item) []item {
	var out []item
	for len(items) > 0 {
		owed := make(map[string]int) // results to come, by the ids of their calls
		for i := range items {
			if items[i].isOutput() {
				owed[items[i].callID()]++
			}
		}
		var later []item
		open := make(map[string]bool) // calls whose results are to come
		answered, at := false, 0
		for ; at < len(items) && (len(open) > 0 || len(later) == 0); at++ {
			one := &items[at]
			id := one.callID()
			switch {
			case one.isOutput() && open[id]:
				delete(open, id)
				answered = true
			case len(open) > 0 && (answered || one.isOthers()):
				later = append(later, *one)
				continue
			case one.isCall() && owed[id] > 0:
				answered = answered && len(open) > 0
				open[id] = true
			case one.isCall() && one.Get("status").View() == "incomplete":
				t.drop(one.path, "the call was cut off, and has no result")
				continue
			}
			if one.isOutput() {
				owed[id]--
			}
			out = append(out, *one)
		}
		items = slices.Concat(later, items[at:])
	}
	return out
}

// isOthers reports whether an item ends what a model made.
func (i *item) isOthers() bool {
	return i.isOutput() || i.kind == "agent_message" || i.kind == "message" && i.Get("role").View() != "assistant"
}
