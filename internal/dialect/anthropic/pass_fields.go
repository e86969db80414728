package anthropic

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// folds are objects whose fields count as the body's own where it has none.
var folds = []string{"extra_body", "options"}

// unfold brings the fields of extra_body and options up into the body. A body
// without them comes back as it is.
func unfold(body []byte) []byte {
	own := make(map[string]bool)
	var found []gjson.Result
	w := walk(body)
	for key, from, to, ok := w.next(); ok; key, from, to, ok = w.next() {
		if body[from] == '{' && slices.Contains(folds, string(key)) {
			found = append(found, gjson.ParseBytes(body[from:to]))
		} else {
			own[string(key)] = true
		}
	}
	if len(found) == 0 {
		return body
	}
	for _, key := range folds {
		if !own[key] {
			body, _ = sjson.DeleteBytes(body, key)
		}
	}
	more := []byte{'{'}
	for _, fold := range found {
		fold.ForEach(func(k, v gjson.Result) bool {
			if key := k.String(); !own[key] {
				own[key] = true
				more = append(member(more, key), v.Raw...)
			}
			return true
		})
	}
	return with(body, more[1:])
}

// has reports whether an object has a member.
func has(object []byte, name string) bool {
	w := walk(object)
	for key, _, _, ok := w.next(); ok; key, _, _, ok = w.next() {
		if string(key) == name {
			return true
		}
	}
	return false
}

// with adds members to the end of an object.
func with(object, members []byte) []byte {
	if len(members) == 0 {
		return object
	}
	end := bytes.LastIndexByte(object, '}')
	out := append(make([]byte, 0, len(object)+len(members)+1), bytes.TrimRight(object[:end], " \t\r\n")...)
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	out = append(out, members...)
	return append(out, object[end:]...)
}
