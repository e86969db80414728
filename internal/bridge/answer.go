package bridge

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/uid"
)

// answer is a response that is being made: chunks of a chat go in, events come out. An
// item is open until another begins; calls are open together, as they may be told by
// turns.
type answer struct {
	*order

	id      string
	created time.Time
	send    func(event string, data []byte, more bool) error

	sequence int64
	more     bool     // the next chunk is here already
	items    [][]byte // those that are whole
	thought  *thoughtItem
	words    *messageItem
	calls    []*callState
	told     details     // all reasoning_details so far
	signed   []signature // of calls and of the text, told at the end
	reason   string      // why the model stopped
	usage    usage
	tier     string
}

func newAnswer(o *order, send func(event string, data []byte, more bool) error) *answer {
	return &answer{order: o, id: uid.New("resp"), created: time.Now(), send: send}
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
	status = "completed"
	switch {
	case err != nil:
		status = "failed"
	case a.reason == "length", a.reason == "content_filter":
		status = "incomplete"
	}
	if sendErr = a.close(status); sendErr != nil {
		return nil, status, sendErr
	}
	if sendErr = a.signatures(); sendErr != nil {
		return nil, status, sendErr
	}
	var failed *failure
	if err != nil {
		failed = failureOf(err)
		sendErr = a.emit("error", func(w *jsonscan.Writer) {
			w.Key("code").Text(failed.code).Key("message").Text(failed.message).Key("param").Null()
		})
		if sendErr != nil {
			return nil, status, sendErr
		}
	}
	a.more = false
	return a.response(status, failed), status, a.tell("response."+status, status, failed)
}

// failureOf is an error in the words of this API.
func failureOf(err error) *failure {
	if told, ok := errors.AsType[*failure](err); ok {
		return told
	}
	e := fault.From(err)
	return &failure{code: "server_error", message: e.Message}
}

// emit sends one event, whose members beside type and number fill writes.
func (a *answer) emit(event string, fill func(w *jsonscan.Writer)) error {
	var w jsonscan.Writer
	w.Open(object).Key("type").Plain(event).Key("sequence_number").Int(a.sequence)
	a.sequence++
	fill(&w)
	data := w.Close(object).Bytes()
	if bytes.ContainsAny(data, "\r\n") { // what a client or a model wrote in lines: an event is one
		data = jsonscan.Root(data).AppendCompact(nil)
	}
	return a.send(event, data, a.more)
}

// tell sends an event that holds the response.
func (a *answer) tell(event, status string, failed *failure) error {
	return a.emit(event, func(w *jsonscan.Writer) { w.Key("response").Raw(a.response(status, failed)) })
}

// echoed are the members of a request that its response repeats, and what stands for
// those that were not sent.
var echoed = []struct{ name, otherwise string }{
	{"instructions", "null"}, {"max_output_tokens", "null"}, {"max_tool_calls", "null"}, {"metadata", "{}"}, {"parallel_tool_calls", "true"},
	{"previous_response_id", "null"}, {"prompt_cache_key", "null"}, {"reasoning", `{"effort":null,"summary":null}`}, {"safety_identifier", "null"},
	{"temperature", "null"}, {"text", `{"format":{"type":"text"}}`}, {"tool_choice", `"auto"`}, {"tools", "[]"}, {"top_logprobs", "0"},
	{"top_p", "null"}, {"user", "null"},
}

// response is the response as far as it is made.
func (a *answer) response(status string, failed *failure) []byte {
	var w jsonscan.Writer
	w.Open(object).Key("id").Text(a.id).Key("object").Plain("response").Key("created_at").Int(a.created.Unix()).Key("status").Plain(status)
	w.Key("background").Bool(false).Key("completed_at")
	if status == "completed" {
		w.Int(time.Now().Unix())
	} else {
		w.Null()
	}
	w.Key("error")
	if failed != nil {
		w.Open(object).Key("code").Text(failed.code).Key("message").Text(failed.message).Close(object)
	} else {
		w.Null()
	}
	w.Key("incomplete_details")
	if status == "incomplete" {
		reason := "max_output_tokens"
		if a.reason == "content_filter" {
			reason = a.reason
		}
		w.Open(object).Key("reason").Plain(reason).Close(object)
	} else {
		w.Null()
	}
	w.Key("model").Text(a.model).Key("output").Open(array)
	for _, item := range a.items {
		w.Raw(item)
	}
	w.Close(array).Key("store").Bool(a.store).Key("truncation").Plain("disabled").Key("service_tier").Text(a.servedTier())
	for _, e := range echoed {
		if v := a.fields[e.name]; v.Exists() {
			w.Key(e.name).Raw(v.Raw())
		} else {
			w.Key(e.name).Raw([]byte(e.otherwise))
		}
	}
	a.usage.write(w.Key("usage"))
	return w.Close(object).Bytes()
}

func (a *answer) servedTier() string {
	if a.tier == "" {
		return "default"
	}
	return a.tier
}

// at is where the next item stands in the output.
func (a *answer) at() int64 { return int64(len(a.items) + len(a.calls)) }

// close ends all open items.
func (a *answer) close(status string) error {
	return errors.Join(a.thoughtEnd(), a.wordsEnd(status), a.callsEnd(status))
}

// done tells that an item is whole.
func (a *answer) done(at int64, item []byte) error {
	a.items = append(a.items, item)
	return a.emit("response.output_item.done", func(w *jsonscan.Writer) { w.Key("output_index").Int(at).Key("item").Raw(item) })
}

// added tells that an item begins.
func (a *answer) added(at int64, item []byte) error {
	return a.emit("response.output_item.added", func(w *jsonscan.Writer) { w.Key("output_index").Int(at).Key("item").Raw(item) })
}

// about writes which item an event is about.
func about(w *jsonscan.Writer, id string, at int64) *jsonscan.Writer {
	return w.Key("item_id").Text(id).Key("output_index").Int(at)
}

// sign takes over the signature of a call, or of the text where there is no call.
func (a *answer) sign(id string, extra jsonscan.Value) {
	mark := text(extra.Get("google", "thought_signature"))
	known := func(s signature) bool { return s.id == id }
	if i := slices.IndexFunc(a.signed, known); mark != "" && i >= 0 {
		a.signed[i].text = mark
	} else if mark != "" {
		a.signed = append(a.signed, signature{id, mark})
	}
}

// signatures tells those of calls and of the text, in an item of their own: they come
// when what they sign is told already.
func (a *answer) signatures() error {
	if len(a.signed) == 0 {
		return nil
	}
	item := &thoughtItem{id: uid.New("rs"), at: a.at()}
	if err := a.added(item.at, item.json("", "")); err != nil {
		return err
	}
	return a.done(item.at, item.json("", sealedThoughts(nil, a.signed)))
}

// draw tells pictures that the model made.
func (a *answer) draw(list jsonscan.Value) error {
	for _, v := range list.Elements() {
		url := v.Get("image_url", "url").View()
		_, data, ok := strings.Cut(url, ";base64,")
		if !ok {
			continue
		}
		if err := a.close("completed"); err != nil {
			return err
		}
		id, at := uid.New("ig"), a.at()
		if err := errors.Join(a.added(at, pictureItem(id, "in_progress", "")), a.done(at, pictureItem(id, "completed", data))); err != nil {
			return err
		}
	}
	return nil
}

func pictureItem(id, status, result string) []byte {
	var w jsonscan.Writer
	w.Open(object).Key("id").Text(id).Key("type").Plain("image_generation_call").Key("status").Plain(status).Key("result")
	if result == "" {
		return w.Null().Close(object).Bytes()
	}
	return w.Text(result).Close(object).Bytes()
}
