package reference

import (
	"strings"
	"testing"

	"stele/internal/console/page"
)

func TestProseIsTheMarkdownOfDescriptions(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"One line\ngoes on.\n\nAnother.":                        "<p>One line\ngoes on.</p>\n<p>Another.</p>",
		"Lists:\n- `a` first\n  and on\n- b":                    "<p>Lists:</p>\n<ul>\n<li><code>a</code> first\nand on</li>\n<li>b</li>\n</ul>",
		"```json\n{\"a\": 1}\n\n<x>\n```\nafter":                "<pre><code>{&#34;a&#34;: 1}\n\n&lt;x&gt;</code></pre><p>after</p>",
		"**All `code`** and *this*, 2*3*4":                      "<p><strong>All <code>code</code></strong> and <em>this</em>, 2<em>3</em>4</p>",
		"[here](https://example.com/?a=1&b) [no](javascript:x)": `<p><a href="https://example.com/?a=1&amp;b">here</a> <a href="">no</a></p>`,
		"<script>alert(1)</script> `<b>`":                       "<p>&lt;script&gt;alert(1)&lt;/script&gt; <code>&lt;b&gt;</code></p>",
		"# Title\ntext":                                         "<p><strong>Title</strong></p><p>text</p>",
		"As in\n\n    curl <x>\n\nor so":                        "<p>As in</p>\n<p>curl &lt;x&gt;</p><p>or so</p>",
		"![a *picture*](/x.png) here":                           "<p>a <em>picture</em> here</p>",
		"":                                                      "",
	} {
		if got := string(prose(source)); got != want {
			t.Errorf("prose(%q)\n got %s\nwant %s", source, got, want)
		}
	}
}

func FuzzProseLetsNoMarkupThrough(f *testing.F) {
	f.Add("**a** `b` [c](/d) - e\n\n```\nf\n```")
	f.Add("<img src=x onerror=y> [\"](https://\"onclick=)")
	f.Fuzz(func(t *testing.T, source string) {
		out := string(prose(source)) + string(phrase(source)) + string(page.Highlight(source))
		for _, mark := range []string{
			"<p>", "</p>", "<ul>", "</ul>", "<ol>", "</ol>", `<ol start="`, "<br>", `" title="`, "<li>", "</li>", "<pre>", "</pre>", "<code>", "</code>", "<strong>", "</strong>",
			"<em>", "</em>", `<a href="`, "</a>", `<span class="k">`, `<span class="s">`, `<span class="v">`, "</span>", `">`,
		} {
			out = strings.ReplaceAll(out, mark, "")
		}
		if strings.ContainsAny(out, `<>"`) {
			t.Errorf("%q leaves %q", source, out)
		}
	})
}

func TestExamplesKeepTheirOrderAndShortThingsStayShort(t *testing.T) {
	t.Parallel()
	d, err := parseDocument([]byte("example:\n  z: [1, 2.5, true]\n  a:\n    - {b: \"<q>\", c: null}\n  long: {name: " +
		strings.Repeat("x", 60) + "}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"z\": [1, 2.5, true],\n  \"a\": [{\"b\": \"<q>\", \"c\": null}],\n  \"long\": {\n    \"name\": \"" +
		strings.Repeat("x", 60) + "\"\n  }\n}"
	if got := d.examples(d.root)[0].Text; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReferencesInACircleEnd(t *testing.T) {
	t.Parallel()
	ref, err := readReference([]byte(`
paths:
  /a:
    get:
      responses: {'200': {$ref: '#/components/responses/A'}}
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Tree'}}}}
components:
  responses: {A: {$ref: '#/components/responses/B'}, B: {$ref: '#/components/responses/A'}}
  schemas:
    Tree: {allOf: [{$ref: '#/components/schemas/Tree'}], properties: {left: {$ref: '#/components/schemas/Tree'}, also: {type: [string, 'null']}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	o := ref.Tags[0].Operations[0]
	if ref.Tags[0].Name != "Other" || o.Summary != "GET /a" || len(o.Bodies) != 1 {
		t.Errorf("the operation is %+v", o)
	}
	if empty, err := readReference(nil); empty != nil || err != nil {
		t.Errorf("an empty document gives %v, %v", empty, err)
	}
	if _, err := readReference([]byte("a: [")); err == nil {
		t.Error("a broken document is taken")
	}
}
