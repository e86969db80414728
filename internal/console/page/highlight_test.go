package page

import "testing"

func TestJSONIsMarkedWhereverItStands(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`{"a":1}`:                   `{<span class="k">&#34;a&#34;</span>:<span class="v">1</span>}`,
		`{"a" : "b\"c", "d": null}`: `{<span class="k">&#34;a&#34;</span> : <span class="s">&#34;b\&#34;c&#34;</span>, <span class="k">&#34;d&#34;</span>: <span class="v">null</span>}`,
		`[-1.5e+3,true,nullx,1x]`:   `[<span class="v">-1.5e+3</span>,<span class="v">true</span>,nullx,1x]`,
		`curl http://x:8080/v1`:     `curl http://x:8080/v1`,
		`data: {"n":2}`:             `data: {<span class="k">&#34;n&#34;</span>:<span class="v">2</span>}`,
		`"open 1 <b>`:               `&#34;open <span class="v">1</span> &lt;b&gt;`,
	} {
		if got := string(Highlight(source)); got != want {
			t.Errorf("%s\n%s\nwant\n%s", source, got, want)
		}
	}
}
