package anthropic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// EncodeRequest writes a conversation of any origin for an upstream.
func (Codec) EncodeRequest(talk *chat.Conversation, target dialect.Upstream) (dialect.Outgoing, error) {
	w := newRequestWriter(talk, target)
	for _, step := range []func() error{w.refuseForeign, w.writeTools, w.addSystem, w.converse} {
		if err := step(); err != nil {
			return dialect.Outgoing{}, err
		}
	}
	thinking := w.think()
	limit := w.limit(&thinking)
	w.writeChoice(&thinking)
	schema := w.shape()
	w.endWithUser(&thinking, schema != nil)
	out := jsonscan.NewWriter(make([]byte, 0, w.size())).Open(jsonscan.Object)
	out.Key("model").Text(target.Model).Key("max_tokens").Int(limit)
	streamed := target.Stream || limit > w.can.mostWhole()
	if streamed {
		out.Key("stream").Bool(true)
	}
	if thinking.kind != "" {
		w.writeThinking(out.Key("thinking"), &thinking)
	}
	w.writeConfig(out, &thinking, schema)
	w.writeSampling(out, &thinking)
	local := w.writeStops(out)
	w.writeIdentity(out)
	w.writePrompt(out)
	w.writeExtras(out, "")
	call := dialect.Outgoing{
		Path: endpoint, Header: w.header(), Body: out.Close(jsonscan.Object).Bytes(),
		Losses: w.losses, Stops: local, Names: w.names.Back(), Streamed: streamed,
	}
	err := leaveHints(&call, target.Refused)
	return call, err
}

// requestWriter writes one conversation as a request that the API takes.
type requestWriter struct {
	talk   *chat.Conversation
	target dialect.Upstream
	can    *traits
	ours   bool // what parts and tools carry raw is this dialect's
	names  dialect.Names
	losses []chat.Loss
	turns  []turn
	system []block
	tools  []block
	choice []byte          // tool_choice, written
	sent   map[string]bool // ids of calls
	again  map[string]int  // how often one was wanted again
	// orphans are results of calls that are not there.
	orphans map[*chat.Part]bool
	// attached is what results that report errors cannot hold.
	attached []block
	// enforced is what the API is asked to hold the model to; relaxed: that would be too much.
	enforced enforced
	relaxed  bool
}

func newRequestWriter(talk *chat.Conversation, target dialect.Upstream) *requestWriter {
	ours := slices.ContainsFunc(talk.Extra, func(e chat.Extra) bool {
		key, ok := strings.CutPrefix(e.Name, prefix)
		return ok && isPlaced(key)
	})
	can := traitsOf(target.Model)
	if can == &stranger && target.Compatible {
		can = &elsewhere
	}
	if target.Unenforced || len(target.Refused) > 0 {
		can = can.without(target.Refused)
		can.format = can.format && !target.Unenforced
	}
	names := dialect.Names{Legal: isLegalName, Longest: longestName}
	if slices.Contains(target.Refused, dialect.ToolNames) {
		names.Narrow()
	}
	return &requestWriter{
		talk: talk, target: target, can: can, ours: ours, names: names,
		sent: make(map[string]bool), again: make(map[string]int), orphans: make(map[*chat.Part]bool),
	}
}

func (w *requestWriter) lose(losses ...chat.Loss) { w.losses = append(w.losses, losses...) }

// refuse is an error about what must not be left out.
func refuse(l chat.Loss, format string, args ...any) error {
	return dialect.Refuse(l, Codec{}.Path(l), fmt.Sprintf(format, args...))
}

// droppedField is a loss of a field of the whole request.
func droppedField(field string) chat.Loss { return chat.Lost(field, chat.Dropped, "") }

// refuseForeign refuses or reports what the API has no word for.
func (w *requestWriter) refuseForeign() error {
	for _, e := range w.talk.Extra {
		if e.Name == prefix+threadField && w.target.Threadless {
			return refuseThread()
		}
		if strings.HasPrefix(e.Name, prefix) {
			continue
		}
		_, field, _ := strings.Cut(e.Name, ".")
		switch e.Effect {
		case chat.Vital:
			return dialect.Refuse(droppedField(e.Name), field, "the model's provider has nothing like it.")
		case chat.Harmless:
			w.lose(chat.Lost(e.Name, chat.Ignored, ""))
		default:
			w.lose(droppedField(e.Name))
		}
	}
	if w.talk.N > 1 {
		return refuse(droppedField(chat.FieldN), "the model's provider gives one answer at a time.")
	}
	if n := w.talk.Sampling.MaxTokens; n != nil && *n < 1 {
		return refuse(droppedField(chat.FieldMaxTokens), "at least 1 is expected.")
	}
	if w.talk.Logprobs != nil {
		return refuse(droppedField(chat.FieldLogprobs), "the model's provider does not tell log-probabilities.")
	}
	for _, kind := range w.talk.Output {
		if kind != "text" {
			return refuse(droppedField(chat.FieldOutput), "the model cannot answer in %s.", kind)
		}
	}
	if w.talk.Audio != nil {
		w.lose(chat.Lost(chat.FieldAudio, chat.Ignored, "no sound is asked for"))
	}
	return nil
}

// size is about as long as the body will be.
func (w *requestWriter) size() int {
	n := 512
	for _, t := range w.turns {
		for _, b := range t.blocks {
			n += len(b.json) + 64
		}
	}
	for _, b := range w.tools {
		n += len(b.json) + 16
	}
	return n
}

// writeIdentity writes who asks and how quickly it is wanted.
func (w *requestWriter) writeIdentity(out *jsonscan.Writer) {
	metadata := jsonscan.NewWriter(nil)
	w.writeExtras(metadata, "metadata.")
	if w.talk.User != "" {
		metadata.Key("user_id").Text(w.user())
	}
	writeObject(out, "metadata", metadata)
	switch tier := strings.ToLower(w.talk.Tier); {
	case tier == "":
	case slices.Contains(w.target.Refused, serviceTier):
		w.lose(chat.Lost(chat.FieldTier, chat.Dropped, "the server does not know it"))
	case tier == "auto", tier == "standard_only":
		out.Key("service_tier").Plain(tier)
	case tier == "default", tier == "standard":
		out.Key("service_tier").Plain("standard_only")
	default:
		w.lose(chat.Lost(chat.FieldTier, chat.Dropped, "there is no tier "+tier))
	}
}

// writeObject writes members as an object of that name, if there are any.
func writeObject(out *jsonscan.Writer, name string, members *jsonscan.Writer) {
	if len(members.Bytes()) > 0 {
		out.Key(name).Open(jsonscan.Object).Raw(members.Bytes()).Close(jsonscan.Object)
	}
}

// writeExtras writes the members that only this dialect knows and that are below a
// path; "" is the body itself.
func (w *requestWriter) writeExtras(out *jsonscan.Writer, path string) {
	for _, e := range w.talk.Extra {
		if key, ok := strings.CutPrefix(e.Name, prefix+path); ok && (path != "" || !isElsewhere(key)) {
			out.Key(key).Raw(e.Value)
		}
	}
}

// isElsewhere reports whether an Extra is not a plain field of the body.
func isElsewhere(key string) bool {
	first, _, nested := strings.Cut(key, ".")
	return key == "anthropic-beta" || key == "max_tokens" || isPlaced(key) ||
		nested && (first == "metadata" || first == "output_config" || first == "thinking" || first == "reasoning")
}

// isPlaced reports whether an Extra is about a block or a tool, which carries it itself.
func isPlaced(key string) bool {
	return strings.HasPrefix(key, "messages[") || strings.HasPrefix(key, "system[") || strings.HasPrefix(key, "tools[")
}

// header says which version is spoken, and what the client switched on.
func (w *requestWriter) header() http.Header {
	h := http.Header{versionHeader: {version2023}}
	if beta, ok := w.own("anthropic-beta"); ok {
		h.Set(betaHeader, cloneText(jsonscan.At(beta, 0)))
	}
	return h
}

// own is an Extra of this dialect.
func (w *requestWriter) own(key string) (json.RawMessage, bool) {
	for _, e := range w.talk.Extra {
		if e.Name == prefix+key {
			return e.Value, true
		}
	}
	return nil, false
}
