package bridge

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// mostEvent is how long an event of the server may be: a picture may be in one.
const mostEvent = 64 << 20

// errCutShort says that the server's stream broke off.
var errCutShort = fault.New(fault.UpstreamError, "The answer broke off before its end.")

// follow reads the server's stream into the answer, to its end. It is read as the server
// reads its upstreams, because what passes through the server is as an upstream wrote it:
// calls without numbers, contents in lists, ends that are told twice, thoughts between tags among
// the words, marks of calls behind them, and marks of code around JSON.
func (a *answer) follow(stream io.Reader) error {
	frames := wire.NewSSE(stream, mostEvent)
	defer frames.Close()
	loose := chat.Unmark(chat.Untag(a.read(frames)))
	if kind := a.fields["text"].Get("format", "type").View(); kind == "json_schema" || kind == "json_object" {
		loose = chat.Unfence(loose)
	}
	for chunk, err := range chat.Tidy(loose) {
		if errors.Is(err, chat.ErrCut) {
			return errCutShort
		}
		if err == nil {
			err = a.take(chunk.Events)
		}
		if err != nil {
			return err
		}
	}
	return a.checkSummary()
}

// read is what the server's frames mean.
func (a *answer) read(frames *wire.SSE) chat.Stream {
	decoder := openai.Codec{}.NewDecoder(false)
	return func(yield func(chat.Chunk, error) bool) {
		for {
			frame, err := frames.Next()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(chat.Chunk{}, errCutShort)
				return
			}
			events, err := a.frame(decoder, frame)
			a.more = !frames.Waiting()
			if !yield(chat.Chunk{Events: events}, err) || err != nil {
				return
			}
			if n := len(events) - 1; n >= 0 && events[n].Last {
				return // nothing follows, even if the connection stays open
			}
		}
	}
}

// frame reads one frame. What its reader does not keep is taken from it here: thoughts
// in the form in which they go back.
func (a *answer) frame(decoder dialect.Decoder, frame wire.Frame) ([]chat.Event, error) {
	root, err := jsonscan.Parse(frame.Data, jsonscan.Lenient)
	if err != nil {
		return decoder.Decode(nil, frame)
	}
	if e := root.Get("error"); !e.Absent() {
		return nil, &failure{
			kind:    cmp.Or(text(e.Get("type")), serverError),
			code:    cmp.Or(text(e.Get("code")), serverError),
			message: cmp.Or(text(e.Get("message")), text(e), "The server told of an error without a word about it."),
		}
	}
	if tier := root.Get("service_tier").View(); tier != "" {
		a.tier = text(root.Get("service_tier"))
	}
	a.takeModeration(root.Get(moderation))
	if cost := root.Get("usage", "cost"); !cost.Absent() {
		a.usage.cost = slices.Clone(cost.Raw())
	}
	for _, v := range root.Get("choices").Index(0).Get("delta", "reasoning_details").Elements() {
		a.untold = append(a.untold, jsonscan.Root(v.AppendCompact(nil)))
	}
	return decoder.Decode(nil, frame)
}

// serverError is what an error is called of which no more is known.
const serverError = "server_error"

// failure is an error that the server told in the middle of its stream.
type failure struct{ kind, code, message string }

func (f *failure) Error() string { return f.code + ": " + f.message }

// responseCodes are those that an error in a response may have: OpenAI's types list them, and libraries with closed types read no
// others. The last are not in the types, but its service says them and Codex reads them: what to make shorter, and what not to try again.
var responseCodes = []string{
	serverError, "rate_limit_exceeded", "invalid_prompt", "data_residency_mismatch", "bio_policy", "misalignment_policy_violation", "vector_store_timeout",
	"invalid_image", "invalid_image_format", "invalid_base64_image", "invalid_image_url", "image_too_large", "image_too_small", "image_parse_error",
	"image_content_policy_violation", "invalid_image_mode", "image_file_too_large", "unsupported_image_media_type", "empty_image_file",
	"failed_to_download_image", "image_file_not_found",
	"context_length_exceeded", "insufficient_quota", "usage_not_included", "cyber_policy", "server_is_overloaded", "slow_down",
}

// writeIn writes it as a response has it. A code that is not among those of a response is the reason beside the one that is.
func (f *failure) writeIn(w *jsonscan.Writer) {
	code := f.code
	if !slices.Contains(responseCodes, code) {
		switch status, lasting := statusOf(code); {
		case status == http.StatusTooManyRequests:
			code = "rate_limit_exceeded"
		case lasting:
			code = "invalid_prompt" // Codex shows it, and tries all others five times more
		default:
			code = serverError
		}
	}
	w.Open(object).Key("code").Text(code).Key("message").Text(f.message).Key("type").Text(f.kind).Key("param").Null()
	if code != f.code {
		w.Key("reason").Text(f.code)
	}
	w.Close(object)
}

// write writes what an event says of it. OpenAI's types have it in the event itself, its
// service in a member error as well; the SDKs before version 7, and those of other
// languages, take an event for a failure by that member alone.
func (f *failure) write(w *jsonscan.Writer) {
	w.Key("code").Text(f.code).Key("message").Text(f.message).Key("param").Null()
}

// text is a string in memory of its own.
func text(v jsonscan.Value) string {
	s, _ := v.Text()
	return s
}

// take takes over what is new.
func (a *answer) take(events []chat.Event) error {
	for i := range events {
		a.said += len(events[i].Part.Text)
	}
	if a.shortens {
		a.takeSummary(events)
		return nil
	}
	for i := range events {
		e := &events[i]
		var err error
		switch e.Kind {
		case chat.Open:
			if e.Part.Kind != chat.Thought && e.Part.Kind != chat.Redacted {
				err = a.takeDetails()
			}
			if err == nil && e.Part.Kind == chat.ToolCall {
				err = a.callBegin(&e.Part)
			}
		case chat.Delta:
			err = a.takePiece(&e.Part)
		case chat.Close:
			if e.Part.Kind == chat.ToolCall {
				a.call.whole = true
			} else if e.Part.Kind == chat.Thought {
				err = a.takeDetails()
			}
		case chat.Finish:
			a.stop, a.usage.Usage = e.Stop, e.Usage
			a.loseAtEnd(e)
		case chat.Start, chat.Counted:
		}
		if err != nil {
			return err
		}
	}
	return a.takeDetails()
}

// takePiece takes over a piece of what is open.
func (a *answer) takePiece(p *chat.Part) error {
	switch p.Kind {
	case chat.Thought:
		return a.think(p.Text)
	case chat.Text:
		a.sign("", p.Proof)
		return errors.Join(a.say(p.Text, false, p.Logprobs), a.cite(p.Citations))
	case chat.Refusal:
		return a.say(p.Text, true, nil)
	case chat.ToolCall:
		return a.argue(p)
	case chat.Image:
		return a.draw(p)
	case chat.Audio:
		return a.sound(p)
	case chat.Video, chat.Document, chat.Opaque, chat.ToolResult, chat.Redacted:
	}
	return nil
}

// sound tells the words of a sound: this API has no item for what is heard.
func (a *answer) sound(p *chat.Part) error {
	if p.Text == "" {
		a.lose(chat.Dropped, "a sound")
		return nil
	}
	a.lose(chat.Approximated, "a sound as its words")
	return a.say(p.Text, false, nil)
}
