package dialect

import (
	"bytes"
	"slices"
	"strconv"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// Asked is what a request says about how much it may take, and for whom.
type Asked struct {
	Output  int64  // the most tokens of one answer; 0: it does not say
	Answers int64  // how many there will be, at least one
	User    string // the end user; "" where it names none

	Pictures  int64 // there may be so many in it
	Tools     bool  // there may be tools in it
	Documents bool  // there may be something in it whose length tells nothing: pages, sound, films
}

// pictureMark is in a body as often as pictures are, or more often; documentMarks are
// where something else is that is no text.
var (
	pictureMark   = []byte(`"image`)
	toolsMark     = []byte(`"tools"`)
	documentMarks = [][]byte{
		[]byte(`"document"`), []byte(`"file`), []byte(`"input_audio"`), []byte(`"inline`), []byte(`"video`), []byte(`"audio_url"`), []byte(`"cachedContent"`),
	}
)

// terms are where the dialects say so. Of several names the first that is there counts.
var terms = map[string]struct {
	within  []string // the member that has output and answers; none: the body itself
	output  []string
	answers []string
	person  []string // the member that has user; none: the body itself
	user    []string
}{
	"openai":    {output: []string{"max_completion_tokens", "max_tokens"}, answers: []string{"n"}, user: []string{"safety_identifier", "user"}},
	"anthropic": {output: []string{"max_tokens"}, person: []string{"metadata"}, user: []string{"user_id"}},
	"gemini": {
		within: []string{"generationConfig", "generation_config"}, output: []string{"maxOutputTokens", "max_output_tokens"},
		answers: []string{"candidateCount", "candidate_count"}, person: []string{"labels"}, user: []string{"user", "user_id"},
	},
}

// ReadAsked looks at a request's own bytes, which need not be understood for it.
func ReadAsked(req *chat.Request) Asked {
	a, body := readMembers(req), req.Origin.Body
	a.Pictures, a.Tools = int64(bytes.Count(body, pictureMark)), bytes.Contains(body, toolsMark)
	for _, mark := range documentMarks {
		a.Documents = a.Documents || bytes.Contains(body, mark)
	}
	return a
}

// EndUser is whom a request is for, as it says; "" where it does not.
func EndUser(req *chat.Request) string { return readMembers(req).User }

// readMembers reads what single members say. The longest, which is none of them, is leapt over.
func readMembers(req *chat.Request) Asked {
	t := terms[req.Origin.Dialect]
	var output, answers, user pick
	for key, v := range Members(req) {
		switch {
		case slices.Contains(t.within, key.Name):
			for key, v := range v.Members() {
				output.see(t.output, key.Name, v)
				answers.see(t.answers, key.Name, v)
			}
		case slices.Contains(t.person, key.Name):
			for key, v := range v.Members() {
				user.see(t.user, key.Name, v)
			}
		case len(t.within) == 0:
			output.see(t.output, key.Name, v)
			answers.see(t.answers, key.Name, v)
		}
		if len(t.person) == 0 {
			user.see(t.user, key.Name, v)
		}
	}
	a := Asked{Answers: 1}
	if n, ok := output.Int(); ok && n > 0 {
		a.Output = n
	}
	if n, ok := answers.Int(); ok && n > 1 {
		a.Answers = n
	}
	a.User, _ = user.Text()
	return a
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
	return req.Shortened(shortened(req, most), most, loss)
}

func shortened(req *chat.Request, most int64) []byte {
	t, body := terms[req.Origin.Dialect], req.Origin.Body
	if body == nil || len(t.output) == 0 {
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
			edits.Append(outer, t.within[0], []byte(`{"`+t.output[0]+`":`+string(number)+`}`))
		}
		outer = inner
	}
	if outer.Exists() {
		var bound pick
		for key, v := range outer.Members() {
			bound.see(t.output, key.Name, v)
		}
		if bound.rank > 0 {
			edits.Replace(bound.Value, number)
		} else {
			edits.Append(outer, t.output[len(t.output)-1], number)
		}
	}
	changed, err := edits.Apply(body)
	if err != nil {
		return body // it was valid before: this cannot be
	}
	return changed
}
