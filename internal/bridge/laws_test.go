package bridge_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// lawful holds the events of a stream to what clients rely on: numbers without a gap, items
// that are added in their order and done once, pieces that make up what is done, and a last
// event whose response has all items.
func lawful(t *testing.T, stream string) gjson.Result {
	t.Helper()
	l := laws{T: t, text: make(map[string]string)}
	for block := range strings.SplitSeq(strings.TrimSpace(stream), "\n\n") {
		name, data, ok := strings.Cut(block, "\ndata: ")
		if !ok || strings.Contains(data, "\n") || !json.Valid([]byte(data)) {
			t.Fatalf("no event: %q", block)
		}
		l.event(strings.TrimPrefix(name, "event: "), gjson.Parse(data))
	}
	if len(l.names) < 3 || !slices.Equal(l.names[:2], []string{"response.created", "response.in_progress"}) {
		t.Errorf("it begins with %v", l.names)
	}
	switch last := l.names[len(l.names)-1]; last {
	case "response.completed", "response.incomplete", "response.failed":
	default:
		t.Errorf("it ends with %s", last)
	}
	return l.last
}

type laws struct {
	*testing.T

	names []string
	added []gjson.Result
	done  map[int64]bool
	text  map[string]string // pieces so far, by item and kind
	last  gjson.Result      // the last response
}

func (l *laws) event(name string, e gjson.Result) {
	l.Helper()
	if e.Get("type").Str != name || e.Get("sequence_number").Int() != int64(len(l.names)) || !e.Get("sequence_number").Exists() {
		l.Errorf("event %d: %s %s", len(l.names), name, e.Raw)
	}
	holdEvent(l.T, e)
	l.names = append(l.names, name)
	at := e.Get("output_index").Int()
	if id := e.Get("item_id"); id.Exists() && (at >= int64(len(l.added)) || l.added[at].Get("id").Str != id.Str || l.done[at]) {
		l.Errorf("about an item that is not open: %s", e.Raw)
	}
	kind := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "response."), ".delta"), ".done")
	key := e.Get("item_id").Str + kind + e.Get("content_index").Raw
	switch {
	case name == "response.output_item.added":
		if at != int64(len(l.added)) {
			l.Errorf("item %d is added as number %d", len(l.added), at)
		}
		l.added = append(l.added, e.Get("item"))
	case name == "response.output_item.done":
		l.itemDone(at, e.Get("item"))
	case strings.HasSuffix(name, ".delta"):
		l.text[key] += e.Get("delta").Str
	case e.Get("response").Exists():
		l.last = e.Get("response")
		l.wholeResponse(name)
	case strings.HasSuffix(name, ".done") && !strings.Contains(name, "_part."):
		for _, member := range []string{"text", "refusal", "arguments", "input"} {
			if v := e.Get(member); v.Exists() && v.Str != l.text[key] && (v.Str != "{}" || l.text[key] != "") {
				l.Errorf("%s tells %q, the pieces %q", name, v.Str, l.text[key])
			}
		}
	}
}

func (l *laws) itemDone(at int64, item gjson.Result) {
	l.Helper()
	if at >= int64(len(l.added)) || l.done[at] || l.added[at].Get("id").Str != item.Get("id").Str || l.added[at].Get("type").Str != item.Get("type").Str {
		l.Errorf("item %d is done: %s", at, item.Raw)
	}
	if l.done == nil {
		l.done = make(map[int64]bool)
	}
	l.done[at] = true
}

// members are those that the published schema of the API (openresponses.org) has in every
// response, and those of them that are numbers.
var members, numbers = []string{
	"id", "object", "created_at", "completed_at", "status", "incomplete_details", "model", "previous_response_id", "instructions", "output", "error",
	"tools", "tool_choice", "truncation", "parallel_tool_calls", "text", "reasoning", "user", "usage", "max_output_tokens", "max_tool_calls", "store",
	"background", "service_tier", "metadata", "safety_identifier", "prompt_cache_key",
}, []string{"temperature", "top_p", "presence_penalty", "frequency_penalty", "top_logprobs"}

func (l *laws) wholeResponse(name string) {
	l.Helper()
	for _, member := range members {
		if !l.last.Get(member).Exists() {
			l.Errorf("%s has no %s", name, member)
		}
	}
	for _, member := range numbers {
		if l.last.Get(member).Type != gjson.Number {
			l.Errorf("%s has %s: %s", name, member, l.last.Get(member).Raw)
		}
	}
	l.wholeInside(name)
	status := strings.TrimPrefix(name, "response.")
	if status == "created" {
		status = "in_progress"
	}
	if l.last.Get("status").Str != status {
		l.Errorf("%s has the status %s", name, l.last.Get("status").Str)
	}
	if status == "in_progress" {
		return
	}
	output := l.last.Get("output").Array()
	for i, item := range output {
		if i < len(l.added) && l.added[i].Get("id").Str != item.Get("id").Str || status == "completed" && !l.done[int64(i)] {
			l.Errorf("item %d of the response: %s", i, item.Raw)
		}
	}
	if len(output) != len(l.added) || status == "completed" && len(output) != len(l.done) {
		l.Errorf("%d items in the response, %d were added", len(output), len(l.added))
	}
}

// wholeInside holds what a response repeats of its request to the same schema.
func (l *laws) wholeInside(name string) {
	l.Helper()
	inside := map[string][]string{"reasoning": {"effort", "summary"}, "text": {"format.type"}, "text.format": nil}
	if l.last.Get("text.format.type").Str == "json_schema" {
		inside["text.format"] = []string{"name", "description", "schema", "strict"}
	}
	for i, tool := range l.last.Get("tools").Array() {
		if tool.Get("type").Str == "function" {
			inside["tools."+strconv.Itoa(i)] = []string{"name", "description", "parameters", "strict"}
		}
	}
	for place, members := range inside {
		for _, member := range members {
			if !l.last.Get(place + "." + member).Exists() {
				l.Errorf("%s has no %s.%s", name, place, member)
			}
		}
	}
	for _, item := range l.last.Get("output").Array() {
		if v := item.Get("encrypted_content"); v.Exists() && v.Type != gjson.String {
			l.Errorf("%s has %s", name, item.Raw)
		}
	}
}
