package bridge

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"stele/internal/jsonscan"
)

// OpenAI's newer models take tools on the chat API only if they do not think. A client
// of the Responses API cannot know that its request becomes a chat, so that the bridge
// asks such a model again without thinking, says so, and remembers the model.

// askThinking asks the server, and where the model cannot do both, for tools rather than
// thoughts.
func (b *Bridge) askThinking(c *call, o *request) (*http.Response, error) {
	if _, known := b.unthinking.Load(o.model); known && len(o.tools.byName) > 0 && !isStrict(c.Header) {
		if err := o.stopThinking(); err != nil {
			return nil, err
		}
	}
	answered, err := b.ask(c.Context(), c, o.chat)
	if err != nil || answered.StatusCode != http.StatusBadRequest || len(o.tools.byName) == 0 || o.rests || isStrict(c.Header) {
		return answered, err
	}
	refusal, err := io.ReadAll(io.LimitReader(answered.Body, mostRefusal))
	answered.Body.Close()
	if err != nil {
		return nil, errCutShort
	}
	if answered.Body = io.NopCloser(bytes.NewReader(refusal)); !refusesThinking(refusal) {
		return answered, nil
	}
	if err := o.stopThinking(); err != nil {
		return nil, err
	}
	b.unthinking.Store(o.model, true)
	return b.ask(c.Context(), c, o.chat)
}

// refusesThinking reports whether a refusal is about tools together with thinking.
func refusesThinking(refusal []byte) bool {
	root, err := jsonscan.Parse(refusal, jsonscan.Lenient)
	message := root.Get("error", "message").View()
	return err == nil && strings.Contains(message, "reasoning_effort") && strings.Contains(message, "tools")
}

// stopThinking asks for an answer without thoughts.
func (o *request) stopThinking() (err error) {
	var edits jsonscan.Edits
	root := jsonscan.Root(o.chat)
	for key, v := range root.Members() {
		if key.Name == "reasoning_effort" || key.Name == "include_reasoning" {
			edits.Remove(key, v)
		}
	}
	edits.Append(root, "reasoning_effort", []byte(`"none"`))
	o.chat, err = edits.Apply(o.chat)
	o.rests = true
	o.drop("reasoning", "the provider takes tools on its chat API only for models that do not think")
	return err
}
