package reference

import (
	"html/template"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	markdown "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"stele/internal/console/page"
)

// Descriptions use a part of Markdown: paragraphs, lists, headings, fenced code, and
// `code`, **strong**, *emphasis* and links within them. Everything else, raw HTML
// included, is text.
var (
	paragraphs = util.Prioritized(parser.NewParagraphParser(), 1000)
	inlines    = parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200), util.Prioritized(parser.NewEmphasisParser(), 500))
	blockReader = parser.NewParser(inlines, parser.WithBlockParsers(
		util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400), util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600), util.Prioritized(parser.NewFencedCodeBlockParser(), 700), paragraphs))
	lineReader = parser.NewParser(inlines, parser.WithBlockParsers(paragraphs))
	writer     = renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(html.NewRenderer(), 1000), util.Prioritized(plain{}, 100)))
)

// prose turns a description into HTML.
func prose(source string) template.HTML { return render(blockReader, source) }

// phrase is prose for places that hold no paragraphs: all of it on one line.
func phrase(source string) template.HTML {
	line := string(render(lineReader, strings.Join(strings.Fields(source), " ")))
	return template.HTML(strings.TrimSuffix(strings.TrimPrefix(line, "<p>"), "</p>")) //nolint:gosec // rendered without raw HTML
}

func render(read parser.Parser, source string) template.HTML {
	var b strings.Builder
	body := []byte(source)
	if err := writer.Render(&b, body, read.Parse(markdown.NewReader(body))); err != nil {
		return template.HTML(page.Escape(source)) //nolint:gosec // escaped
	}
	return template.HTML(strings.TrimSpace(b.String())) //nolint:gosec // rendered without raw HTML
}

// plain writes headings as strong text, of pictures what they show, fenced code without its
// language and indented lines as a paragraph: the page has headings and code of its own.
type plain struct{}

func (plain) RegisterFuncs(on renderer.NodeRendererFuncRegisterer) {
	on.Register(ast.KindHeading, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		_, err := w.WriteString(map[bool]string{true: "<p><strong>", false: "</strong></p>"}[entering])
		return ast.WalkContinue, err
	})
	on.Register(ast.KindImage, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkContinue, nil })
	on.Register(ast.KindFencedCodeBlock, verbatim("<pre><code>", "</code></pre>"))
	on.Register(ast.KindCodeBlock, verbatim("<p>", "</p>"))
}

func verbatim(before, after string) renderer.NodeRendererFunc {
	return func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		_, err := w.WriteString(before + page.Escape(strings.TrimSuffix(string(n.Lines().Value(source)), "\n")) + after)
		return ast.WalkContinue, err
	}
}
