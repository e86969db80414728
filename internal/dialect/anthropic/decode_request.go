package anthropic

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// DecodeRequest reads the model and whether a stream is wanted, and nothing else.
func (Codec) DecodeRequest(in dialect.Incoming) (*chat.Request, error) {
	var model, stream jsonscan.Value
	var odd error
	facts, err := dialect.Survey(dialectName, in.Body, func(key jsonscan.Key, v jsonscan.Value) {
		if odd == nil {
			odd = checkKey(key.Name, v)
		}
		switch key.Name {
		case "model":
			model = v
		case "stream":
			stream = v
		}
	})
	if err != nil {
		return nil, err
	}
	r := requestReader{message: -1, part: -1, inner: -1}
	name, streaming := strings.Clone(r.readText(model, "model")), r.readBool(stream, "stream")
	switch {
	case r.err != nil:
		return nil, r.err
	case name == "":
		return nil, fault.New(fault.MissingParameter, "model: this field is required.").Field("model")
	case odd != nil:
		return nil, odd
	}
	origin := chat.Origin{Dialect: dialectName, Body: in.Body, Facts: facts, Header: dialect.Heard(in.Header, heard...), Usage: true, Marks: true}
	return chat.NewRequest(name, streaming, origin, func() (*chat.Conversation, error) {
		return decode(in.Body, origin.Header, name)
	}), nil
}

// heard are the headers that this API's clients send and that are listened to.
var heard = append([]string{dialect.Reworded, versionHeader, betaHeader}, accountHeaders...)

// accountHeaders name objects of the operator's own account.
var accountHeaders = []string{"Anthropic-User-Profile-Id", "Anthropic-Workspace-Id"}

// known are the fields of a request.
var known = dialect.NewKnown([]string{
	"model", "stream", "messages", "system", "max_tokens", "temperature", "top_p", "top_k", "stop_sequences", "tools", "tool_choice", "thinking",
	"reasoning", "reasoning_effort", "output_config", "output_format", "metadata", "service_tier", "cache_control",
}, slices.Collect(maps.Keys(effects)), chat.Holders)

// effects are what leaving out a field that only this dialect knows does to the
// answer. What is not listed shapes it.
var effects = map[string]chat.Effect{
	"container":             chat.Vital,
	"mcp_servers":           chat.Vital,
	threadField:             chat.Vital,
	"compaction":            chat.Vital, // a summary is wanted in the place of an answer
	"diagnostics":           chat.Harmless,
	"fallback_credit_token": chat.Harmless,
}

// wishes are fields that ask for something by being there.
var wishes = []string{"compaction", threadField}

// checkKey refuses a member that is a field but for its letters' case, also in what
// counts as part of the body.
func checkKey(key string, v jsonscan.Value) error {
	if err := known.Check(key); err != nil {
		return err
	}
	if !isFold(key, v) {
		return nil
	}
	for key := range v.Members() {
		if err := known.Check(key.Name); err != nil {
			return err
		}
	}
	return nil
}

// isFold reports whether a member holds fields that count as the body's own.
func isFold(key string, v jsonscan.Value) bool {
	return (v.Kind() == jsonscan.Object || v.Absent()) && slices.Contains(chat.Holders, key)
}

// requestReader reads a request, or the content of an answer, of which nothing is
// demanded: where we are in it, and the first thing that was not what it should be.
type requestReader struct {
	talk    *chat.Conversation
	loose   bool   // an answer: what does not fit is passed over
	base    string // where we are outside the messages, or ""
	message int    // index of the message, or -1
	part    int    // index of the block in it, or -1
	inner   int    // index of the block in that block, or -1
	holder  string // what of that block holds it: .source, or "" for itself
	err     error

	sawMessages bool
	// These mean something only together.
	thinking, reasoning, reasoningEffort, outputEffort jsonscan.Value

	turnEffort jsonscan.Value // what the last turn of the system's says of it
	lastUser   int            // index of the user's last message, or -1 before it was looked for
}

func newReader(loose bool) *requestReader {
	return &requestReader{talk: new(chat.Conversation), loose: loose, message: -1, part: -1, inner: -1}
}

func decode(body []byte, header http.Header, model string) (*chat.Conversation, error) {
	r := newReader(false)
	r.readHeaders(header)
	root := jsonscan.Root(body)
	folded := false
	for key, v := range r.members(root, "") {
		if isFold(key, v) {
			folded = true
		} else {
			r.readField(key, v)
		}
	}
	if folded {
		for key, v := range dialect.Nested(root) {
			r.readField(key, v)
		}
	}
	r.readThinking(model)
	r.changeTools()
	if r.err == nil && !r.sawMessages {
		r.err = fault.New(fault.MissingParameter, "messages: this field is required.").Field("messages")
	}
	if r.err != nil {
		return nil, r.err
	}
	if header.Get(versionHeader) == version2026 {
		r.noteNewer()
	}
	return r.talk, nil
}

// readField takes one field of the request over.
func (r *requestReader) readField(key string, v jsonscan.Value) {
	if r.err != nil || v.Absent() {
		return
	}
	talk := r.talk
	switch key {
	case "model", "stream":
	case "messages":
		r.sawMessages = true
		r.readMessages(v)
	case "system":
		r.readSystem(v)
	case "max_tokens":
		r.readLimit(v)
	case "temperature":
		talk.Sampling.Temperature = r.readNumber(v, key)
	case "top_p":
		talk.Sampling.TopP = r.readNumber(v, key)
	case "top_k":
		talk.Sampling.TopK = r.readNumber(v, key)
	case "stop_sequences":
		var list []string
		for i, v := range r.elements(v, key) {
			list = append(list, r.readText(v, at(key, i)))
		}
		stops, losses := dialect.Stops(list)
		talk.Sampling.Stop, talk.Notes = stops, append(talk.Notes, losses...)
	case "tools":
		r.readTools(v)
	case "tool_choice":
		r.readChoice(v)
	case "thinking":
		r.thinking = v
	case "reasoning":
		r.reasoning = v
	case "reasoning_effort":
		r.reasoningEffort = v
	case "output_config":
		r.readConfig(v)
	case olderFormat:
		r.readFormat(v, key)
	case "metadata":
		r.readMetadata(v)
	case "service_tier":
		talk.Tier = r.readText(v, key)
	case "cache_control":
		talk.Cache = r.readCache(v)
	default:
		effect := effects[key]
		if key == "speed" && v.View() == "standard" { // as all others do it
			effect = chat.Harmless
		}
		if v.Kind() == jsonscan.Object && effect == chat.Shapes && !dialect.Tells(v) || !dialect.Asks(v) && !slices.Contains(wishes, key) {
			effect = chat.Harmless // nothing is asked for
		}
		if v.Kind() == jsonscan.Object || dialect.Asks(v) {
			r.keepExtra(key, v, effect)
		}
	}
}

// readHeaders reports what the client's headers say about how it wants to be understood.
func (r *requestReader) readHeaders(h http.Header) {
	if h.Get(versionHeader) == "" {
		r.note(lossOfVersion())
	}
	if betas := strings.Join(h.Values(betaHeader), ","); betas != "" {
		// What a beta switches on is in the body and reported there.
		value := jsonscan.AppendText(nil, betas)
		r.talk.Extra = append(r.talk.Extra, chat.Extra{Name: prefix + "anthropic-beta", Value: value, Effect: chat.Harmless})
	}
	for _, name := range accountHeaders {
		if h.Get(name) != "" {
			r.note(chat.Lost(strings.ToLower(name), chat.Ignored, "names an object of the operator's own account"))
		}
	}
}

func lossOfVersion() chat.Loss { return chat.Lost("anthropic-version", chat.Added, version2023) }

// noteNewer reports what the newer version refuses and is carried on all the same.
func (r *requestReader) noteNewer() {
	s := &r.talk.Sampling
	names := []string{chat.FieldTemperature, chat.FieldTopP, chat.FieldTopK}
	for i, given := range []*float64{s.Temperature, s.TopP, s.TopK} {
		if given != nil {
			r.note(chat.Lost(names[i], chat.Approximated, "Anthropic refuses it in version "+version2026))
		}
	}
}

func (r *requestReader) readLimit(v jsonscan.Value) {
	n := r.readInt(v, "max_tokens")
	switch {
	case n == nil:
	case *n < 0:
		r.refuseValue("max_tokens", "it cannot be negative.")
	case *n == 0:
		// The prompt is only to be cached: an upstream without that would answer.
		r.keepExtra("max_tokens", v, chat.Vital)
	default:
		r.talk.Sampling.MaxTokens = n
	}
}

func (r *requestReader) readMetadata(v jsonscan.Value) {
	for key, v := range r.members(v, "metadata") {
		if key == "user_id" {
			r.talk.User = r.readText(v, "metadata.user_id")
		} else {
			r.keepExtra("metadata."+key, v, chat.Harmless)
		}
	}
}

// readConfig reads output_config; effort waits for the thinking it belongs to.
func (r *requestReader) readConfig(v jsonscan.Value) {
	for key, v := range r.members(v, "output_config") {
		switch key {
		case "effort":
			r.outputEffort = v
		case "format":
			r.readFormat(v, "output_config.format")
		default:
			r.keepExtra("output_config."+key, v, chat.Shapes)
		}
	}
}

func (r *requestReader) readFormat(v jsonscan.Value, key string) {
	f := &chat.Format{Kind: chat.JSONSchema, Held: true}
	kind := ""
	for member, v := range r.members(v, key) {
		switch member {
		case "type":
			kind = r.readText(v, key+".type")
		case "schema":
			f.Schema = v.Raw()
		case "name":
			f.Name = r.readText(v, key+".name")
		default:
			r.note(chat.Lost(chat.FieldFormat, chat.Dropped, member+" is not known"))
		}
	}
	switch {
	case r.err != nil:
	case kind != "json_schema":
		r.refuseValue(key+".type", "%q is not json_schema.", kind)
	case !bytes.HasPrefix(f.Schema, []byte("{")):
		r.refuseType(key+".schema", "an object")
	default:
		if r.talk.Format != nil {
			r.note(chat.Lost(olderFormat, chat.Dropped, "output_config.format is given as well"))
		}
		if r.talk.Format == nil || key != olderFormat {
			r.talk.Format = f
			delete(r.talk.Spelled, chat.FieldFormat)
			if key != paths[chat.FieldFormat] {
				r.talk.Spell(chat.FieldFormat, prefix+key)
			}
		}
	}
}

// olderFormat is what output_config.format was called before.
const olderFormat = "output_format"

func (r *requestReader) readCache(v jsonscan.Value) *chat.Cache {
	c := new(chat.Cache)
	for key, v := range r.members(v, "cache_control") {
		switch key {
		case "ttl":
			c.TTL = r.readText(v, "cache_control.ttl")
		case "type":
		default:
			r.keepExtra(r.pathOf("cache_control."+key), v, chat.Harmless)
		}
	}
	return c
}
