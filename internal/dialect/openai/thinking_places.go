package openai

import (
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// Where servers of this dialect have the signature of a call or a text, but for Google's own, which has extra_content.google.
// They take it back only there, so that the place goes with the signature, in whose letters there is no colon.
const (
	inVertex  = "vertex:"  // extra_content.vertex, at Google's cloud
	inFields  = "fields:"  // provider_specific_fields, at LiteLLM
	inCall    = "call:"    // the call itself, under the name that follows
	inDetails = "details:" // one of reasoning_details that names the call, at OpenRouter
)

// signature is the one in extra_content of a message, a call or a piece of either.
func signature(extra jsonscan.Value) string {
	if proof := extra.Get("vertex", "thought_signature").View(); proof != "" {
		return inVertex + proof
	}
	if proof := extra.Get("google", "thought_signature").View(); !dialect.IsNoSignature(proof) {
		return proof
	}
	return ""
}

// callSignature is the one of a call, or of a piece of it.
func callSignature(call jsonscan.Value) string {
	if proof := call.Get("provider_specific_fields", "thought_signature").View(); proof != "" {
		return inFields + proof
	}
	for _, name := range ownNames {
		if proof := call.Get(name).View(); proof != "" {
			return inCall + name + ":" + proof
		}
	}
	return signature(call.Get("extra_content"))
}

// ownNames are what gateways before Google's models call a signature that is a member of the call itself.
var ownNames = []string{"thoughtSignature", "thought_signature"}

// writeSignature writes a signature, if there is one, where its server has it, but for one among details.
func writeSignature(w *jsonscan.Writer, proof string) {
	if proof == "" || strings.HasPrefix(proof, inDetails) {
		return
	}
	if raw, found := strings.CutPrefix(proof, inFields); found {
		w.Key("provider_specific_fields").Open(object).Key("thought_signature").Text(raw).Close(object)
		return
	}
	if named, found := strings.CutPrefix(proof, inCall); found {
		name, raw, _ := strings.Cut(named, ":")
		w.Key(name).Text(raw)
		return
	}
	raw, atCloud := strings.CutPrefix(proof, inVertex)
	place := "google"
	if atCloud {
		place = "vertex"
	}
	w.Key("extra_content").Open(object).Key(place).Open(object).Key("thought_signature").Text(raw).Close(object).Close(object)
}

// pack is what one of reasoning_details is signed with, or holds that only its upstream can read, together with what the
// upstream calls it: OpenRouter takes details back as it gave them. One in an envelope has all that inside.
func pack(item jsonscan.Value, value string) string {
	format, id := item.Get("format").View(), item.Get("id").View()
	if value == "" || format+id == "" || strings.HasPrefix(value, chat.EnvelopePrefix) {
		return value
	}
	return chat.ThoughtMark + strings.Join([]string{format, id, value}, chat.ThoughtMark)
}

// unpack is what pack put together.
func unpack(packed string) (format, id, value string) {
	parts := strings.Split(packed, chat.ThoughtMark)
	if n := len(parts); n >= 4 && parts[0] == "" {
		return parts[1], strings.Join(parts[2:n-1], chat.ThoughtMark), parts[n-1]
	}
	return "", "", packed
}

// bare is a signature without its place and what it is called.
func bare(proof string) string {
	for _, place := range []string{inVertex, inFields, inDetails} {
		proof = strings.TrimPrefix(proof, place)
	}
	if named, found := strings.CutPrefix(proof, inCall); found {
		_, proof, _ = strings.Cut(named, ":")
	}
	_, _, value := unpack(proof)
	return value
}

// detailsOf are the signatures of calls that their server has among reasoning_details, under the ids that the calls are sent with.
func (e *requestWriter) detailsOf(calls []chat.Part) (list []chat.Placed) {
	for i := range calls {
		raw, _ := e.openProof(calls[i].Proof)
		if packed, found := strings.CutPrefix(raw, inDetails); found {
			format, _, value := unpack(packed)
			text := chat.ThoughtMark + strings.Join([]string{format, e.callIDs[i], value}, chat.ThoughtMark)
			list = append(list, chat.Placed{Part: chat.Part{Kind: chat.Redacted, Text: text}})
		}
	}
	return list
}
