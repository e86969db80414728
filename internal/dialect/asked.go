package dialect

import (
	"bytes"
	"slices"
	"strconv"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// terms are where a dialect says how much a request may take, and for whom. Of several
// names the first that is there counts.
type terms struct {
	within  []string // the member that has outputs and counts; none: the body itself
	outputs []string // the most tokens of one answer
	counts  []string // how many answers
	person  []string // the member that has users; none: the body itself
	users   []string
	speeds  []string // how fast it is to come
}

var termsOf = map[string]terms{
	"openai":    {outputs: []string{"max_completion_tokens", "max_tokens"}, counts: []string{"n"}, users: []string{"safety_identifier", "user"}},
	"anthropic": {outputs: []string{"max_tokens"}, person: []string{"metadata"}, users: []string{"user_id"}, speeds: []string{"speed"}},
	"gemini": {
		within: []string{"generationConfig", "generation_config"}, outputs: []string{"maxOutputTokens", "max_output_tokens"},
		counts: []string{"candidateCount", "candidate_count"}, person: []string{"labels"}, users: []string{"user", "user_id"},
	},
}

// asking finds what a body says of how much it may take among its members.
type asking struct {
	terms
	output, answers, user, speed pick
}

func (a *asking) see(name string, v jsonscan.Value) {
	switch {
	case slices.Contains(a.within, name):
		for key, v := range v.Members() {
			a.noteBound(key.Name, v)
		}
	case slices.Contains(a.person, name):
		for key, v := range v.Members() {
			a.user.see(a.users, key.Name, v)
		}
	case len(a.within) == 0:
		a.noteBound(name, v)
	}
	a.speed.see(a.speeds, name, v)
	if len(a.person) == 0 {
		a.user.see(a.users, name, v)
	}
}

func (a *asking) noteBound(name string, v jsonscan.Value) {
	a.output.see(a.outputs, name, v)
	a.answers.see(a.counts, name, v)
}

// toAsked returns what was found, beside what a walk looks for in all strings.
func (a *asking) toAsked(report *jsonscan.Report) (found chat.Asked) {
	if n, ok := a.output.Int(); ok && n > 0 {
		found.Output = n
	}
	if n, ok := a.answers.Int(); ok && n > 1 {
		found.Answers = n
	}
	found.User, _ = a.user.Text()
	found.Fast = a.speed.Exists() && a.speed.View() != "standard"
	found.Pictures, found.Tools = report.Found(picture), report.Found(tools)
	found.Documents = report.Hidden(picture) // which cannot be counted
	for mark := documents; mark < lastMark; mark++ {
		found.Documents = found.Documents || report.Found(mark)
	}
	return found
}

// Pictures is how many pictures there are in a request at most. Its body is searched for
// them where it has any.
func Pictures(req *chat.Request) int64 {
	if !req.Origin.Facts.Asked.Pictures {
		return 0
	}
	return int64(bytes.Count(req.Origin.Body, []byte(pictureMark)))
}

// pick is the value of the first of several names.
type pick struct {
	jsonscan.Value
	rank int // the place of its name, counted from the end
}

func (p *pick) see(names []string, name string, v jsonscan.Value) {
	if i := slices.Index(names, name); i >= 0 && len(names)-i > p.rank && !v.Absent() {
		p.Value, p.rank = v, len(names)-i
	}
}

// Shorten is a request whose answers have at most so many tokens each, in bytes and meaning.
func Shorten(req *chat.Request, most int64, note string) *chat.Request {
	loss := chat.Lost(chat.FieldMaxTokens, chat.Added, note)
	return req.WithMostTokens(shortenBody(req, most), most, loss)
}

func shortenBody(req *chat.Request, most int64) []byte {
	t, body := termsOf[req.Origin.Dialect], req.Origin.Body
	if body == nil || len(t.outputs) == 0 {
		return body
	}
	number := []byte(strconv.FormatInt(most, 10))
	var edits jsonscan.Edits
	outer := jsonscan.Root(body)
	if len(t.within) > 0 {
		inner := outer.Get(t.within[0])
		if inner.Absent() {
			inner = outer.Get(t.within[1])
		}
		if inner.Kind() != jsonscan.Object {
			inner = jsonscan.Value{}
			edits.Append(outer, t.within[0], []byte(`{"`+t.outputs[0]+`":`+string(number)+`}`))
		}
		outer = inner
	}
	if outer.Exists() {
		var bound pick
		for key, v := range outer.Members() {
			bound.see(t.outputs, key.Name, v)
		}
		if bound.rank > 0 {
			edits.Replace(bound.Value, number)
		} else {
			edits.Append(outer, t.outputs[len(t.outputs)-1], number)
		}
	}
	changed, err := edits.Apply(body)
	if err != nil {
		return body // it was valid before: this cannot be
	}
	return changed
}
