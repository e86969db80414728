package playground

import (
	"math"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/price"
	"stele/internal/wire"
)

// The events of an answer, in the order in which they come: start, then open and
// any number of deltas for each part, then end. An error may take the place of
// whatever comes next.
type (
	startEvent struct {
		Type      string      `json:"type"`
		Request   string      `json:"request"`
		Served    string      `json:"served,omitempty"` // provider/model; "" where the operator hides it
		FirstByte int64       `json:"first_byte_ms"`
		Dropped   []shortfall `json:"dropped,omitempty"`
	}
	openEvent struct {
		Type string `json:"type"`
		Kind string `json:"kind"`
		ID   string `json:"id,omitempty"` // of a tool call
		Name string `json:"name,omitempty"`
	}
	deltaEvent struct {
		Type      string        `json:"type"`
		Text      string        `json:"text,omitempty"`
		Citations []citedSource `json:"citations,omitempty"`
		Media     *shownMedia   `json:"media,omitempty"`
	}
	endEvent struct {
		Type        string        `json:"type"`
		Reason      string        `json:"reason"`
		Explanation string        `json:"explanation,omitempty"`
		Usage       countedTokens `json:"usage"`
		Cost        string        `json:"cost,omitempty"` // "" where it is not known
		Took        int64         `json:"took_ms"`
	}
	errorEvent struct {
		Type    string `json:"type"`
		Code    string `json:"code"`
		Status  int    `json:"status"`
		Message string `json:"message"`
		Retry   int64  `json:"retry_after,omitzero"` // seconds
		Request string `json:"request"`
	}
)

type citedSource struct {
	URL   string `json:"url,omitempty"`
	Title string `json:"title,omitempty"`
	Quote string `json:"quote,omitempty"`
}

type shownMedia struct {
	MIME   string `json:"mime"`
	Base64 string `json:"base64,omitempty"`
	URL    string `json:"url,omitempty"`
}

// countedTokens are tokens, counted in classes that do not overlap.
type countedTokens struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read,omitzero"`
	CacheWrite int64 `json:"cache_write,omitzero"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning,omitzero"`
	Estimated  bool  `json:"estimated,omitzero"`
}

var talkKinds = map[chat.Kind]string{
	chat.Text: "text", chat.Thought: "thinking", chat.Redacted: "hidden", chat.ToolCall: "tool", chat.Refusal: "refusal",
	chat.Image: "image", chat.Audio: "audio", chat.Video: "video", chat.Document: "document",
}

var talkReasons = map[chat.Reason]string{
	chat.EndTurn: "end", chat.StopSequence: "stop", chat.MaxTokens: "length", chat.ToolUse: "tool", chat.Refused: "refused",
	chat.Paused: "paused", chat.Failed: "failed", chat.Other: "other",
}

// talkRun is one question of the playground on its way.
type talkRun struct {
	feed    *wire.EventWriter
	began   time.Time
	request string
	size    int                                        // bytes of the request
	cost    func(*chat.Reply, chat.Usage) catalog.Cost // nil: there is no such model
}

// tell writes a reply until its end.
func (r *talkRun) tell(reply *chat.Reply) error {
	start := startEvent{
		Type: "start", Request: r.request, Served: reply.Served, FirstByte: time.Since(r.began).Milliseconds(), Dropped: shortfalls(reply.Dropped),
	}
	if err := r.say(start, false); err != nil {
		return err
	}
	stream := reply.Stream
	if stream == nil {
		stream = chat.Replay(reply.Whole)
	}
	for chunk, err := range stream {
		if err != nil {
			return err
		}
		for i := range chunk.Events {
			more := chunk.More || i < len(chunk.Events)-1
			if err := r.takeEvent(&chunk.Events[i], reply, more); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *talkRun) takeEvent(e *chat.Event, reply *chat.Reply, more bool) error {
	switch e.Kind {
	case chat.Open:
		kind, ok := talkKinds[e.Part.Kind]
		if !ok {
			kind = "other"
		}
		return r.say(openEvent{Type: "open", Kind: kind, ID: e.Part.ID, Name: e.Part.Name}, more)
	case chat.Delta:
		d := deltaEvent{Type: "delta", Text: e.Part.Text}
		if e.Part.Kind == chat.Redacted { // only its model can read it
			d.Text = ""
		}
		for _, c := range e.Part.Citations {
			d.Citations = append(d.Citations, citedSource{c.URL, c.Title, c.Quote})
		}
		if m := e.Part.Media; m != nil {
			d.Media = &shownMedia{m.Type, m.Base64, m.URL}
		}
		return r.say(d, more)
	case chat.Finish:
		return r.say(r.end(e, reply), more)
	}
	return nil
}

func (r *talkRun) end(e *chat.Event, reply *chat.Reply) endEvent {
	u := e.Usage
	if !u.Known && reply.Seen != nil {
		u = reply.Seen.UsageToMeter(r.size)
	}
	end := endEvent{
		Type: "end", Reason: talkReasons[e.Stop.Reason], Explanation: e.Stop.Explanation, Took: time.Since(r.began).Milliseconds(),
		Usage: countedTokens{u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning, !u.Known},
	}
	if end.Explanation == "" && e.Stop.Reason == chat.Refused {
		end.Explanation = e.Stop.Category
	}
	if r.cost != nil {
		if cost := r.cost(reply, u); cost.Known {
			end.Cost = price.Amount(cost.Nano).Rounded()
		}
	}
	return end
}

func (r *talkRun) fail(e *fault.Error) error {
	return r.say(errorEvent{
		Type: "error", Code: string(e.Code), Status: e.Code.Status(), Message: e.Message, Request: r.request,
		Retry: int64(math.Ceil(e.RetryAfter.Seconds())),
	}, false)
}
