package jsonscan_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/jsonscan"
)

func TestDepthIsBounded(t *testing.T) {
	t.Parallel()
	for _, bracket := range []string{"[]", `{"a":}`} {
		open, end := bracket[:len(bracket)-1], bracket[len(bracket)-1:]
		for _, depth := range []int{jsonscan.MostDepth - 1, jsonscan.MostDepth, jsonscan.MostDepth + 1} {
			doc := []byte(strings.Repeat(open, depth-1) + "[]" + strings.Repeat(end, depth-1))
			got, want := jsonscan.Valid(doc, jsonscan.Strict), jsontext.Value(doc).IsValid()
			if got != want || got != (depth <= jsonscan.MostDepth) {
				t.Errorf("%d times %s: %v, jsontext says %v", depth, bracket, got, want)
			}
		}
	}
}

// TestReasonsAreThoseOfJSONText holds the words that clients have always been told.
func TestReasonsAreThoseOfJSONText(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		``:                 "it is empty",
		" \n":              "it is empty",
		"{\"a\":\"\xff\"}": "it is not UTF-8",
		`{"a":1,"a":2}`:    `duplicate object member name "a"`,
		`{"a":{"b":}}`:     `missing value after object name within "/a/b" after offset 10`,
		`{"a":1`:           `unexpected EOF after offset 6`,
		`{} {}`:            "EOF",
	} {
		_, err := jsonscan.Parse([]byte(doc), jsonscan.LoneSurrogates)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", doc, err, want)
		}
	}
	bad, ok := errors.AsType[*jsonscan.Error](second(jsonscan.Parse([]byte(`{"a":tru}`), jsonscan.Strict)))
	if !ok || bad.Offset != 5 {
		t.Errorf("the offset is told as %+v", bad)
	}
}

func second(_ jsonscan.Value, err error) error { return err }

func TestNeedlesAreFound(t *testing.T) {
	t.Parallel()
	n := jsonscan.NewNeedles(`"file_0`, `/file_0`, `"extra"`, `"c3Rl`, "käse")
	for doc, want := range map[string]string{
		`{"a":"file_0123"}`:                      "0",
		`{"a":"my file_0123"}`:                   "",
		`{"a":"files/file_0123","b":["extra"]}`:  "12",
		`{"extra":1}`:                            "2",
		`{"extras":1,"a":"c3R"}`:                 "",
		`["c3RlbGU=", "c3Rl"]`:                   "3",
		`["___/file_/file_0"]`:                   "1",
		`["viel käse"]`:                          "4",
		`""`:                                     "",
		`["f\u0069le\u005f0", "\u0065xtra"]`:     "02",
		`["ext\u0072as", "\"extra\"", "\u20ac"]`: "",
		`["\/file_0", "c3\u0052l\n"]`:            "13",
	} {
		r, err := jsonscan.Scan{Needles: n}.Walk([]byte(doc), nil)
		got := ""
		for i := range 5 {
			if r.Found(i) {
				got += string('0' + rune(i))
			}
		}
		if err != nil || got != want {
			t.Errorf("%s: found %q, want %q (%v)", doc, got, want, err)
		}
	}
}

func TestNumbersAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		literal string
		n       int64
		whole   bool
		f       float64
		finite  bool
	}{
		{"40", 40, true, 40, true},
		{"40.0", 40, true, 40, true},
		{"4e1", 40, true, 40, true},
		{"-0", 0, true, math.Copysign(0, -1), true},
		{"0.5", 0, false, 0.5, true},
		{"9223372036854775807", math.MaxInt64, true, 9223372036854775807, true},
		{"9223372036854775808", 0, false, 9223372036854775808, true},
		{"-9223372036854775808", math.MinInt64, true, -9223372036854775808, true},
		{"1e999", 0, false, 0, false},
		{`"40"`, 0, false, 0, false},
		{"null", 0, false, 0, false},
	} {
		v := jsonscan.At([]byte(c.literal), 0)
		if n, ok := v.Int(); ok != c.whole || ok && n != c.n {
			t.Errorf("%s is the whole number %d, %v", c.literal, n, ok)
		}
		if f, ok := v.Float(); ok != c.finite || ok && f != c.f {
			t.Errorf("%s is the number %v, %v", c.literal, f, ok)
		}
	}
}

func TestEditsKeepObjectsValid(t *testing.T) {
	t.Parallel()
	const doc = "{ \"a\": 1,\n  \"b\" : [ 2 , 3 ],\"c\":{}  , \"d\":4 }"
	for _, c := range []struct{ remove, add, want string }{
		{"", "", doc},
		{"a", "", "{ \"b\" : [ 2 , 3 ],\"c\":{}  , \"d\":4 }"},
		{"ab", "", `{ "c":{}  , "d":4 }`},
		{"ba", "", `{ "c":{}  , "d":4 }`},
		{"d", "", "{ \"a\": 1,\n  \"b\" : [ 2 , 3 ],\"c\":{} }"},
		{"cd", "", "{ \"a\": 1,\n  \"b\" : [ 2 , 3 ] }"},
		{"ad", "", "{ \"b\" : [ 2 , 3 ],\"c\":{} }"},
		{"abcd", "", `{  }`},
		{"abcd", "x", `{  "x":true}`},
		{"abcd", "xy", `{  "x":true,"y":true}`},
		{"bcd", "xy", `{ "a": 1 ,"x":true,"y":true}`},
		{"", "x", "{ \"a\": 1,\n  \"b\" : [ 2 , 3 ],\"c\":{}  , \"d\":4 ,\"x\":true}"},
		{"bb", "", `{ "a": 1,` + "\n  " + `"c":{}  , "d":4 }`},
	} {
		root := jsonscan.At([]byte(doc), 0)
		var edits jsonscan.Edits
		for name := range strings.SplitSeq(c.remove, "") {
			for k, v := range root.Members() {
				if k.Name == name {
					edits.Remove(k, v)
				}
			}
		}
		for name := range strings.SplitSeq(c.add, "") {
			edits.Append(root, name, []byte("true"))
		}
		got, err := edits.Apply([]byte(doc))
		if err != nil || string(got) != c.want {
			t.Errorf("without %q and with %q: %s, want %s (%v)", c.remove, c.add, got, c.want, err)
		}
		again, err := edits.Apply([]byte(doc))
		if err != nil || !bytes.Equal(again, got) {
			t.Errorf("applied again: %s (%v)", again, err)
		}
	}
}

func TestEditsThatOverlapAreRefused(t *testing.T) {
	t.Parallel()
	doc := []byte(`{"a":{"b":1},"c":2}`)
	root := jsonscan.At(doc, 0)
	for name, change := range map[string]func(*jsonscan.Edits){
		"a value inside one that is replaced": func(e *jsonscan.Edits) {
			e.Replace(root.Get("a"), []byte("1"))
			e.Replace(root.Get("a", "b"), []byte("1"))
		},
		"a value inside a member that is removed": func(e *jsonscan.Edits) {
			for k, v := range root.Members() {
				e.Remove(k, v)
			}
			e.Replace(root.Get("a", "b"), []byte("1"))
		},
		"the same bytes":   func(e *jsonscan.Edits) { e.Splice(1, 4, nil); e.Splice(1, 4, nil) },
		"beyond the end":   func(e *jsonscan.Edits) { e.Splice(1, 100, nil) },
		"before the start": func(e *jsonscan.Edits) { e.Splice(-1, 1, nil) },
		"the wrong way":    func(e *jsonscan.Edits) { e.Splice(3, 1, nil) },
	} {
		var edits jsonscan.Edits
		change(&edits)
		if out, err := edits.Apply(doc); !errors.Is(err, jsonscan.ErrOverlap) {
			t.Errorf("%s: %s, %v", name, out, err)
		}
	}
	var edits jsonscan.Edits
	edits.Replace(root.Get("c"), []byte("3"))
	at := root.Get("c").From()
	edits.Splice(at, at, []byte("1"))
	edits.Splice(at, at, []byte("2"))
	if pieces, err := edits.Pieces(doc); err != nil || string(bytes.Join(pieces, nil)) != `{"a":{"b":1},"c":123}` {
		t.Errorf("in pieces %q, %v", pieces, err)
	}
	if out, err := edits.Apply(doc); err != nil || string(out) != `{"a":{"b":1},"c":123}` {
		t.Errorf("inserted before a change: %s, %v", out, err)
	}
}

func TestReadingAllocatesNothing(t *testing.T) { //nolint:paralleltest // memory is measured
	for name, do := range map[string]func(){
		"walk": func() {
			var model jsonscan.Value
			r, err := jsonscan.Scan{Needles: needles}.Walk(chatBody, func(k jsonscan.Key, v jsonscan.Value) {
				if k.Name == "model" {
					model = v
				}
			})
			if err != nil || r.Root.To() == 0 || model.View() != "gpt-4.1" {
				t.Error("misread")
			}
		},
		"loops": func() {
			if readFrame(frame) != "Hello, " {
				t.Error("misread")
			}
		},
		"path": func() {
			if !jsonscan.At(chatBody, 0).Get("tools").Index(0).Get("function", "parameters", "properties", "days").Exists() {
				t.Error("misread")
			}
		},
	} {
		if n := testing.AllocsPerRun(100, do); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestManyMembersAreNotQuadratic(t *testing.T) {
	t.Parallel()
	doc := "{" + strings.Join(many(200_000), ",") + "}"
	if !jsonscan.Valid([]byte(doc), jsonscan.Strict) {
		t.Error("refused")
	}
	if jsonscan.Valid([]byte(doc[:len(doc)-1]+`,"n\u0037":1}`), jsonscan.Strict) {
		t.Error("a member that is there twice passes")
	}
	nested := strings.Repeat(`{"a":1,"b":2,"c":`, 1000) + "1" + strings.Repeat("}", 1000)
	if !jsonscan.Valid([]byte(nested), jsonscan.Strict) {
		t.Error("the same names at different depths are refused")
	}
}

func TestWriterSetsCommas(t *testing.T) {
	t.Parallel()
	w := jsonscan.NewWriter([]byte("data: "))
	w.Open(jsonscan.Object).Key("a\n").Plain("cGxhaW4=").Key("b").Open(jsonscan.Array).Close(jsonscan.Array)
	w.WriteInside(jsonscan.At([]byte("{ \"c\" : 1 , \"d\" : 2 }"), 0)).WriteInside(jsonscan.At([]byte("{ }"), 0)).Raw(nil)
	w.Key("e").Float(0.5).Key("f").Float(math.Inf(1)).Key("g").Text("\xff").Close(jsonscan.Object)
	const want = `data: {"a\n":"cGxhaW4=","b":[],"c" : 1 , "d" : 2,"e":0.5,"f":null,"g":"�"}`
	if got := string(w.Bytes()); got != want || !utf8.ValidString(got) {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRootIsTheWholeDocument(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{"", " ", "1", " {\"a\": [1]} \n", "[]"} {
		if root, walked := jsonscan.Root([]byte(doc)), jsonscan.At([]byte(doc), 0); string(root.Raw()) != string(walked.Raw()) || root.From() != walked.From() {
			t.Errorf("%q: %q, want %q", doc, root.Raw(), walked.Raw())
		}
	}
}

func TestFindLooksNoFurther(t *testing.T) {
	t.Parallel()
	doc := []byte(`data: {"a":{"model":"y"},"model":"x", and so on`)
	v := jsonscan.Find(doc, 5, "model")
	if v.View() != "x" || string(doc[v.From():v.To()]) != `"x"` || jsonscan.Find(doc, 5, "a", "model").View() != "y" {
		t.Errorf("%s", v.Raw())
	}
	if jsonscan.Find(doc, 0, "model").Exists() || jsonscan.Find(nil, 0, "model").Exists() || jsonscan.Find(doc, 5, "b").Exists() {
		t.Error("found what is not there")
	}
}

// checkTold holds what a walk tells of texts against the walk that goes for them, and
// members with one of them known against those without.
func checkTold(t *testing.T, doc []byte, root jsonscan.Value) {
	t.Helper()
	var want, got []string
	root.EachText(func([]byte) bool { return true }, func(path []jsonscan.Step, text jsonscan.Value) bool {
		name := ""
		for _, s := range path {
			if s.Name != nil {
				name = string(s.Name)
			}
		}
		want = append(want, name, string(text.Raw()), strconv.Itoa(text.From()))
		return true
	})
	scan := jsonscan.Scan{Allow: jsonscan.LoneSurrogates, Text: func(name string, text jsonscan.Value) {
		got = append(got, name, string(text.Raw()), strconv.Itoa(text.From()))
	}}
	if _, err := scan.Walk(doc, nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q: told %q, want %q (%v)", doc, got, want, err)
	}
	for _, known := range root.Members() {
		var around []int
		for key, v := range root.MembersAround(known.From(), known.To()) {
			around = append(around, key.From, key.To, v.From(), v.To())
		}
		var all []int
		for key, v := range root.Members() {
			all = append(all, key.From, key.To, v.From(), v.To())
		}
		if !slices.Equal(around, all) {
			t.Errorf("%q: around %q are %v, want %v", doc, known.Raw(), around, all)
		}
	}
}

// What is remembered of names is bounded, however they are nested; what is wrong elsewhere is
// told as ever.
func TestMembersAreBounded(t *testing.T) {
	t.Parallel()
	members := func(from, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"%d":0,`, from+i)
		}
		return b.String()
	}
	for name, test := range map[string]struct{ doc, reason string }{
		"many":          {`{` + members(0, 200_000) + `"a":1}`, ""},
		"many in turns": {`[{` + members(0, 200_000) + `"a":1},{` + members(0, 200_000) + `"a":1}]`, ""},
		"too many":      {`{` + members(0, 300_000) + `"a":1}`, "its objects have more members than are taken"},
		"nested":        {`{` + members(0, 200_000) + `"a":{` + members(0, 100_000) + `"b":1}}`, "its objects have more members than are taken"},
		"broken":        {`{` + members(0, 100_000) + `"a":x}`, "invalid character 'x' at start of value"},
	} {
		_, err := jsonscan.Parse([]byte(test.doc), jsonscan.Strict)
		if test.reason == "" && err != nil || test.reason != "" && (err == nil || !strings.Contains(err.Error(), test.reason)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWithTextPutsATextIntoThePlaceOfAnother(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		`{"a":1, "b" : "x" }`: `{"a":1, "b" : "\"y\"" }`, `{"b":1}`: `{"b":1}`, `{}`: `{}`, `{"b":"x`: `{"b":"x`, `{"b":"`: `{"b":"`,
	} {
		if got := string(jsonscan.WithText([]byte(doc), jsonscan.At([]byte(doc), 0).Get("b"), `"y"`)); got != want {
			t.Errorf("%s became %s, want %s", doc, got, want)
		}
	}
}
