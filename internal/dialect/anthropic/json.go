package anthropic

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// pathOf is the client's own spelling of a member of what is being read.
func (r *requestReader) pathOf(key string) string {
	path := r.base
	if r.message >= 0 {
		path = at("messages", r.message)
	}
	if r.part >= 0 {
		path = at(path+".content", r.part)
	}
	if r.inner >= 0 {
		path = at(path+r.holder+".content", r.inner)
	}
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}

// refuseType remembers that a member has the wrong type.
func (r *requestReader) refuseType(key, want string) {
	if !r.loose && r.err == nil {
		field := r.pathOf(key)
		r.err = fault.New(fault.InvalidRequestBody, "%s: %s is expected.", field, want).Field(field)
	}
}

// refuseValue remembers that a member has a value that cannot be.
func (r *requestReader) refuseValue(key, format string, args ...any) {
	if !r.loose && r.err == nil {
		field := r.pathOf(key)
		r.err = fault.New(fault.InvalidParameter, "%s: "+format, append([]any{field}, args...)...).Field(field)
	}
}

func (r *requestReader) readText(v jsonscan.Value, key string) string {
	if v.Kind() != jsonscan.String && !v.Absent() {
		r.refuseType(key, "a string")
	}
	return v.View()
}

func (r *requestReader) readBool(v jsonscan.Value, key string) bool {
	yes, ok := v.Bool()
	if !ok && !v.Absent() {
		r.refuseType(key, "true or false")
	}
	return yes
}

func (r *requestReader) readNumber(v jsonscan.Value, key string) *float64 {
	if isUnset(v) {
		return nil
	}
	f, ok := v.Float()
	if !ok {
		r.refuseType(key, "a number")
		return nil
	}
	return &f
}

func (r *requestReader) readInt(v jsonscan.Value, key string) *int64 {
	n, ok := v.Int()
	if !ok || n > 1<<53 || n < -1<<53 {
		r.refuseType(key, "a whole number")
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
		r.refuseType(key, "a list")
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
	if v.Kind() != jsonscan.Object && !dialect.IsEmptyList(v) {
		r.refuseType(key, "an object")
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

// lossHere makes a loss about the block, or the message, that is being read.
func (r *requestReader) lossHere(verb chat.Verb, note string) chat.Loss {
	return chat.Loss{Field: chat.FieldPart, Message: r.message, Part: r.part, Verb: verb, Note: note}
}

// keepExtra keeps a member that only this dialect knows.
func (r *requestReader) keepExtra(name string, v jsonscan.Value, effect chat.Effect) {
	if !r.loose {
		r.talk.Extra = append(r.talk.Extra, chat.Extra{Name: prefix + name, Value: v.Raw(), Effect: effect})
	}
}

// keepBeside keeps a member of a block or a tool that the common conversation has no place
// for: in rest, for this dialect, and as an Extra, which others report.
func (r *requestReader) keepBeside(rest *jsonscan.Writer, key string, v jsonscan.Value) {
	keepRest(rest, key, v)
	effect := chat.Shapes
	usual := key == "allowed_callers" && string(v.Raw()) == `["direct"]` || key == "defer_loading" && v.Kind() == jsonscan.False
	if key == "eager_input_streaming" || key == "toolset_name" || usual { // as all others do it
		effect = chat.Harmless
	}
	r.keepExtra(r.pathOf(key), v, effect)
}

// keepRest keeps a member for this dialect alone: what becomes of it in another is told there.
func keepRest(rest *jsonscan.Writer, key string, v jsonscan.Value) {
	if len(rest.Bytes()) == 0 {
		rest.Open(jsonscan.Object)
	}
	rest.Key(key).Raw(v.Raw())
}

// closeRest returns what was kept, or nil.
func closeRest(rest *jsonscan.Writer) json.RawMessage {
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

// anyText is a string as it is meant, and any other value but null as it is written.
func anyText(v jsonscan.Value) string {
	switch {
	case v.Kind() == jsonscan.String:
		return v.View()
	case v.Absent():
		return ""
	}
	return string(v.Raw())
}

// pieceOf is a piece of a call's input, which some servers give whole, as an object.
func pieceOf(v jsonscan.Value) string {
	if v.Kind() == jsonscan.Object {
		return string(v.Raw())
	}
	return cloneText(v)
}

// cloneText gives a string memory of its own.
func cloneText(v jsonscan.Value) string {
	text, _ := v.Piece()
	return text
}

// joinLines joins the texts that are not empty, one below the other.
func joinLines(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "\n")
}
