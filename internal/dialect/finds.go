package dialect

import (
	"fmt"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// AllOffered is what became of a tool that finds others.
const AllOffered = "all tools are offered at once: there is nothing to find"

// FindsTools reports whether a tool is Anthropic's that looks for others among those of the
// request whose loading is deferred. Where all are offered from the beginning it has nothing to do.
func FindsTools(t *chat.Tool) bool {
	return t.Kind == chat.Server && strings.HasPrefix(jsonscan.At(t.Raw, 0).Get("type").View(), "tool_search_tool_")
}

// WhyElsewhere is why a tool is refused that runs at a provider which is not the model's.
func WhyElsewhere(t *chat.Tool) string {
	return fmt.Sprintf("the tool %q runs at the provider whose API it is part of, and this model is another's: offer a function in its place, or choose a model of that provider", t.Name)
}
