package anthropic

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// where is the client's own spelling of a member of what is being read.
func (r *requestReader) where(key string) string {
	path := r.base
	if r.message >= 0 {
		path = at("messages", r.message)
	}
	for _, i := range []int{r.part, r.inner} {
		if i >= 0 {
			path = at(path+".content", i)
		}
	}
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}

// wrong remembers that a member has the wrong type.
func (r *requestReader) wrong(key, want string) {
	if !r.loose && r.err == nil {
		field := r.where(key)
		r.err = fault.New(fault.InvalidRequestBody, "%s: %s is expected.", field, want).With("field", field)
	}
}

// bad remembers that a member has a value that cannot be.
func (r *requestReader) bad(key, format string, args ...any) {
	if !r.loose && r.err == nil {
		field := r.where(key)
		r.err = fault.New(fault.InvalidParameter, "%s: "+format, append([]any{field}, args...)...).With("field", field)
	}
}

func (r *requestReader) text(v jsonscan.Value, key string) string {
	if v.Kind() != jsonscan.String && !v.Absent() {
		r.wrong(key, "a string")
	}
	return v.View()
}

func (r *requestReader) flag(v jsonscan.Value, key string) bool {
	yes, ok := v.Bool()
	if !ok && !v.Absent() {
		r.wrong(key, "true or false")
	}
	return yes
}

func (r *requestReader) float(v jsonscan.Value, key string) *float64 {
	f, ok := v.Float()
	if !ok {
		r.wrong(key, "a number")
		return nil
	}
	return &f
}

func (r *requestReader) integer(v jsonscan.Value, key string) *int64 {
	n, ok := v.Int()
	if !ok || n > 1<<53 || n < -1<<53 {
		r.wrong(key, "a whole number")
		return nil
	}
	return &n
}

// elements are those of a list, up to the first error.
func (r *requestReader) elements(v jsonscan.Value, key string) iter.Seq2[int, jsonscan.Value] {
	return func(yield func(int, jsonscan.Value) bool) { r.eachElement(v, key, yield) }
}

func (r *requestReader) eachElement(v jsonscan.Value, key string, yield func(int, jsonscan.Value) bool) {
	if v.Kind() != jsonscan.Array {
		r.wrong(key, "a list")
	}
	for i, v := range v.Elements() {
		if !yield(i, v) || r.err != nil {
			return
		}
	}
}

// members are those of an object that are not null, up to the first error.
func (r *requestReader) members(v jsonscan.Value, key string) iter.Seq2[string, jsonscan.Value] {
	return func(yield func(string, jsonscan.Value) bool) { r.eachMember(v, key, yield) }
}

func (r *requestReader) eachMember(v jsonscan.Value, key string, yield func(string, jsonscan.Value) bool) {
	if v.Kind() != jsonscan.Object {
		r.wrong(key, "an object")
	}
	for key, v := range v.Members() {
		if v.Kind() != jsonscan.Null && (!yield(key.Name, v) || r.err != nil) {
			return
		}
	}
}

// note reports something of the request that could not be read into the common conversation.
func (r *requestReader) note(loss chat.Loss) {
	if !r.loose {
		r.talk.Notes = append(r.talk.Notes, loss)
	}
}

// here makes a loss about the block, or the message, that is being read.
func (r *requestReader) here(verb chat.Verb, note string) chat.Loss {
	return chat.Loss{Field: chat.FieldPart, Message: r.message, Part: r.part, Verb: verb, Note: note}
}

// extra keeps a member that only this dialect knows.
func (r *requestReader) extra(name string, v jsonscan.Value, effect chat.Effect) {
	if !r.loose {
		r.talk.Extra = append(r.talk.Extra, chat.Extra{Name: prefix + name, Value: v.Raw(), Effect: effect})
	}
}

// beside keeps a member of a block or a tool that the common conversation has no place
// for: in rest, for this dialect, and as an Extra, which others report.
func (r *requestReader) beside(rest *jsonscan.Writer, key string, v jsonscan.Value) {
	if len(rest.Bytes()) == 0 {
		rest.Open(jsonscan.Object)
	}
	rest.Key(key).Raw(v.Raw())
	effect := chat.Shapes
	usual := key == "allowed_callers" && string(v.Raw()) == `["direct"]` || key == "defer_loading" && v.Kind() == jsonscan.False
	if key == "eager_input_streaming" || usual { // as all others do it
		effect = chat.Harmless
	}
	r.extra(r.where(key), v, effect)
}

// closed is what beside has kept, or nil.
func closed(rest *jsonscan.Writer) json.RawMessage {
	if len(rest.Bytes()) == 0 {
		return nil
	}
	return rest.Close(jsonscan.Object).Bytes()
}

// without is an object without the members of a name.
func without(object jsonscan.Value, name string) json.RawMessage {
	raw := object.Raw()
	var e jsonscan.Edits
	for key, v := range jsonscan.At(raw, 0).Members() {
		if key.Name == name {
			e.Remove(key, v)
		}
	}
	raw, _ = e.Apply(raw)
	return raw
}

// words is a string as it is meant, and any other value but null as it is written.
func words(v jsonscan.Value) string {
	switch {
	case v.Kind() == jsonscan.String:
		return v.View()
	case v.Absent():
		return ""
	}
	return string(v.Raw())
}

// cloneText gives a string memory of its own.
func cloneText(v jsonscan.Value) string {
	text, _ := v.Piece()
	return text
}

// lines are the texts that are not empty, one below the other.
func lines(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "\n")
}
