package bridge

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// request is what a client asks of POST /v1/responses, and the same as the server's chat
// route takes it.
type request struct {
	fields     map[string]jsonscan.Value // those that are there and not null
	model      string
	stream     bool
	store      bool
	background bool
	previous   string
	thread     string   // the conversation that it goes on with; "": none
	before     []string // ids of the items of that
	input      [][]byte // its own items
	chat       []byte   // the body for the server
	paths      []string // of the items that its messages are of
	tools      *toolbox
	called     map[string]bool // ids of the calls so far
	rests      bool            // no thoughts are asked for, because the model could not call tools
	shortens   bool            // its last item asks for a summary of the conversation
	codex      bool            // its client is Codex
	dropped    []string        // what is not carried, in words
	byServer   []string        // what the server did not carry, as it says it
	lost       []chat.Loss     // what of the answer this API has no place for
}

// readRequest reads the request of a call. Where the client wants all of it carried, what is not refuses it.
func (b *Bridge) readRequest(w http.ResponseWriter, c *call) (*request, error) {
	body, err := readBody(w, c)
	if err != nil {
		return nil, err
	}
	o, err := b.decode(body)
	if err != nil {
		return nil, err
	}
	return o, refuseDropped(c.Header, o.dropped)
}

// decode reads a request and writes what the server is asked.
func (b *Bridge) decode(body []byte) (*request, error) {
	o := &request{fields: make(map[string]jsonscan.Value), store: true, tools: newToolbox(), called: make(map[string]bool)}
	_, err := dialect.Survey("", body, func(key jsonscan.Key, v jsonscan.Value) {
		if !v.Absent() {
			o.fields[key.Name] = v
		}
	})
	if err != nil {
		return nil, err
	}
	for _, step := range []func() error{o.checkKinds, o.readHead, o.refuseUnserved, o.takeInput, o.offer} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	talk := &talk{tools: o.tools, kept: b.Kept, drop: o.drop, called: o.called}
	if text, there := o.fields["instructions"]; there {
		talk.instruct(&parts{texts: []string{text.View()}})
	}
	talk.explainTools()
	if err := b.refuseUnfinished(o.previous); err != nil {
		return nil, err
	}
	items, err := o.conversation(b.Kept)
	if err != nil {
		return nil, err
	}
	if o.shortens, err = endsInTrigger(items); err != nil {
		return nil, err
	}
	if o.shortens {
		return o, b.writeSummaryRequest(o, items)
	}
	for _, one := range talk.putInOrder(items) {
		if err := talk.addItem(&one); err != nil {
			return nil, err
		}
	}
	talk.end()
	if talk.count == 0 && !talk.asked {
		return nil, o.refuseEmpty()
	}
	return o, o.write(talk)
}

// drop notes something that is not carried.
func (o *request) drop(path, why string) {
	if note := path + ": " + why; !slices.Contains(o.dropped, note) {
		o.dropped = append(o.dropped, note)
	}
}

// refuseEmpty refuses a request that leaves nothing to answer, and says why where its items are what is not carried.
func (o *request) refuseEmpty() error {
	for _, note := range o.dropped {
		if path, why, _ := strings.Cut(note, ": "); strings.HasPrefix(path, "input[") {
			return fault.Unclear(path, why+", and nothing else is there to answer")
		}
	}
	return fault.WrongValue("input", "a text or a list of at least one item")
}

// readHead reads what the bridge itself goes by.
func (o *request) readHead() (err error) {
	if o.model = o.fields["model"].View(); o.model == "" {
		return fault.Missing("model")
	}
	for name, place := range map[string]*bool{"stream": &o.stream, "store": &o.store, "background": &o.background} {
		v, there := o.fields[name]
		yes, ok := v.Bool()
		if there && !ok {
			return fault.WrongValue(name, "true or false")
		}
		if there {
			*place = yes
		}
	}
	o.previous = o.fields["previous_response_id"].View()
	if v := o.fields["conversation"]; v.Exists() {
		if o.thread = cmp.Or(v.View(), v.Get("id").View()); o.thread == "" {
			return fault.WrongValue("conversation", "the id of a conversation")
		}
		if o.previous != "" {
			return fault.Unclear("previous_response_id", "it cannot be sent together with conversation")
		}
	}
	return nil
}

// refuseUnserved refuses what would change what the client gets, and drops what would not.
func (o *request) refuseUnserved() error {
	if o.fields["prompt"].Exists() {
		return fault.Unclear("prompt", "the bridge has no stored prompts: send instructions and input")
	}
	if o.fields["truncation"].View() == "auto" {
		o.drop("truncation", "nothing is cut from a conversation that is too long")
	}
	for name := range o.fields {
		if !slices.Contains(read, name) && carried[name] == "" {
			o.drop(name, "it is not known to the bridge")
		}
	}
	for name, known := range inside {
		outer, inner, nested := strings.Cut(name, ".")
		v := o.fields[outer]
		if nested {
			v = v.Get(inner)
		}
		noteOthers(v, name, o.drop, known...)
	}
	reasoning := o.fields["reasoning"]
	if mode := reasoning.Get("mode").View(); mode != "" && mode != "standard" {
		o.drop("reasoning.mode", "chats have no other than the standard")
	}
	if scope := reasoning.Get("context").View(); scope != "" && scope != "auto" {
		o.drop("reasoning.context", "all thoughts go back that the client sends, and their provider takes of them what it does")
	}
	slices.Sort(o.dropped)
	return nil
}

// inside are the members that are looked at of those that are objects.
var inside = map[string][]string{
	"reasoning": {"effort", "summary", "generate_summary", "mode", "context"}, "text": {"format", "verbosity"}, "text.format": {"type", "name", "description", "schema", "strict"},
}

// read are the fields that are looked at here, or that say nothing to a model and a
// server that runs no tools: include, max_tool_calls, stream_options, client_metadata.
var read = []string{
	"model", "stream", "store", "previous_response_id", "background", "conversation", "prompt", "truncation", "include", "input", "instructions",
	"metadata", "tools", "tool_choice", "reasoning", "text", "max_tool_calls", "stream_options", "parallel_tool_calls", "client_metadata",
}

// carried are the fields that go on as they are, and what the chat route calls them.
var carried = map[string]string{
	"max_output_tokens": "max_completion_tokens", "temperature": "temperature", "top_p": "top_p", "top_logprobs": "top_logprobs",
	"user": "user", "safety_identifier": "safety_identifier", "prompt_cache_key": "prompt_cache_key",
	"prompt_cache_retention": "prompt_cache_retention", "prompt_cache_options": "prompt_cache_options", "service_tier": "service_tier", "moderation": "moderation",
	"presence_penalty": "presence_penalty", "frequency_penalty": "frequency_penalty",
}

// takeInput takes the items of the request itself, each in memory of its own: they may
// be kept for longer than the request.
func (o *request) takeInput() error {
	switch v := o.fields["input"]; v.Kind() {
	case jsonscan.Missing:
	case jsonscan.String:
		var w jsonscan.Writer
		w.Open(object).Key("type").Plain("message").Key("role").Plain("user").Key("content").Raw(v.Raw()).Close(object)
		o.input = [][]byte{w.Bytes()}
	case array:
		for _, item := range v.Elements() {
			o.input = append(o.input, slices.Clone(item.Raw()))
		}
	default:
		return fault.WrongValue("input", "a text or a list of items")
	}
	return nil
}

// offer reads the tools.
func (o *request) offer() error {
	return o.tools.addAll(o.fields["tools"], "tools", o.drop)
}

// write writes the body for the server.
func (o *request) write(t *talk) error {
	var w jsonscan.Writer
	w.Open(object).Key("model").Text(o.model).Key("stream").Bool(true)
	w.Key("stream_options").Open(object).Key("include_usage").Bool(true).Close(object)
	w.Key("messages").Open(array).Raw(t.messages.Bytes()).Close(array)
	others, _ := o.fields["top_logprobs"].Int()
	rated := others != 0 || o.includes("message.output_text.logprobs") // models that think refuse to rate words: 0, which responses repeat, asks for none
	for _, name := range slices.Sorted(maps.Keys(carried)) {           // the same request is the same bytes
		if v := o.fields[name]; v.Exists() && (rated || name != "top_logprobs") {
			w.Key(carried[name]).Raw(v.Raw())
		}
	}
	if rated {
		w.Key("logprobs").Bool(true)
	}
	o.writeThinking(&w, t.effort)
	if err := o.writeFormat(&w, t.format); err != nil {
		return err
	}
	if err := o.writeTools(&w); err != nil {
		return err
	}
	o.chat, o.paths = w.Close(object).Bytes(), t.paths
	return nil
}

// includes reports whether the client wants something that is left out otherwise.
func (o *request) includes(what string) bool {
	for _, v := range o.fields["include"].Elements() {
		if v.View() == what {
			return true
		}
	}
	return false
}

// writeThinking asks for thoughts: by an effort, of the request or of an item that
// changed it since, or just to see what the model thinks by itself.
func (o *request) writeThinking(w *jsonscan.Writer, changed string) {
	reasoning := o.fields["reasoning"]
	effort := reasoning.Get("effort").View()
	if changed != "" {
		effort = changed
	}
	switch {
	case effort != "":
		w.Key("reasoning_effort").Text(effort)
	case !reasoning.Get("summary").Absent(), !reasoning.Get("generate_summary").Absent():
		w.Key("include_reasoning").Bool(true)
	}
}

// writeFormat asks for a form of the answer's text.
func (o *request) writeFormat(w *jsonscan.Writer, changed jsonscan.Value) error {
	text := o.fields["text"]
	if level := text.Get("verbosity"); !level.Absent() {
		w.Key("verbosity").Raw(level.Raw())
	}
	format := text.Get("format")
	if changed.Exists() {
		format = changed
	}
	switch kind := format.Get("type").View(); kind {
	case "", "text":
	case "json_object":
		w.Key("response_format").Open(object).Key("type").Plain(kind).Close(object)
	case "json_schema":
		for _, name := range []string{"name", "schema"} { // of the chat route's form they stand one deeper
			if format.Get(name).Absent() {
				return fault.Missing("text.format." + name)
			}
		}
		w.Key("response_format").Open(object).Key("type").Plain(kind).Key(kind).Open(object)
		copyMembers(w, format, "name", "description", "schema", "strict")
		w.Close(object).Close(object)
	default:
		return fault.WrongValue("text.format.type", "text, json_object or json_schema")
	}
	return nil
}

// copyMembers writes those of some members that are there and not null.
func copyMembers(w *jsonscan.Writer, from jsonscan.Value, names ...string) {
	for _, name := range names {
		if v := from.Get(name); !v.Absent() {
			w.Key(name).Raw(v.Raw())
		}
	}
}
