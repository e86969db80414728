package maker

import (
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
	"time"

	"stele/internal/media"
)

// life is what will become of a piece of work. It is the ticket, too.
type life struct {
	Key       string        `json:"key"`
	Workspace string        `json:"tenant,omitzero"`
	At        time.Time     `json:"at"`
	Kind      string        `json:"kind"`
	Outputs   int           `json:"outputs"`
	Bytes     int64         `json:"bytes,omitzero"`
	Seconds   float64       `json:"seconds,omitzero"`
	Seed      uint64        `json:"seed"`
	Queue     time.Duration `json:"queue,omitzero"`
	Work      time.Duration `json:"work,omitzero"`
	Wait      time.Duration `json:"wait,omitzero"`
	Paced     bool          `json:"paced,omitzero"` // looked at every Wait and no sooner
	Expire    time.Duration `json:"expire,omitzero"`
	Forever   bool          `json:"forever,omitzero"`
	Silent    bool          `json:"silent,omitzero"`
	Lose      bool          `json:"lose,omitzero"`
	Hang      bool          `json:"hang,omitzero"`
	Fail      media.Class   `json:"fail,omitzero"`

	Refuse     media.Class   `json:"-"`
	Refusals   int           `json:"-"`
	RetryAfter time.Duration `json:"-"`
}

func (l life) ends() time.Time { return l.At.Add(l.Queue + l.Work) }

const (
	longest   = 24 * time.Hour
	mostBytes = 64 << 20
)

// mark is where orders stand in a prompt: [[sandbox: work=2s fail=content_policy]].
var mark = regexp.MustCompile(`(?is)\[\[\s*sandbox\s*:(.*?)\]\]`)

// codes are the classes behind the codes that a task may fail with.
var codes = map[string]media.Class{
	"generation_failed": media.ModelFailed, "content_policy": media.PolicyOutput, "invalid_input": media.BadInput,
	"provider_unavailable": media.Quota, "provider_rejected_credentials": media.Auth, "timeout": media.Late, "canceled": media.Stopped,
}

// order is one thing that can be ordered. It reports whether the value was good.
type order struct {
	name, form string
	set        func(l *life, value string) bool
}

var book = []order{
	{"pending", "", func(l *life, v string) bool { l.Forever = v == ""; return v == "" }},
	{"queue", "1s", func(l *life, v string) bool { return span(&l.Queue, v) }},
	{"work", "2s", func(l *life, v string) bool { return span(&l.Work, v) }},
	{"delay", "2s", func(l *life, v string) bool { return span(&l.Work, v) }},
	{"poll", "500ms", func(l *life, v string) bool { l.Paced = true; return span(&l.Wait, v) && l.Wait > 0 }},
	{"error", "content_policy", func(l *life, v string) bool { l.Fail = codes[v]; return l.Fail != "" }},
	{"refuse", "rate", func(l *life, v string) bool {
		l.Refuse, l.Refusals = media.Class(v), max(l.Refusals, 1)
		return l.Refuse == media.Rate || l.Refuse == media.Concurrency || l.Refuse == media.Transient || l.Refuse == media.BadInput ||
			l.Refuse == media.PolicyInput || l.Refuse == media.Auth || l.Refuse == media.Quota
	}},
	{"refusals", "2", func(l *life, v string) bool { return count(&l.Refusals, v, 1, 1000) }},
	{"retry_after", "3s", func(l *life, v string) bool { return span(&l.RetryAfter, v) }},
	{"lose_answer", "", func(l *life, v string) bool { l.Lose = v == ""; return v == "" }},
	{"hang", "", func(l *life, v string) bool { l.Hang = v == ""; return v == "" }},
	{"silence", "", func(l *life, v string) bool { l.Silent = v == ""; return v == "" }},
	{"expire", "30s", func(l *life, v string) bool { return span(&l.Expire, v) && l.Expire > 0 }},
	{"outputs", "2", func(l *life, v string) bool { return count(&l.Outputs, v, 1, 16) }},
	{"bytes", "1000000", func(l *life, v string) bool {
		var n int
		ok := count(&n, v, 0, mostBytes)
		l.Bytes = int64(n)
		return ok
	}},
}

// readLife makes a life of the orders in a prompt.
func readLife(req media.Request) (life, error) {
	l := life{Kind: req.Model.MediaType, Outputs: 1, Seconds: 1, Wait: 250 * time.Millisecond}
	if n := req.Int("n"); n > 0 {
		l.Outputs = int(n)
	}
	if seconds := req.Float("duration"); seconds > 0 {
		l.Seconds = seconds
	}
	if l.Seed = uint64(req.Int("seed")); !req.Has("seed") {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(req.Prompt))
		l.Seed = hash.Sum64()
	}
	for _, found := range mark.FindAllStringSubmatch(req.Prompt, -1) {
		for _, word := range strings.FieldsFunc(found[1], func(r rune) bool { return strings.ContainsRune(" \t\n\r,;", r) }) {
			name, value, _ := strings.Cut(word, "=")
			if err := l.obey(strings.ToLower(name), value); err != nil {
				return l, err
			}
		}
	}
	return l, nil
}

func (l *life) obey(name, value string) error {
	var names []string
	for _, o := range book {
		if o.name == name {
			if o.set(l, value) {
				return nil
			}
			form := o.name
			if o.form != "" {
				form += "=" + o.form
			}
			return refuseOrder("The sandbox cannot obey " + name + "=" + strconv.Quote(value) + "; write it as " + form + ".")
		}
		names = append(names, o.name)
	}
	return refuseOrder("The sandbox does not know the order " + strconv.Quote(name) + "; it knows " + strings.Join(names, ", ") + ".")
}

func refuseOrder(text string) error { return &media.Failure{Class: media.BadInput, Message: text} }

// span reads 2s, 200ms, or a number of seconds.
func span(d *time.Duration, v string) bool {
	if seconds, err := strconv.ParseFloat(v, 64); err == nil {
		v = strconv.FormatFloat(seconds, 'f', 3, 64) + "s"
	}
	parsed, err := time.ParseDuration(v)
	*d = parsed
	return err == nil && parsed >= 0 && parsed <= longest
}

func count(n *int, v string, least, most int) bool {
	parsed, err := strconv.Atoi(v)
	*n = parsed
	return err == nil && parsed >= least && parsed <= most
}
