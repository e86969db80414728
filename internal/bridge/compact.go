package bridge

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"

	"stele/internal/jsonscan"
	"stele/internal/uid"
)

// A conversation is made shorter by the model itself: it reads what was said and done, as
// one text, and writes a summary. What users said stays as it is. The summary goes back and
// forth in an item whose content only the bridge reads.

const (
	compactInstructions = "You shorten a conversation between a user, an assistant and its tools, so that the assistant can go on without the rest. " +
		"Write down what was asked, decided and done, what tools found that is still needed, and what is left to do. " +
		"Keep names, numbers, paths and code as they are. Answer with the summary alone."

	summaryBegins = "Summary of the conversation until now:\n\n"
	summaryMark   = "stele1." // before what is encoded
)

// compact answers POST /v1/responses/compact.
func (b *Bridge) compact(w http.ResponseWriter, c *call) error {
	asked, err := b.readRequest(w, c)
	if err != nil {
		return err
	}
	items, err := asked.conversation(b.Kept)
	if err != nil {
		return err
	}
	o, err := b.decode(summaryRequest(asked, items))
	if err != nil {
		return err
	}
	answered, err := b.ask(c.Context(), c, o.chat)
	if err != nil {
		return err
	}
	defer answered.Body.Close()
	c.dropped = asked.dropped
	carryDown(w.Header(), answered.Header)
	asked.takeDropped(answered.Header)
	asked.tellDropped(w.Header(), droppedHeader)
	if answered.StatusCode != http.StatusOK {
		return refuseAs(w, answered)
	}
	a := newAnswer(o)
	err = a.follow(answered.Body)
	_, status, _ := a.finish(err)
	summary := a.text()
	switch {
	case err != nil:
		tellFailure(w, err)
		return nil
	case status != "completed" || summary == "":
		return errNoSummary()
	}
	answerJSON(w, http.StatusOK, compactedJSON(a, items, summary))
	return nil
}

// summaryRequest asks a model for the summary.
func summaryRequest(o *request, items []item) []byte {
	var w jsonscan.Writer
	w.Open(object).Key("model").Text(o.model).Key("store").Bool(false).Key("instructions").Text(compactInstructions).Key("input").Text(transcript(o, items))
	for _, name := range []string{"prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "service_tier"} {
		if v := o.fields[name]; v.Exists() {
			w.Key(name).Raw(v.Raw())
		}
	}
	return w.Close(object).Bytes()
}

// transcript is a conversation as one text.
func transcript(o *request, items []item) string {
	var all strings.Builder
	say := func(who, what string) {
		if what != "" {
			all.WriteString(who + ":\n" + what + "\n\n")
		}
	}
	say("instructions", o.fields["instructions"].View())
	for i := range items {
		switch v := &items[i]; {
		case v.kind == "message":
			say(v.Get("role").View(), wordsOf(v.Get("content")))
		case v.kind == "agent_message":
			say(routeOf(v.Value), wordsOf(v.Get("content")))
		case v.isSummary():
			summary, _ := summaryOf(v.Value)
			say("summary of what was before", summary)
		case v.isCall():
			var t turn
			t.call(v)
			say("assistant calls "+t.calls[0].name, t.calls[0].arguments)
		case v.isOutput():
			say("tool", wordsOf(v.Get("output")))
		}
	}
	return all.String()
}

// wordsOf is a content in words. What is none is only named.
func wordsOf(v jsonscan.Value) string {
	switch v.Kind() {
	case jsonscan.String:
		return v.View()
	case array:
		var list []string
		for _, part := range v.Elements() {
			switch kind := part.Get("type").View(); kind {
			case "input_image", "input_file", "input_audio":
				list = append(list, "("+strings.TrimPrefix(kind, "input_")+")")
			case "encrypted_content":
				list = append(list, plainContent(part))
			default:
				list = append(list, part.Get("text").View()+part.Get("refusal").View())
			}
		}
		return strings.Join(list, "\n")
	}
	return string(v.AppendCompact(nil))
}

// compactedJSON is the conversation made shorter: what users said, then the summary.
func compactedJSON(a *answer, items []item, summary string) []byte {
	var w jsonscan.Writer
	w.Open(object).Key("id").Text(a.id).Key("object").Plain("response.compaction").Key("created_at").Int(a.created.Unix()).Key("output").Open(array)
	for i := range items {
		if v := &items[i]; v.kind == "message" && v.Get("role").View() == "user" {
			w.Raw(listedItem(v.Raw(), uid.New("msg")))
		}
	}
	w.Raw(summaryItem(uid.New("cmp"), summary))
	a.usage.write(w.Close(array).Key("usage"))
	return w.Close(object).Bytes()
}

// summaryItem is a summary as it goes back and forth.
func summaryItem(id, summary string) []byte {
	var w jsonscan.Writer
	w.Open(object).Key("id").Text(id).Key("type").Plain("compaction").Key("encrypted_content")
	return w.Text(summaryMark + base64.StdEncoding.EncodeToString([]byte(summary))).Close(object).Bytes()
}

// isSummary reports whether an item stands for what was said before it, by any of the names
// that Codex has had for it.
func (i *item) isSummary() bool {
	return i.kind == "compaction" || i.kind == "compaction_summary" || i.kind == "context_compaction"
}

// summaryOf is what a summary says, if it is one of the bridge's own.
func summaryOf(v jsonscan.Value) (string, bool) {
	coded, ok := strings.CutPrefix(v.Get("encrypted_content").View(), summaryMark)
	raw, err := base64.StdEncoding.DecodeString(coded)
	return string(raw), ok && err == nil
}

// addSummary adds a summary, as words of the user's: every model takes them there.
func (t *talk) addSummary(v jsonscan.Value, path string) {
	summary, ok := summaryOf(v)
	if !ok {
		t.drop(path, "what another service has made shorter cannot be read here")
		return
	}
	t.turnEnd()
	t.begin()
	t.message("user").Text(summaryBegins + summary)
	t.endMessage()
}

// text is all words of the answer.
func (a *answer) text() string {
	var all bytes.Buffer
	for _, raw := range a.items {
		if v := jsonscan.Root(raw); v.Get("type").View() == "message" {
			all.WriteString(wordsOf(v.Get("content")))
		}
	}
	return strings.TrimSpace(all.String())
}
