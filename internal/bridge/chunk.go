package bridge

import (
	"errors"
	"io"

	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// mostEvent is how long an event of the server may be: a picture may be in one.
const mostEvent = 64 << 20

// errCutShort says that the server's stream broke off.
var errCutShort = fault.New(fault.UpstreamError, "The answer broke off before its end.")

// follow reads the server's stream into the answer, to its end.
func (a *answer) follow(stream io.Reader) error {
	frames := wire.NewSSE(stream, mostEvent)
	defer frames.Close()
	for {
		frame, err := frames.Next()
		switch {
		case errors.Is(err, io.EOF) && a.reason != "":
			return nil // some leave out the last word
		case err != nil:
			return errCutShort
		case string(frame.Data) == "[DONE]":
			if a.reason == "" {
				return errCutShort
			}
			return nil
		case len(frame.Data) == 0:
			continue
		}
		root, err := jsonscan.Parse(frame.Data, jsonscan.Lenient)
		if err != nil {
			return fault.New(fault.UpstreamError, "The server's stream is not valid.").Because(err)
		}
		a.more = !frames.Waiting()
		if err := a.chunk(root); err != nil {
			return err
		}
	}
}

// chunk takes one chunk over.
func (a *answer) chunk(root jsonscan.Value) error {
	if e := root.Get("error"); !e.Absent() {
		return &failure{code: text(e.Get("code")), message: text(e.Get("message"))}
	}
	if usage := root.Get("usage"); !usage.Absent() {
		a.usage = readUsage(usage)
	}
	if tier := root.Get("service_tier").View(); tier != "" {
		a.tier = text(root.Get("service_tier"))
	}
	choice := root.Get("choices").Index(0)
	if err := a.delta(choice.Get("delta")); err != nil {
		return err
	}
	if reason, ok := choice.Get("finish_reason").Text(); ok {
		a.reason = reason
	}
	return nil
}

// failure is an error that the server told in the middle of its stream.
type failure struct{ code, message string }

func (f *failure) Error() string { return f.code + ": " + f.message }

// text is a string in memory of its own.
func text(v jsonscan.Value) string {
	s, _ := v.Text()
	return s
}

// delta takes over what is new.
func (a *answer) delta(delta jsonscan.Value) error {
	for key, v := range delta.Members() {
		var err error
		switch key.Name {
		case "reasoning_content":
			err = a.think(v.View())
		case "reasoning": // some servers say it by both names
			if delta.Get("reasoning_content").Absent() {
				err = a.think(v.View())
			}
		case "reasoning_details":
			err = a.detail(v)
		case "content":
			err = a.say(v.View(), false)
		case "refusal":
			err = a.say(v.View(), true)
		case "annotations":
			err = a.cite(v)
		case "images":
			err = a.draw(v)
		case "extra_content":
			a.sign("", v)
		case "tool_calls":
			for _, one := range v.Elements() {
				if err == nil {
					err = a.call(one)
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// usage is what an answer took.
type usage struct {
	known                                         bool
	input, cached, written, output, reason, total int64
}

func readUsage(v jsonscan.Value) usage {
	number := func(path ...string) int64 {
		n, _ := v.Get(path...).Int()
		return n
	}
	return usage{
		known: true, input: number("prompt_tokens"), output: number("completion_tokens"), total: number("total_tokens"),
		cached: number("prompt_tokens_details", "cached_tokens"), written: number("prompt_tokens_details", "cache_write_tokens"),
		reason: number("completion_tokens_details", "reasoning_tokens"),
	}
}

func (u usage) write(w *jsonscan.Writer) {
	if !u.known {
		w.Null()
		return
	}
	w.Open(object).Key("input_tokens").Int(u.input)
	w.Key("input_tokens_details").Open(object).Key("cached_tokens").Int(u.cached).Key("cache_write_tokens").Int(u.written).Close(object)
	w.Key("output_tokens").Int(u.output).Key("output_tokens_details").Open(object).Key("reasoning_tokens").Int(u.reason).Close(object)
	w.Key("total_tokens").Int(u.total).Close(object)
}
