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
	folded := false
	w := walk(body)
	for key, from, _, ok := w.next(); ok; key, from, _, ok = w.next() {
		folded = folded || body[from] == '{' && slices.Contains(folds, string(key))
	}
	if !folded {
		return body
	}
	for _, key := range folds {
		fold := gjson.GetBytes(body, key)
		if !fold.IsObject() {
			continue
		}
		rest, err := sjson.DeleteBytes(body, key)
		if err != nil {
			continue
		}
		body = rest
		fold.ForEach(func(k, v gjson.Result) bool {
			if !has(body, k.String()) {
				body = with(body, k.String(), v.Raw)
			}
			return true
		})
	}
	return body
}

// has reports whether an object has a member, whatever letters its name is made of.
func has(body []byte, key string) bool {
	found := false
	gjson.ParseBytes(body).ForEach(func(k, _ gjson.Result) bool {
		found = k.String() == key
		return !found
	})
	return found
}

// with adds a member to the end of an object.
func with(body []byte, key, raw string) []byte {
	end := bytes.LastIndexByte(body, '}')
	out := append(make([]byte, 0, len(body)+len(key)+len(raw)+8), bytes.TrimRight(body[:end], " \t\r\n")...)
	out = member(out, key)
	out = append(out, raw...)
	return append(out, body[end:]...)
}
