package bridge

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/uid"
	"stele/internal/wire"
)

// answer is a response that is being made: chunks of a chat go in, events come out. An
// item is open until another begins.
type answer struct {
	*request

	id      string
	created time.Time
	out     *wire.EventWriter // nil: the client wants the answer whole
	run     *run              // nil: its client waits for it

	sequence   int64
	signs      int      // of life
	more       bool     // the next chunk is here already
	items      [][]byte // those that are whole
	characters int      // of all messages so far
	thought    *thoughtItem
	words      *messageItem
	call       *callState
	told       details          // all reasoning_details so far
	untold     []jsonscan.Value // those that came and are not among them yet
	signed     []signature      // of calls and of the text, told at the end
	summary    strings.Builder  // of the conversation, where that is what is asked for
	stop       chat.Stop        // why the model stopped
	said       int              // bytes of all that the model said
	sourceless int              // sources that have no address
	belated    int              // and those of words that are told already
	moderated  []byte           // what a moderation found, as the chat route has it
	usage      usage
	tier       string
}

func newAnswer(o *request) *answer {
	return &answer{request: o, id: uid.New("resp"), created: time.Now()}
}

// begin tells that the answer is on its way.
func (a *answer) begin() error {
	for _, event := range []string{"response.created", "response.in_progress"} {
		if err := a.tell(event, "in_progress", nil); err != nil {
			return err
		}
	}
	return nil
}

// finish tells the end, whole or not, and is the response as it is kept.
func (a *answer) finish(err error) (response []byte, status string, sendErr error) {
	if err == nil && a.shortens {
		if sendErr = a.tellSummary(); sendErr != nil {
			return nil, "failed", sendErr
		}
	}
	status = "completed"
	switch {
	case err != nil:
		status = "failed"
	case a.stop.Reason == chat.MaxTokens, a.isFiltered():
		status = "incomplete"
	}
	if sendErr = a.close(status); sendErr != nil {
		return nil, status, sendErr
	}
	if err == nil {
		a.estimate()
		sendErr = a.tellSignatures()
	}
	var failed *failure
	switch {
	case sendErr != nil:
		return nil, status, sendErr
	case err != nil:
		failed = failureOf(err)
	case status == "incomplete" && a.codex:
		failed, status = a.cutOff(), "failed"
	}
	if failed != nil {
		sendErr = a.emit("error", func(w *jsonscan.Writer) {
			failed.write(w)
			failed.write(w.Key("error").Open(object).Key("type").Text(failed.kind))
			w.Close(object)
		})
	}
	if sendErr != nil {
		return nil, status, sendErr
	}
	a.more = false
	return a.response(status, failed), status, a.tell("response."+status, status, failed)
}

// tooLong is why an answer is cut off that is longer than it may be.
const tooLong = "max_output_tokens"

// isFiltered reports whether the answer was kept back. One in which the model itself
// declines is whole.
func (a *answer) isFiltered() bool { return a.stop.Reason == chat.Refused && a.stop.Raw != "stop" }

// failureOf is an error in the words of this API.
func failureOf(err error) *failure {
	if told, ok := errors.AsType[*failure](err); ok {
		return told
	}
	e := fault.From(err)
	return &failure{kind: serverError, code: serverError, message: e.Message}
}

// cutOff is the end of an answer that is not whole as an error that lasts. Codex takes response.incomplete for a stream that broke
// off, and pays for the same answer five times more. What was told to be done it keeps.
func (a *answer) cutOff() *failure {
	if a.isFiltered() {
		return &failure{kind: "invalid_request_error", code: "content_policy_violation", message: "The model's provider kept the answer back."}
	}
	return &failure{kind: "invalid_request_error", code: tooLong, message: "The answer was cut off, because it is as long as an answer may be."}
}

// emit sends one event, whose members beside type and number fill writes.
func (a *answer) emit(event string, fill func(w *jsonscan.Writer)) error {
	if a.run != nil {
		a.run.add(a.event(nil, event, fill))
	}
	if a.out == nil {
		return nil
	}
	return a.out.Gather(a.more, func(buf []byte) ([]byte, error) { return a.event(buf, event, fill), nil })
}

// event appends an event. Its number is the next: only those call it whom the writer of
// events lets one after another.
func (a *answer) event(buf []byte, event string, fill func(w *jsonscan.Writer)) []byte {
	var w jsonscan.Writer
	w.Open(object).Key("type").Plain(event).Key("sequence_number").Int(a.sequence)
	a.sequence++
	fill(&w)
	data := w.Close(object).Bytes()
	if bytes.ContainsAny(data, "\r\n") { // what a client or a model wrote in lines: an event is one
		data = jsonscan.Root(data).AppendCompact(nil)
	}
	return wire.AppendEvent(buf, event, data)
}

// signOfLife appends a comment, which every reader passes over, and for Codex now and then the event that
// OpenAI has for it: it takes a stream without events for dead. Libraries whose events are a closed list die of it.
func (a *answer) signOfLife(buf []byte) []byte {
	if a.signs++; !a.codex || a.signs%eventOf != 0 {
		return append(buf, ": keep-alive\n\n"...)
	}
	return a.event(buf, "keepalive", func(*jsonscan.Writer) {})
}

// tell sends an event that holds the response.
func (a *answer) tell(event, status string, failed *failure) error {
	return a.emit(event, func(w *jsonscan.Writer) { w.Key("response").Raw(a.response(status, failed)) })
}

// response is the response as far as it is made.
func (a *answer) response(status string, failed *failure) []byte {
	var w jsonscan.Writer
	w.Open(object).Key("id").Text(a.id).Key("object").Plain("response").Key("created_at").Int(a.created.Unix()).Key("status").Plain(status)
	w.Key("background").Bool(a.background).Key("completed_at")
	if status == "completed" {
		w.Int(time.Now().Unix())
	} else {
		w.Null()
	}
	w.Key("error")
	if failed != nil {
		failed.writeIn(&w)
	} else {
		w.Null()
	}
	w.Key("incomplete_details")
	if status == "incomplete" {
		reason := tooLong
		if a.isFiltered() {
			reason = "content_filter"
		}
		w.Open(object).Key("reason").Plain(reason).Close(object)
	} else {
		w.Null()
	}
	w.Key("access_programs").Null() // OpenAI's own, of which there are none here
	w.Key("model").Text(a.model).Key("output").Open(array)
	for _, item := range a.items {
		w.Raw(item)
	}
	w.Close(array).Key("store").Bool(a.store).Key("truncation").Plain("disabled").Key("service_tier").Text(tierOf(a.tier))
	a.writeEchoed(&w)
	if a.thread != "" {
		w.Key("conversation").Open(object).Key("id").Text(a.thread).Close(object)
	}
	a.writeModeration(&w)
	a.usage.write(w.Key("usage"))
	a.usage.writeTools(&w)
	if list := a.notes(); a.run != nil && len(list) > 0 {
		w.Key("stele_dropped").Text(strings.Join(list, ", "))
	}
	return w.Close(object).Bytes()
}

// tiers are those that this API knows. Others' words for the usual one are none to clients with closed types.
var tiers = []string{"auto", "default", "flex", "scale", "priority", "fast"}

func tierOf(word string) string {
	if slices.Contains(tiers, word) {
		return word
	}
	return "default"
}

// at is where the next item stands in the output.
func (a *answer) at() int64 { return int64(len(a.items)) }

// close ends all open items.
func (a *answer) close(status string) error {
	return errors.Join(a.endThought(status), a.endWords(status), a.callEnd(status))
}

// tellDone tells that an item is whole.
func (a *answer) tellDone(at int64, item []byte) error {
	a.items = append(a.items, item)
	if a.run != nil {
		a.run.show(a.response("in_progress", nil))
	}
	return a.emit("response.output_item.done", func(w *jsonscan.Writer) { w.Key("output_index").Int(at).Key("item").Raw(item) })
}

// tellAdded tells that an item begins.
func (a *answer) tellAdded(at int64, item []byte) error {
	return a.emit("response.output_item.added", func(w *jsonscan.Writer) { w.Key("output_index").Int(at).Key("item").Raw(item) })
}

// about writes which item an event is about.
func about(w *jsonscan.Writer, id string, at int64) *jsonscan.Writer {
	return w.Key("item_id").Text(id).Key("output_index").Int(at)
}

// sign takes over the signature of a call, or of the text where there is no call.
func (a *answer) sign(id, mark string) {
	known := func(s signature) bool { return s.id == id }
	if i := slices.IndexFunc(a.signed, known); mark != "" && i >= 0 {
		a.signed[i].text = mark
	} else if mark != "" {
		a.signed = append(a.signed, signature{id, mark})
	}
}

// tellSignatures tells those of calls and of the text, in an item of their own: they come
// when what they sign is told already.
func (a *answer) tellSignatures() error {
	if len(a.signed) == 0 {
		return nil
	}
	item := &thoughtItem{id: uid.New("rs"), at: a.at()}
	if err := a.tellAdded(item.at, item.json("", "")); err != nil {
		return err
	}
	return a.tellDone(item.at, item.json("", sealedThoughts(nil, a.signed)))
}

// draw tells a picture that the model made. One that is only linked to is told in words.
func (a *answer) draw(p *chat.Part) error {
	switch m := p.Media; {
	case m == nil:
		return nil
	case m.Base64 == "":
		return a.say("\n![picture]("+m.URL+")\n", false, nil)
	}
	if err := a.close("completed"); err != nil {
		return err
	}
	id, at := uid.New("ig"), a.at()
	a.sign(id, p.Proof)
	if err := a.tellAdded(at, pictureItem(id, "in_progress", nil)); err != nil {
		return err
	}
	for _, step := range []string{"in_progress", "generating", "completed"} {
		if err := a.emit("response.image_generation_call."+step, func(w *jsonscan.Writer) { about(w, id, at) }); err != nil {
			return err
		}
	}
	return a.tellDone(at, pictureItem(id, "completed", p.Media))
}

func pictureItem(id, status string, m *chat.Media) []byte {
	var w jsonscan.Writer
	w.Open(object).Key("id").Text(id).Key("type").Plain("image_generation_call").Key("status").Plain(status)
	if m == nil {
		return w.Key("result").Null().Close(object).Bytes()
	}
	if format, ok := strings.CutPrefix(m.Type, "image/"); ok {
		w.Key("output_format").Text(format)
	}
	return w.Key("result").Text(m.Base64).Close(object).Bytes()
}
