package anthropic

import (
	"bytes"
	"net/http"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// PassRequest is the client's own bytes with the model's name in them. Only what
// the API itself would not understand is changed besides: loose switches, sampling
// that is not set, and signatures in our envelopes.
func (Codec) PassRequest(req *chat.Request, target dialect.Upstream) (dialect.Outgoing, error) {
	call := dialect.Outgoing{Path: endpoint, Header: make(http.Header, 2), Body: req.Origin.Body}
	asked := http.Header(req.Origin.Header)
	if version := asked.Get(versionHeader); version != "" {
		call.Header.Set(versionHeader, version)
	} else {
		call.Header.Set(versionHeader, version2023)
		call.Losses = append(call.Losses, lossOfVersion())
	}
	if betas := asked.Values(betaHeader); len(betas) > 0 {
		call.Header[betaHeader] = betas
	}
	model, threaded, loose, folded := survey(jsonscan.Root(req.Origin.Body), &req.Origin.Facts)
	if folded {
		call.Body = unfold(call.Body)
		threaded = jsonscan.Root(call.Body).Get(threadField).Exists()
	}
	if threaded && target.Threadless {
		return dialect.Outgoing{}, refuseThread()
	}
	if !loose && !folded && !req.Origin.Facts.Envelopes && !target.Forget && !target.SystemFirst && len(target.Refused) == 0 {
		var edits jsonscan.Edits
		edits.ReplaceText(model, target.Model)
		call.Body = nil
		return call, call.Splice(req.Origin.Body, &edits)
	}
	err := edit(&call, target)
	return call, err
}

// survey finds the model's name in a body, whether it is a turn of a conversation that the
// upstream keeps, whether there are loose switches or unset numbers in it, and whether there are objects whose
// fields count as its own. The loop is over a method that is
// known here, so that nothing of it is allocated.
func survey(root jsonscan.Value, f *chat.Facts) (model jsonscan.Value, threaded, loose, folded bool) {
	for key, v := range root.MembersAround(f.LongestFrom, f.LongestTo) {
		switch key.Name {
		case "model":
			model = v
		case threadField:
			threaded = v.Kind() != jsonscan.Null
		case "thinking", "reasoning", "reasoning_effort":
			_, is := v.Bool()
			loose = loose || is
		case "temperature", "top_p", "top_k":
			loose = loose || isUnset(v)
		default:
			folded = folded || isFold(key.Name, v)
		}
	}
	return model, threaded, loose, folded
}

// unfold brings the fields of extra_body and options up into the body.
func unfold(body []byte) []byte {
	root := jsonscan.Root(body)
	out := jsonscan.NewWriter(make([]byte, 0, len(body))).Open(jsonscan.Object)
	for key, v := range root.Members() {
		if !isFold(key.Name, v) {
			out.Key(key.Name).Raw(v.Raw())
		}
	}
	for key, v := range dialect.Nested(root) {
		out.Key(key).Raw(v.Raw())
	}
	return out.Close(jsonscan.Object).Bytes()
}

// Rename puts another model's name into an answer or a frame. What has none
// comes back as it is.
func (Codec) Rename(raw []byte, model string) []byte {
	start := bytes.IndexByte(raw, '{')
	if start < 0 || !bytes.Contains(raw, []byte(`"model"`)) {
		return raw
	}
	root := jsonscan.At(raw, start)
	if root.Get("type").View() == "message_start" {
		root = root.Get("message")
	}
	return jsonscan.WithText(raw, root.Get("model"), model)
}

// PutCost puts what a message cost into its usage: of a stream into that of
// message_delta, which has the last word.
func (Codec) PutCost(raw []byte, nano int64) []byte {
	start := bytes.IndexByte(raw, '{')
	if start < 0 {
		return raw
	}
	root := jsonscan.At(raw, start)
	return dialect.PutCost(raw, root.Get("usage"), nano)
}

// DropUnasked changes nothing: usage comes without being asked for.
func (Codec) DropUnasked(frames []byte) []byte { return frames }

// NothingToMeter reports whether a run of whole frames ends with content: nothing about the
// message as a whole, and no error. The message begins in the first frame and ends
// in the last ones, after all content. A server that leaves the events' names out is
// never dull.
func (Codec) NothingToMeter(frames []byte) bool {
	last := wire.Tail(frames, 1)
	return bytes.HasPrefix(last, []byte("event: content_block_")) && !bytes.Contains(last, []byte(`error`))
}
