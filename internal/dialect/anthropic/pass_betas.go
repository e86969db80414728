package anthropic

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/pattern"
)

// Claude Code names in a header what it may use of the API's that is not for all yet, and its user can turn none of it
// off. Clouds, and servers that check as they do, refuse names that they do not know. What such a name switches on is
// in the body, and refused there for itself.

// betas begins what a refusal of such names is called; they follow, with commas between. None are all.
const betas = "anthropic-beta:"

var (
	someBetas = pattern.New("(?i)unexpected value\\(s\\) (.{1,1000}?) for the [`'\"]?anthropic-beta")
	oneBeta   = pattern.New("[`'\"]([\\w.-]+)[`'\"]")
	anyBeta   = pattern.New(`(?i)(invalid|unknown|unsupported) (anthropic[ _-])?beta[ _-](flag|header|value|feature)|anthropic-beta\b.{0,40}(not supported|not allowed|unsupported|invalid)`)
)

// refusedBetas are the names that a refusal is about, if it is about any.
func refusedBetas(words string) string {
	if found := someBetas().FindStringSubmatch(words); found != nil {
		var names []string
		for _, name := range oneBeta().FindAllStringSubmatch(found[1], -1) {
			names = append(names, name[1])
		}
		return betas + strings.Join(names, ",")
	}
	if anyBeta().MatchString(words) {
		return betas
	}
	return ""
}

// leaveBetas takes refused names out of the header.
func leaveBetas(call *dialect.Outgoing, refused []string) {
	var gone []string
	for _, what := range refused {
		names, is := strings.CutPrefix(what, betas)
		if !is {
			continue
		}
		var kept []string
		for name := range strings.SplitSeq(strings.Join(call.Header.Values(betaHeader), ","), ",") {
			switch name = strings.TrimSpace(name); {
			case name == "":
			case names == "" || slices.Contains(strings.Split(names, ","), name):
				gone = append(gone, name)
			default:
				kept = append(kept, name)
			}
		}
		call.Header.Del(betaHeader)
		if len(kept) > 0 {
			call.Header.Set(betaHeader, strings.Join(kept, ","))
		}
	}
	if len(gone) > 0 {
		call.Losses = append(call.Losses, chat.Lost(prefix+"anthropic-beta", chat.Dropped, "the server does not know "+strings.Join(gone, ", ")))
	}
}
