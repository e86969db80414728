package gemini

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// gathering joins a call that comes in pieces, as Vertex sends it where the client asked for
// that: first its name, then values of its arguments, each with its place in them, texts again
// in pieces. The last piece is the one that does not say that more follows.
type gathering struct {
	open bool
	call chat.Part
	args argument
	size int  // bytes of the arguments so far
	held int  // values in them
	lost bool // one had no place: what the call says is not whole
}

const (
	mostArguments   = 32 << 20 // bytes of one call
	deepestArgument = 64
	mostValues      = 1 << 16 // of one call
)

// concerns reports whether a part is a piece of a call.
func (g *gathering) concerns(w *wirePart) bool {
	return w.data == "functionCall" && (g.open || w.goesOn || w.pieces.Exists())
}

// take takes a piece and gives the calls that are whole now: none where more follows, and
// two where one began before the other had ended.
func (g *gathering) take(w *wirePart) (whole []chat.Part) {
	if g.open && (w.name != "" && g.call.Name != "" || w.id != "" && g.call.ID != "" && w.id != g.call.ID) {
		whole = append(whole, g.end(true))
	}
	if !g.open {
		*g = gathering{open: true, call: chat.Part{Kind: chat.ToolCall}, args: argument{kind: jsonscan.Object}}
	}
	g.call.ID, g.call.Name, g.call.Proof = cmp.Or(g.call.ID, w.id), cmp.Or(g.call.Name, w.name), cmp.Or(g.call.Proof, w.signature)
	for key, v := range w.args.Members() {
		if g.fits(v) {
			*g.ensureMember(&g.args, key.Name) = argument{kind: v.Kind(), raw: oneLine(bytes.Clone(v.Raw()))}
		}
	}
	for _, v := range w.pieces.Elements() {
		g.takePiece(v)
	}
	if !w.goesOn {
		whole = append(whole, g.end(true))
	}
	return whole
}

// fits reports whether there is room for a value, and counts it.
func (g *gathering) fits(v jsonscan.Value) bool {
	g.size += len(v.Raw())
	g.lost = g.lost || g.size > mostArguments // no model writes as much
	return !g.lost
}

// end is the call as far as it came. One that was cut off has arguments without their end.
func (g *gathering) end(whole bool) chat.Part {
	p := g.call
	p.Text = string(g.args.appendTo(nil, whole && !g.lost))
	*g = gathering{}
	return p
}

// takePiece puts one value, or a piece of a text, where it belongs.
func (g *gathering) takePiece(v jsonscan.Value) {
	if !g.fits(v) {
		return
	}
	at := g.find(textOf(v, "jsonPath"))
	if at == nil {
		g.lost = true
		return
	}
	if at.kind == 0 {
		at.kind, at.raw = jsonscan.Null, []byte("null")
	}
	for key, v := range fields(v) {
		switch key.name {
		case "stringValue":
			text, _ := v.Piece()
			at.kind, at.raw, at.text = jsonscan.String, nil, append(at.text, text...)
		case "numberValue", "boolValue":
			at.kind, at.raw = v.Kind(), bytes.Clone(v.Raw())
		}
	}
}

// argument is a value of a call's arguments that is being put together.
type argument struct {
	kind  jsonscan.Kind
	raw   []byte // how it is written, where it came whole
	text  []byte // what a text says
	names []string
	held  []*argument    // an object's members by their names, or a list's elements
	place map[string]int // of a member among them
}

// ensureMember gives a member of an object, which is there then.
func (g *gathering) ensureMember(a *argument, name string) *argument {
	if i, ok := a.place[name]; ok {
		return a.held[i]
	}
	if a.place == nil {
		a.place = make(map[string]int)
	}
	name = strings.Clone(name)
	a.place[name] = len(a.held)
	a.names = append(a.names, name)
	return g.add(a)
}

// ensureElement gives an element of a list, whose elements are told from the first on.
func (g *gathering) ensureElement(a *argument, index int) *argument {
	switch {
	case index < len(a.held):
		return a.held[index]
	case index > len(a.held):
		return nil
	}
	return g.add(a)
}

func (g *gathering) add(a *argument) *argument {
	if g.held++; g.held > mostValues {
		g.lost = true
	}
	made := new(argument)
	a.held = append(a.held, made)
	return made
}

// find is the value at a path: $.a.b[0]['c d']. What is on the way to it is made.
func (g *gathering) find(path string) *argument {
	a := &g.args
	rest, ok := strings.CutPrefix(path, "$")
	for depth := 0; rest != ""; depth++ {
		var name string
		var index int
		if name, index, rest, ok = readStep(rest); !ok || depth == deepestArgument {
			return nil
		}
		kind := jsonscan.Object
		if index >= 0 {
			kind = jsonscan.Array
		}
		if a.kind != 0 && a.kind != kind || a.raw != nil || g.lost {
			return nil
		}
		if a.kind = kind; kind == jsonscan.Array {
			a = g.ensureElement(a, index)
		} else {
			a = g.ensureMember(a, name)
		}
		if a == nil {
			return nil
		}
	}
	if !ok || len(a.held) > 0 {
		return nil
	}
	return a
}

// readStep reads the first step of a path: a member's name, or an index; -1 where it is a name.
func readStep(path string) (name string, index int, rest string, ok bool) {
	switch {
	case path[0] == '.':
		end := strings.IndexAny(path[1:], ".[")
		if end < 0 {
			end = len(path) - 1
		}
		return path[1 : 1+end], -1, path[1+end:], end > 0
	case path[0] != '[' || len(path) < 3:
		return "", 0, "", false
	case path[1] == '\'' || path[1] == '"':
		name, rest, ok = readQuotedName(path[1:])
		return name, -1, rest, ok
	}
	digits, rest, found := strings.Cut(path[1:], "]")
	n, err := strconv.Atoi(digits)
	return "", n, rest, found && err == nil && n >= 0
}

// readQuotedName reads a name between quotes, and the bracket behind it.
func readQuotedName(path string) (name, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(path); i++ {
		switch {
		case path[i] == '\\' && i+1 < len(path):
			i++
			b.WriteByte(path[i])
		case path[i] == path[0]:
			rest, ok = strings.CutPrefix(path[i+1:], "]")
			return b.String(), rest, ok
		default:
			b.WriteByte(path[i])
		}
	}
	return "", "", false
}

// appendTo writes the value. One that was cut off is written without its end, and without that
// of what is last in it.
func (a *argument) appendTo(dst []byte, whole bool) []byte {
	switch {
	case a.raw != nil:
		return append(dst, a.raw...)
	case a.kind == 0: // there is a place for it, and nothing came
		return append(dst, "null"...)
	case a.kind == jsonscan.String:
		if dst = jsonscan.AppendText(dst, string(a.text)); !whole {
			dst = dst[:len(dst)-1]
		}
		return dst
	}
	dst = append(dst, byte(a.kind))
	for i, inner := range a.held {
		if i > 0 {
			dst = append(dst, ',')
		}
		if a.kind == jsonscan.Object {
			dst = append(jsonscan.AppendText(dst, a.names[i]), ':')
		}
		dst = inner.appendTo(dst, whole || i < len(a.held)-1)
	}
	if whole {
		dst = append(dst, byte(a.kind)+2) // the bracket that closes it
	}
	return dst
}
