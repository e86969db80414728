package anthropic

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/fault"
)

// reading is a request or an answer while it is read: where we are in it, and
// the first thing that was not what it should be. Of answers nothing is demanded.
type reading struct {
	talk    *chat.Conversation
	loose   bool   // an answer: what does not fit is passed over
	base    string // where we are outside the messages, or ""
	message int    // index of the message, or -1
	part    int    // index of the block in it, or -1
	inner   int    // index of the block in that block, or -1
	err     error
}

func newReading(loose bool) *reading {
	return &reading{talk: new(chat.Conversation), loose: loose, message: -1, part: -1, inner: -1}
}

// where is the client's own spelling of a member of what is being read.
func (r *reading) where(key string) string {
	var b strings.Builder
	b.WriteString(r.base)
	if r.message >= 0 {
		b.WriteString("messages[" + strconv.Itoa(r.message) + "]")
	}
	for _, i := range []int{r.part, r.inner} {
		if i >= 0 {
			b.WriteString(".content[" + strconv.Itoa(i) + "]")
		}
	}
	if key != "" && b.Len() > 0 {
		b.WriteByte('.')
	}
	return b.String() + key
}

// wrong remembers that a member has the wrong type.
func (r *reading) wrong(key, want string) {
	if !r.loose && r.err == nil {
		field := r.where(key)
		r.err = fault.New(fault.InvalidRequestBody, "%s: %s is expected.", field, want).With("field", field)
	}
}

// bad remembers that a member has a value that cannot be.
func (r *reading) bad(key, format string, args ...any) {
	if !r.loose && r.err == nil {
		field := r.where(key)
		r.err = fault.New(fault.InvalidParameter, "%s: "+format, append([]any{field}, args...)...).With("field", field)
	}
}

func (r *reading) text(v gjson.Result, key string) string {
	if v.Type == gjson.String {
		return v.Str
	}
	if v.Exists() && v.Type != gjson.Null {
		r.wrong(key, "a string")
	}
	return ""
}

func (r *reading) flag(v gjson.Result, key string) bool {
	if v.Exists() && v.Type != gjson.Null && !v.IsBool() {
		r.wrong(key, "true or false")
	}
	return v.Type == gjson.True
}

func (r *reading) float(v gjson.Result, key string) *float64 {
	if v.Type != gjson.Number || math.IsInf(v.Num, 0) {
		r.wrong(key, "a number")
		return nil
	}
	return &v.Num
}

func (r *reading) integer(v gjson.Result, key string) *int64 {
	if v.Type != gjson.Number || v.Num != math.Trunc(v.Num) || math.Abs(v.Num) > 1<<53 {
		r.wrong(key, "a whole number")
		return nil
	}
	n := int64(v.Num)
	return &n
}

// each walks over a list; elements that must be objects are.
func (r *reading) each(v gjson.Result, key string, take func(i int, v gjson.Result)) {
	if !v.IsArray() {
		r.wrong(key, "a list")
		return
	}
	i := 0
	v.ForEach(func(_, v gjson.Result) bool {
		take(i, v)
		i++
		return r.err == nil
	})
}

// members walks over an object, leaving out what is null.
func (r *reading) members(v gjson.Result, key string, take func(key string, v gjson.Result)) {
	if !v.IsObject() {
		r.wrong(key, "an object")
		return
	}
	v.ForEach(func(k, v gjson.Result) bool {
		if v.Type != gjson.Null {
			take(k.String(), v)
		}
		return r.err == nil
	})
}

// note reports something of the request that could not be read into the common conversation.
func (r *reading) note(loss chat.Loss) {
	if !r.loose {
		r.talk.Notes = append(r.talk.Notes, loss)
	}
}

// here makes a loss about the block, or the message, that is being read.
func (r *reading) here(verb chat.Verb, note string) chat.Loss {
	return chat.Loss{Field: chat.FieldPart, Message: r.message, Part: r.part, Verb: verb, Note: note}
}

// extra keeps a member that only this dialect knows.
func (r *reading) extra(name string, v gjson.Result, effect chat.Effect) {
	r.talk.Extra = append(r.talk.Extra, chat.Extra{Name: prefix + name, Value: json.RawMessage(v.Raw), Effect: effect})
}
