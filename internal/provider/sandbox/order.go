package sandbox

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/chat"
)

// never stands for a count that was not ordered.
const never = -1

// The bounds of what can be ordered.
const (
	mostDelay = 10 * time.Minute
	mostWords = 10_000
	mostAfter = 1_000_000
	mostMarks = 100 // pairs of brackets
	mostTimes = 1_000
)

// orders are what the prompt tells the sandbox to do.
type orders struct {
	delay, gap            time.Duration
	status                int // of the failure; 0: none
	retryAfter            time.Duration
	failAfter             int // words
	cut                   int // chunks
	silence               bool
	silenceAfter          int // words
	malformed             bool
	refuse, filter        bool
	redacted              bool
	words, think          int
	window                int // tokens of a prompt; 0: any number
	finish                chat.Reason
	tools                 []string
	times                 int // each of them is called in a turn
	arguments             *string
	text                  *string
	counted               bool // usage was ordered:
	usageInput, usageWord int64
}

func noOrders() orders {
	return orders{failAfter: never, cut: never, silenceAfter: never, words: never, think: never, times: 1}
}

// order is one thing that can be ordered. Set reports whether the value was good.
type order struct {
	name string
	form string // of the value, for people; "": takes none
	set  func(o *orders, value string) bool
}

// book lists every order, in the order help shows them.
var book = []order{
	{"delay", "2s", func(o *orders, v string) bool { return span(&o.delay, v, mostDelay) }},
	{"gap", "200ms", func(o *orders, v string) bool { return span(&o.gap, v, mostDelay) }},
	{"error", "429", func(o *orders, v string) bool {
		n, err := strconv.Atoi(v)
		_, known := failures[n]
		o.status = n
		return err == nil && known
	}},
	{"retry_after", "3", func(o *orders, v string) bool { return span(&o.retryAfter, v, 24*time.Hour) }},
	{"error_after", "5", func(o *orders, v string) bool { return number(&o.failAfter, v, 0, mostAfter) }},
	{"cut", "5", func(o *orders, v string) bool { return number(&o.cut, v, 0, mostAfter) }},
	{"silence", "", func(o *orders, v string) bool { return flag(&o.silence, v) }},
	{"silence_after", "5", func(o *orders, v string) bool { return number(&o.silenceAfter, v, 0, mostAfter) }},
	{"malformed", "", func(o *orders, v string) bool { return flag(&o.malformed, v) }},
	{"words", "50", func(o *orders, v string) bool { return number(&o.words, v, 1, mostWords) }},
	{"window", "8000", func(o *orders, v string) bool { return number(&o.window, v, 1, mostAfter) }},
	{"refuse", "", func(o *orders, v string) bool { return flag(&o.refuse, v) }},
	{"filter", "", func(o *orders, v string) bool { return flag(&o.filter, v) }},
	{"finish", "length|stop|tool|refusal", func(o *orders, v string) bool {
		o.finish = reasons[v]
		return o.finish != 0
	}},
	{"think", "20", func(o *orders, v string) bool { return number(&o.think, v, 0, mostWords) }},
	{"redacted", "", func(o *orders, v string) bool { return flag(&o.redacted, v) }},
	{"tool", "name", func(o *orders, v string) bool { return names(&o.tools, v) && len(o.tools) == 1 }},
	{"tools", "a,b", func(o *orders, v string) bool { return names(&o.tools, v) }},
	{"times", "5", func(o *orders, v string) bool { return number(&o.times, v, 1, mostTimes) }},
	{"arguments", `"{…}"`, func(o *orders, v string) bool {
		o.arguments = &v
		return true
	}},
	{"text", `"…"`, func(o *orders, v string) bool {
		o.text = &v
		return true
	}},
	{"usage", "in:out", func(o *orders, v string) bool {
		in, out, ok := strings.Cut(v, ":")
		o.counted = true
		return ok && tokens(&o.usageInput, in) && tokens(&o.usageWord, out)
	}},
}

var reasons = map[string]chat.Reason{
	"length": chat.MaxTokens, "stop": chat.EndTurn, "tool": chat.ToolUse, "refusal": chat.Refused,
}

// obey takes one order over, or refuses it.
func (o *orders) obey(name, value string) error {
	at := slices.IndexFunc(book, func(b order) bool { return b.name == name })
	if at < 0 {
		return refuseField("messages", "The sandbox does not know the order %q; it knows %s.", clip(name, 4, 40), strings.Join(orderNames(), ", ")).
			With("got", clip(name, 4, 40)).With("allowed", orderNames())
	}
	if b := book[at]; !b.set(o, value) {
		form := b.name
		if b.form != "" {
			form += "=" + b.form
		}
		return refuseField("messages", "The sandbox cannot obey %s=%q; write it as %s.", b.name, clip(value, 4, 40), form).With("got", clip(value, 4, 40))
	}
	return nil
}

func orderNames() []string {
	list := make([]string, len(book))
	for i, b := range book {
		list[i] = b.name
	}
	return list
}

// span reads 2s, 200ms, or a number of seconds.
func span(d *time.Duration, v string, most time.Duration) bool {
	if seconds, err := strconv.ParseFloat(v, 64); err == nil {
		if !(seconds >= 0 && seconds <= most.Seconds()) {
			return false
		}
		*d = time.Duration(math.Round(seconds * float64(time.Second)))
		return true
	}
	parsed, err := time.ParseDuration(v)
	*d = parsed
	return err == nil && parsed >= 0 && parsed <= most
}

func number(n *int, v string, least, most int) bool {
	parsed, err := strconv.Atoi(v)
	*n = parsed
	return err == nil && parsed >= least && parsed <= most
}

func tokens(n *int64, v string) bool {
	parsed, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	*n = parsed
	return err == nil && parsed >= 0 && parsed <= 1e12
}

func flag(b *bool, v string) bool {
	*b = v == "" || v == "true"
	return *b || v == "false"
}

func names(list *[]string, v string) bool {
	*list = nil
	for name := range strings.SplitSeq(v, ",") {
		if len(*list) == mostCalls {
			return false
		}
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	return len(*list) > 0
}
