package jsonscan_test

import (
	"testing"

	"stele/internal/jsonscan"
)

func TestATemplateFitsWhatDiffersInItsStrings(t *testing.T) {
	t.Parallel()
	var template jsonscan.Template
	if _, ok := template.First(nil); ok {
		t.Error("nothing fits nothing")
	}
	for _, first := range []string{`{"a":{"b":"x"},"n":1,"pad":"123"}`, `{"a":{"b":"\u0041 \" é"},"n":1,"pad":""}`} {
		doc := []byte(first)
		template.Learn(doc, jsonscan.At(doc, 0).Get("a", "b"), jsonscan.At(doc, 0).Get("pad"))
		for text, want := range map[string]string{
			`{"a":{"b":"x"},"n":1,"pad":"123"}`:                        "x",
			`{"a":{"b":""},"n":1,"pad":""}`:                            "",
			`{"a":{"b":"some more words, é ü 😀"},"n":1,"pad":"12345"}`: "some more words, é ü 😀",
		} {
			if got, ok := template.First([]byte(text)); !ok || string(got) != want {
				t.Errorf("%s: %q, %v", text, got, ok)
			}
		}
		for _, text := range []string{
			``, `{`, `{"a":{"b":"`, `{"a":{"b":"x`, `{"a":{"b":"x"`, `{"a":{"b":"x"},"n":2,"pad":"123"}`, `{"a":{"b":"x"},"n":1,"pad":"123"} `,
			`{"a":{"b":"x\n"},"n":1,"pad":""}`, "{\"a\":{\"b\":\"\x01\"},\"n\":1,\"pad\":\"\"}", "{\"a\":{\"b\":\"\xff\"},\"n\":1,\"pad\":\"\"}",
			`{"a":{"b":"x"},"n":1,"pad":"\\"}`, `{"a":{"b":"x"},"n":1,"pad":"1","pad":"1"}`, `{"a":{"b":"x","b":"y"},"n":1,"pad":""}`,
		} {
			if got, ok := template.First([]byte(text)); ok {
				t.Errorf("%s fits: %q", text, got)
			}
		}
	}
}

func TestATemplateIsShort(t *testing.T) {
	t.Parallel()
	var template jsonscan.Template
	doc := []byte(`{"a":"x","b":"` + string(make([]byte, 5000)) + `"}`)
	template.Learn(doc, jsonscan.At(doc, 0).Get("a"))
	if _, ok := template.First(doc); ok {
		t.Error("it kept a long document")
	}
}
