package reference

import (
	"html/template"
	"regexp"
	"strings"

	"stele/internal/console/page"
)

// prose turns the part of Markdown that descriptions use into HTML: paragraphs,
// lists, fenced code, and `code`, **strong**, *emphasis* and links within them.
// Everything else is text: nothing of the source reaches the page unescaped.
func prose(source string) template.HTML {
	var b strings.Builder
	for _, block := range blocks(source) {
		switch {
		case strings.HasPrefix(block[0], "```"):
			b.WriteString("<pre><code>" + page.Escape(strings.Join(block[1:], "\n")) + "</code></pre>")
		case bullet.MatchString(block[0]):
			b.WriteString("<ul>" + items(block) + "</ul>")
		case strings.HasPrefix(block[0], "#"):
			b.WriteString("<p><strong>" + inline(strings.TrimLeft(block[0], "# ")) + "</strong></p>")
		default:
			b.WriteString("<p>" + inline(strings.Join(block, " ")) + "</p>")
		}
	}
	return template.HTML(b.String()) //nolint:gosec // every piece went through escape
}

// phrase is prose for places that hold no paragraphs: all of it on one line.
func phrase(source string) template.HTML {
	return template.HTML(inline(strings.Join(strings.Fields(source), " "))) //nolint:gosec // every piece went through escape
}

var bullet = regexp.MustCompile(`^\s*(?:[-*+]|\d+\.)\s+`)

// blocks cuts the source at blank lines, before a list, and around fences.
func blocks(source string) [][]string {
	var all [][]string
	var block []string
	end := func() {
		if len(block) > 0 {
			all = append(all, block)
		}
		block = nil
	}
	fenced := false
	for line := range strings.SplitSeq(source, "\n") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fenced && fence:
			end()
			fenced = false
		case fenced:
			block = append(block, line)
		case fence:
			end()
			fenced, block = true, []string{"```"}
		case strings.TrimSpace(line) == "":
			end()
		default:
			inList := len(block) > 0 && bullet.MatchString(block[0])
			heading := strings.HasPrefix(line, "#")
			if bullet.MatchString(line) && !inList || heading {
				end()
			}
			block = append(block, line)
			if heading {
				end()
			}
		}
	}
	end()
	return all
}

// items makes the list items of a block; a line without a bullet goes on with
// the item before it.
func items(block []string) string {
	var all []string
	for _, line := range block {
		if mark := bullet.FindString(line); mark != "" {
			all = append(all, line[len(mark):])
		} else {
			all[len(all)-1] += " " + strings.TrimSpace(line)
		}
	}
	var b strings.Builder
	for _, item := range all {
		b.WriteString("<li>" + inline(item) + "</li>")
	}
	return b.String()
}

var spans = regexp.MustCompile("`([^`]+)`" + `|\*\*(.+?)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(((?:https?://|#|/)[^)\s]*)\)`)

func inline(s string) string {
	var b strings.Builder
	last := 0
	for _, m := range spans.FindAllStringSubmatchIndex(s, -1) {
		b.WriteString(page.Escape(s[last:m[0]]))
		group := func(n int) string { return s[m[2*n]:m[2*n+1]] }
		switch {
		case m[2] >= 0:
			b.WriteString("<code>" + page.Escape(group(1)) + "</code>")
		case m[4] >= 0:
			b.WriteString("<strong>" + inline(group(2)) + "</strong>")
		case m[6] >= 0:
			b.WriteString("<em>" + inline(group(3)) + "</em>")
		default:
			b.WriteString(`<a href="` + page.Escape(group(5)) + `">` + inline(group(4)) + "</a>")
		}
		last = m[1]
	}
	b.WriteString(page.Escape(s[last:]))
	return b.String()
}
