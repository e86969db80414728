package bridge

import (
	"slices"
	"strings"

	"stele/internal/jsonscan"
)

// details are the reasoning_details of an answer, put together from their pieces.
type details struct {
	list  []*detail
	last  int64 // the highest index
	again bool  // what comes was told before
}

// detail is one. Other servers than Stele tell it in pieces of the same index.
type detail struct {
	index  int64
	kind   string
	words  strings.Builder // text, summary or data, by its kind
	others []other         // in the order they came in
}

// other is a member that goes back as it is: a signature, an id, where the thought stood.
type other struct {
	name string
	json []byte
}

// member is where a detail of a kind has its words.
func member(kind string) string {
	switch kind {
	case "reasoning.encrypted":
		return "data"
	case "reasoning.summary":
		return "summary"
	}
	return "text"
}

// knows reports whether a detail was told before: at its end a stream of several tells
// all of them once more, from the first on.
func (d *details) knows(v jsonscan.Value) bool {
	index, ok := v.Get("index").Int()
	d.again = d.again || ok && index < d.last
	return d.again
}

// add adds a detail, or a piece to the last one of those from a place on.
func (d *details) add(v jsonscan.Value, from int) {
	index, ok := v.Get("index").Int()
	if !ok {
		index = int64(len(d.list))
	}
	kind := text(v.Get("type"))
	var one *detail
	if n := len(d.list) - 1; ok && n >= from && d.list[n].index == index && d.list[n].kind == kind {
		one = d.list[n]
	} else {
		one = &detail{index: index, kind: kind}
		d.list = append(d.list, one)
	}
	d.last = max(d.last, index)
	words := member(kind)
	for key, v := range v.Members() {
		switch key.Name {
		case "type", "index":
		case words:
			one.words.WriteString(v.View())
		default:
			one.keep(key.Name, v)
		}
	}
}

// keep takes another member over. What a later piece says of it counts, unless that is nothing.
func (d *detail) keep(name string, v jsonscan.Value) {
	at := slices.IndexFunc(d.others, func(o other) bool { return o.name == name })
	switch {
	case v.Absent():
	case at >= 0:
		d.others[at].json = slices.Clone(v.Raw())
	default:
		d.others = append(d.others, other{strings.Clone(name), slices.Clone(v.Raw())})
	}
}

// json are those from a place on, as elements of a list.
func (d *details) json(from int) []byte {
	var w jsonscan.Writer
	for _, one := range d.list[from:] {
		w.Open(object).Key("type").Text(one.kind).Key(member(one.kind)).Text(one.words.String())
		for _, o := range one.others {
			w.Key(o.name).Raw(o.json)
		}
		w.Key("index").Int(one.index).Close(object)
	}
	return w.Bytes()
}
