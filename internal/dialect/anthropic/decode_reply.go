package anthropic

import (
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// DecodeReply reads a whole answer. Compatible upstreams leave much out; what
// is there counts.
func (Codec) DecodeReply(body []byte) (*chat.WholeReply, error) {
	root, err := parseReply(body)
	if err != nil {
		return nil, err
	}
	var answer chat.Answer
	var usage counts
	var others dialect.Others
	r := &chat.WholeReply{}
	said := false
	for key, v := range root.Members() {
		switch key.Name {
		case "id":
			r.ID = anyText(v)
		case "model":
			r.Model = anyText(v)
		case "content":
			said = true
			read := newReader(true)
			answer.Parts = putCarriedBack(read.readBlocks(v, key.Name, &read.part))
		case "usage":
			usage.add(v)
			countOthers(&others, v)
			r.Tier = v.Get("service_tier").View()
		default:
			seeBeside(&others, key.Name, v)
		}
	}
	if !said {
		return nil, dialect.Unreadable(body)
	}
	called, useful := false, false
	for i := range answer.Parts {
		p := &answer.Parts[i]
		called, useful = called || p.Kind == chat.ToolCall, useful || p.Kind != chat.Thought
		p.At = 0 // where it was is of no use to a client
	}
	if root.Get("stop_reason").View() == "" {
		r.Notes = append(r.Notes, dialect.LossOfEnd())
	}
	stop := readStop(root)
	if stop.Reason == chat.Failed || !useful && dialect.IsSpoiltEnd(stop.Raw) {
		return nil, chat.BrokenError(dialect.Cause(0, body))
	}
	answer.Stop = chat.Settle(stop, called)
	r.Answers, r.Usage, r.Notes = []chat.Answer{answer}, usage.usage(), append(r.Notes, others.TakeLosses()...)
	return r, nil
}

// seeBeside learns of a member of a message that the common answer has no place for, be it whole,
// at the beginning of a stream or at its end.
func seeBeside(others *dialect.Others, name string, v jsonscan.Value) {
	switch name {
	case "id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "stop_details", "usage":
	default:
		others.See(name, v)
	}
}

// CountReply reads of a whole answer only what metering needs, and whether it is one.
func (Codec) CountReply(body []byte) (*chat.WholeReply, error) {
	root, err := parseReply(body)
	if err != nil {
		return nil, err
	}
	if !root.Get("content").Exists() {
		return nil, dialect.Unreadable(body)
	}
	var usage counts
	usage.add(root.Get("usage"))
	return &chat.WholeReply{Usage: usage.usage()}, nil
}

// parseReply is an answer that is no error.
func parseReply(body []byte) (jsonscan.Value, error) {
	root, err := jsonscan.Parse(body, jsonscan.Lenient)
	switch {
	case err != nil:
		return root, dialect.Unreadable(body)
	case root.Get("type").View() == "error", root.Get("error").Kind() == jsonscan.Object:
		return root, readFailure(body)
	}
	return root, nil
}
