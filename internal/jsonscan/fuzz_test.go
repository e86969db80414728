package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/jsonscan"
)

// seeds are documents at the edges of what is JSON.
var seeds = []string{
	``, ` `, `null`, ` true `, `falsey`, `nul`, `-`, `-0`, `01`, `1.`, `1.5e+3`, `1e`, `.5`, `+1`, `1e400`, `12345678901234567890`,
	`""`, `"a`, `"\`, `"\"`, `"\x"`, `"\u12"`, `"\u0041"`, `"\ud83d\ude00"`, `"\ud800"`, `"\ud800\u0041"`, `"\udc00\ud800"`, `"\ud800\ud800\udc00"`,
	"\"\x7f\"", "\"\x01\"", "\"\xff\"", "\"\xe2\x82\"", "\"grüße, 世界 😀 and more\"", "\"1234567\x00\"", `"12345678\n1234567"`,
	`{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a" : [ 1 , {"b" : null} ] , "c":"d"}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`,
	`{"\ud800":1,"\udc00":2}`, "{\"\xc3\":0,\"\\ud800\":0}", "{\"a\xc3\":0,\"a\xff\":0}", `{"a":{"a":{"a":1}}}`, `[{"a":1},{"a":2}]`, `{"abcdefgh1":1,"abcdefgh2":2,"abcdefgh1":3}`, `[`, `]`, `[1 2]`, `[1,]`, `[[[]]]`,
	`{} {}`, `{"a":1}x`, "\ufeff{}", "{\"a\\/b\":\"c\\\\\"}", `{"model":"m","messages":[{"role":"user","content":"say \"hi\"\n"}],"stream":true}`,
}

func seed(f *testing.F) {
	f.Helper()
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Add([]byte("{" + strings.Join(many(100), ",") + "}"))
	f.Add([]byte("{" + strings.Join(append(many(100), `"n\u0035":1`), ",") + "}"))
}

func many(n int) (members []string) {
	for i := range n {
		members = append(members, `"n`+jsontext.Int(int64(i)).String()+`":`+jsontext.Int(int64(i)).String())
	}
	return members
}

// FuzzScan holds the walk against jsontext: what one refuses the other refuses.
func FuzzScan(f *testing.F) {
	seed(f)
	f.Fuzz(checkScan)
}

func checkScan(t *testing.T, doc []byte) {
	t.Helper()
	value, whole := jsontext.Value(doc), utf8.Valid(doc)
	lax, twice := jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)
	for _, c := range []struct {
		allow jsonscan.Allow
		want  bool
	}{
		{jsonscan.Strict, value.IsValid()},
		{jsonscan.LoneSurrogates, whole && value.IsValid(lax)},
		{jsonscan.LoneSurrogates | jsonscan.BadUTF8, value.IsValid(lax)},
		{jsonscan.Duplicates, value.IsValid(twice)},
		{jsonscan.Lenient, value.IsValid(lax, twice)},
	} {
		if got := jsonscan.Valid(doc, c.allow); got != c.want {
			t.Errorf("Valid(%q, %b) = %v, want %v", doc, c.allow, got, c.want)
		}
		root, err := jsonscan.Parse(doc, c.allow)
		if (err == nil) != c.want {
			t.Errorf("Parse(%q, %b): %v", doc, c.allow, err)
		}
		if err != nil && err.Error() == "" {
			t.Errorf("Parse(%q, %b) says nothing", doc, c.allow)
		}
		if err == nil && !bytes.Equal(root.Raw(), bytes.Trim(doc, " \t\r\n")) {
			t.Errorf("Parse(%q) = %q", doc, root.Raw())
		}
	}
}

// FuzzValue holds what values say against what jsontext reads.
func FuzzValue(f *testing.F) {
	seed(f)
	f.Fuzz(checkValue)
}

func checkValue(t *testing.T, doc []byte) {
	t.Helper()
	trusted := jsonscan.At(doc, 0) // must come to an end whatever it is
	visit(trusted)
	root, err := jsonscan.Parse(doc, jsonscan.LoneSurrogates)
	if err != nil {
		return
	}
	if trusted.From() != root.From() || !bytes.Equal(trusted.Raw(), root.Raw()) {
		t.Fatalf("%q: leaps see %q, the walk %q", doc, trusted.Raw(), root.Raw())
	}
	d := jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowInvalidUTF8(true))
	compare(t, doc, d, root)
	compact := jsontext.Value(bytes.Clone(doc))
	if err := compact.Compact(jsontext.AllowInvalidUTF8(true)); err != nil {
		t.Fatal(err)
	}
	if got := root.AppendCompact(nil); !bytes.Equal(got, compact) {
		t.Errorf("%q: compact %q, want %q", doc, got, compact)
	}
	heard, weight := 0, weigh(doc)
	r, _ := jsonscan.Scan{Allow: jsonscan.LoneSurrogates}.Walk(doc, func(k jsonscan.Key, v jsonscan.Value) {
		heard++
		if v.From() <= k.To || !bytes.Equal(doc[v.From():v.To()], v.Raw()) || !bytes.Equal(root.Get(k.Name).Raw(), v.Raw()) {
			t.Errorf("%q: member %q is told as %q", doc, k.Name, v.Raw())
		}
	})
	if root.Kind() == jsonscan.Object && heard != root.Len() {
		t.Errorf("%q: %d members of %d told", doc, heard, root.Len())
	}
	checkTold(t, doc, root)
	if r.Values*256+r.Escaped != weight {
		t.Errorf("%q: %d values and %d escaped, want %d", doc, r.Values, r.Escaped, weight)
	}
}

func visit(v jsonscan.Value) {
	v.Text()
	v.View()
	v.Int()
	v.Float()
	v.AppendCompact(nil)
	for _, inner := range v.Members() {
		visit(inner)
	}
	for _, inner := range v.Elements() {
		visit(inner)
	}
}

// compare reads the same value with both.
func compare(t *testing.T, doc []byte, d *jsontext.Decoder, v jsonscan.Value) {
	t.Helper()
	if !bytes.Equal(doc[v.From():v.To()], v.Raw()) {
		t.Fatalf("%q: %q is not at %d", doc, v.Raw(), v.From())
	}
	if kind := d.PeekKind(); byte(kind) != byte(v.Kind()) {
		t.Fatalf("%q: kind %q, want %q", doc, v.Kind(), kind)
	}
	switch v.Kind() {
	case jsonscan.Object:
		token(t, d)
		for k, inner := range v.Members() {
			raw, _ := d.ReadValue()
			name, _ := jsontext.AppendUnquote(nil, raw)
			if k.Name != string(name) || !bytes.Equal(doc[k.From:k.To], raw) {
				t.Fatalf("%q: name %q, want %q", doc, k.Name, raw)
			}
			compare(t, doc, d, inner)
		}
		token(t, d)
	case jsonscan.Array:
		token(t, d)
		n := 0
		for i, inner := range v.Elements() {
			if i != n {
				t.Fatalf("%q: element %d is told as %d", doc, n, i)
			}
			n++
			compare(t, doc, d, inner)
		}
		token(t, d)
	default:
		raw, err := d.ReadValue()
		if err != nil || !bytes.Equal(raw, v.Raw()) {
			t.Fatalf("%q: %q, want %q (%v)", doc, v.Raw(), raw, err)
		}
		scalar(t, raw, v)
	}
}

func token(t *testing.T, d *jsontext.Decoder) {
	t.Helper()
	if _, err := d.ReadToken(); err != nil {
		t.Fatal(err)
	}
}

func scalar(t *testing.T, raw jsontext.Value, v jsonscan.Value) {
	t.Helper()
	text, isText := v.Text()
	f, isNumber := v.Float()
	yes, isBool := v.Bool()
	switch raw.Kind() {
	case '"':
		want, _ := jsontext.AppendUnquote(nil, raw)
		if !isText || text != string(want) || v.View() != text || string(v.Bytes()) != text {
			t.Errorf("%s is %q, want %q", raw, text, want)
		}
	case '0':
		var want float64
		err := json.Unmarshal(raw, &want)
		if isNumber != (err == nil) || isNumber && f != want || v.Number() != string(raw) {
			t.Errorf("%s is %v %v", raw, f, isNumber)
		}
		var whole int64
		if n, ok := v.Int(); json.Unmarshal(raw, &whole) == nil && (!ok || n != whole) {
			t.Errorf("%s is %d %v", raw, n, ok)
		}
	case 't', 'f':
		if !isBool || yes != (raw.Kind() == 't') {
			t.Errorf("%s is %v %v", raw, yes, isBool)
		}
	}
	if isText != (raw.Kind() == '"') || v.Absent() != (raw.Kind() == 'n') || isNumber && raw.Kind() != '0' {
		t.Errorf("%s is taken for something else", raw)
	}
}

// weigh counts byte by byte what a walk counts on its way.
func weigh(doc []byte) int {
	values, copied := 1, 0
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case ',', '{', '[':
			values++
		case '"':
			from := i + 1
			for i = from; doc[i] != '"'; i++ {
				if doc[i] == '\\' {
					i++
				}
			}
			if bytes.IndexByte(doc[from:i], '\\') >= 0 {
				copied += i - from
			}
		}
	}
	return values*256 + copied
}

// FuzzEdits makes the same changes to a document and to what encoding/json reads of it.
func FuzzEdits(f *testing.F) {
	seed(f)
	for _, doc := range seeds {
		for _, script := range []string{"\x00\x01\x00\x01\x02", "\x00\x01\x01\x01\x01\x01\x02", "\x00\x02\x03\x01\x00\x03\x01\x01"} {
			f.Add([]byte(doc + "\x00" + script))
		}
	}
	f.Fuzz(checkEdits)
}

func checkEdits(t *testing.T, script []byte) {
	t.Helper()
	doc, rest, _ := bytes.Cut(script, []byte{0})
	root, err := jsonscan.Parse(doc, jsonscan.Strict)
	if err != nil {
		return
	}
	var want any
	if json.Unmarshal(doc, &want) != nil {
		return // a number that is too large
	}
	var edits jsonscan.Edits
	want, _ = (&changes{rest, &edits}).of(root, want)
	out, err := edits.Apply(doc)
	if err != nil {
		t.Fatalf("%q: %v", doc, err)
	}
	var got any
	if !jsonscan.Valid(out, jsonscan.Duplicates) || json.Unmarshal(out, &got) != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q became %q, want %v", doc, out, want)
	}
	if cap(out) != len(out) && edits.Len() > 0 {
		t.Errorf("%q: %d bytes in a copy of %d", doc, len(out), cap(out))
	}
}

// changes are read from the bytes of a script, one for each value.
type changes struct {
	script []byte
	edits  *jsonscan.Edits
}

func (c *changes) next() byte {
	if len(c.script) == 0 {
		return 0
	}
	b := c.script[0]
	c.script = c.script[1:]
	return b
}

// of changes a value and returns it as it is then, and false where it is to be removed.
func (c *changes) of(v jsonscan.Value, plain any) (any, bool) {
	switch c.next() % 5 {
	case 1:
		return plain, false
	case 2:
		c.edits.ReplaceText(v, "changed")
		return "changed", true
	}
	switch plain := plain.(type) {
	case map[string]any:
		after := map[string]any{}
		for k, inner := range v.Members() {
			value, kept := c.of(inner, plain[k.Name])
			switch {
			case !kept:
				c.edits.Remove(k, inner)
			case c.next()%5 == 3 && plain[k.Name+"2"] == nil:
				c.edits.Rename(k, k.Name+"2")
				after[k.Name+"2"] = value
			default:
				after[k.Name] = value
			}
		}
		for n := c.next() % 3; n > 0; n-- {
			name := "added" + string('0'+rune(n))
			c.edits.Append(v, name, []byte(`[1]`))
			after[name] = []any{1.0}
		}
		return after, true
	case []any:
		after := []any{}
		for i, inner := range v.Elements() {
			if value, kept := c.of(inner, plain[i]); kept {
				after = append(after, value)
			} else {
				c.edits.RemoveElement(inner)
			}
		}
		return after, true
	}
	return plain, true
}

// FuzzText holds the writing of strings against jsontext's.
func FuzzText(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			want, _ = jsontext.AppendQuote(nil, string([]rune(text)))
		}
		if got := jsonscan.AppendText([]byte("x"), text); string(got[1:]) != string(want) {
			t.Errorf("%q is written %s, want %s", text, got[1:], want)
		}
	})
}

// FuzzWriter writes what was read, value by value.
func FuzzWriter(f *testing.F) {
	seed(f)
	f.Fuzz(checkWriter)
}

func checkWriter(t *testing.T, doc []byte) {
	t.Helper()
	root, err := jsonscan.Parse(doc, jsonscan.Strict)
	if err != nil {
		return
	}
	var w jsonscan.Writer
	write(&w, root)
	var got, want any
	if json.Unmarshal(doc, &want) != nil {
		return // a number that is too large
	}
	if !jsonscan.Valid(w.Bytes(), jsonscan.Strict) || json.Unmarshal(w.Bytes(), &got) != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q was written as %q", doc, w.Bytes())
	}
}

func write(w *jsonscan.Writer, v jsonscan.Value) {
	switch v.Kind() {
	case jsonscan.Object:
		w.Open(jsonscan.Object)
		for k, inner := range v.Members() {
			w.Key(k.Name)
			write(w, inner)
		}
		w.Close(jsonscan.Object)
	case jsonscan.Array:
		w.Open(jsonscan.Array)
		for i, inner := range v.Elements() {
			if i == 1 { // the rest as it is
				inside(w, v, i)
				break
			}
			write(w, inner)
		}
		w.Close(jsonscan.Array)
	case jsonscan.String:
		w.Text(v.View())
	case jsonscan.Number:
		if n, ok := v.Int(); ok {
			w.Int(n)
		} else if f, ok := v.Float(); ok {
			w.Float(f)
		} else {
			w.Raw(v.Raw())
		}
	case jsonscan.Null:
		w.Null()
	default:
		yes, _ := v.Bool()
		w.Bool(yes)
	}
}

// inside writes the elements from some index on by their brackets' inside.
func inside(w *jsonscan.Writer, v jsonscan.Value, from int) {
	rest := append([]byte("[ "), v.Raw()[v.Index(from).From()-v.From():]...)
	w.WriteInside(jsonscan.At(rest, 0))
}

// FuzzTexts: one walk over all strings visits what loops over members and elements reach.
func FuzzTexts(f *testing.F) {
	for _, doc := range []string{`{}`, `[]`, `"a"`, `{"a":["b",{"c":"d","\u0065":"f"},[["g"]]],"skip":{"h":"i"},"j":1}`, ` { "a" : [ ] , "b" : "c" } `} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		root, err := jsonscan.Parse(doc, jsonscan.Lenient)
		var seen []string
		root.EachText(func(name []byte) bool { return string(name) != "skip" }, func(path []jsonscan.Step, text jsonscan.Value) bool {
			seen = append(seen, fmt.Sprint(len(path), text.From(), string(text.Raw())))
			return true
		})
		if err != nil {
			return
		}
		var want []string
		var visit func(depth int, v jsonscan.Value)
		visit = func(depth int, v jsonscan.Value) {
			if v.Kind() == jsonscan.String {
				want = append(want, fmt.Sprint(depth, v.From(), string(v.Raw())))
			}
			for key, v := range v.Members() {
				if key.Name != "skip" {
					visit(depth+1, v)
				}
			}
			for _, v := range v.Elements() {
				visit(depth+1, v)
			}
		}
		visit(0, root)
		if !slices.Equal(seen, want) {
			t.Errorf("%s: %q, not %q", doc, seen, want)
		}
	})
}
