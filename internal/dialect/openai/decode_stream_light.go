package openai

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/wire"
)

// meterReader reads a stream that passes through only as far as metering needs.
// Nearly all frames are told by what they do not have, without reading them.
type meterReader struct {
	ended  bool
	hidden bool
}

// Hidden reports whether the last frame told nothing but usage.
func (d *meterReader) Hidden() bool { return d.hidden }

// Decode appends Counted and Finish where a frame tells them.
func (d *meterReader) Decode(events []chat.Event, frame wire.Frame) ([]chat.Event, error) {
	d.hidden = false
	data := bytes.TrimSpace(frame.Data)
	if len(data) == 0 {
		return events, nil
	}
	if bytes.Equal(data, done) {
		d.ended = true
		return append(events, chat.Event{Kind: chat.Finish, Last: true}), nil
	}
	g := glance(data)
	failed := g.err || !g.choices || len(frame.Event) > 0
	if !failed && !g.usage && !g.finish {
		return events, nil
	}
	root := gjson.Parse(view(data))
	if failed {
		if e := frameFailure(root, frame); e != nil {
			return events, e
		}
	}
	return d.read(events, root), nil
}

// read appends what a frame tells that has an end or usage in it.
func (d *meterReader) read(events []chat.Event, root gjson.Result) []chat.Event {
	var choices, usage gjson.Result
	root.ForEach(func(key, v gjson.Result) bool {
		switch {
		case key.Str == "choices" && v.IsArray():
			choices = v
		case key.Str == "usage" && v.IsObject():
			usage = v
		case key.Str == "x_groq" && !usage.IsObject():
			usage = v.Get("usage")
		}
		return true
	})
	said := false
	choices.ForEach(func(_, choice gjson.Result) bool {
		if !choice.IsObject() {
			return true
		}
		said = true
		choice.ForEach(func(key, v gjson.Result) bool {
			switch {
			case key.Str == "finish_reason" && v.Type == gjson.String && v.Str != "":
				d.ended = true
				events = append(events, chat.Event{Kind: chat.Finish, Stop: readFinish(strings.Clone(v.Str), false)})
			case key.Str == "usage" && !usage.IsObject():
				usage = v // one server has it here
			}
			return true
		})
		return true
	})
	if u := readUsage(usage); u.Known {
		d.hidden = !said
		events = append(events, chat.Event{Kind: chat.Counted, Usage: u})
	}
	return events
}

// glimpse is which members a frame has, at any depth, that are not null, and
// which of several frames' lines are more than plain data.
type glimpse struct{ usage, finish, err, choices, done, event bool }

// glance looks only at what stands around colons. A name cannot be mistaken for
// one inside a string: there its quotes are escaped.
func glance(data []byte) (g glimpse) {
	for i := 0; ; i++ {
		n := bytes.IndexByte(data[i:], ':')
		if n < 0 {
			return g
		}
		i += n
		before := data[:i]
		for len(before) > 0 && before[len(before)-1] <= ' ' {
			before = before[:len(before)-1]
		}
		const shortest = len(`"error"`)
		if len(before) < shortest || before[len(before)-1] != '"' {
			g.line(before, data[i+1:])
			continue
		}
		var found *bool
		switch before = before[:len(before)-1]; before[len(before)-1] {
		case 'e':
			found = named(before, `"usage`, &g.usage)
		case 'n':
			found = named(before, `"finish_reason`, &g.finish)
		case 'r':
			found = named(before, `"error`, &g.err)
		case 's':
			found = named(before, `"choices`, &g.choices)
		}
		if found != nil && !*found {
			*found = !bytes.HasPrefix(bytes.TrimLeft(data[i+1:], " \t\r\n"), []byte("null"))
		}
	}
}

// line looks at a colon that follows no member's name.
func (g *glimpse) line(before, after []byte) {
	switch {
	case bytes.HasSuffix(before, []byte("data")):
		g.done = g.done || bytes.HasPrefix(bytes.TrimLeft(after, " \t"), done)
	case bytes.HasSuffix(before, []byte("event")):
		g.event = true
	}
}

func named(before []byte, key string, place *bool) *bool {
	if len(before) >= len(key) && string(before[len(before)-len(key):]) == key {
		return place
	}
	return nil
}
