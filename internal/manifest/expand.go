package manifest

import "strings"

// expand sets n's text with each ${NAME} replaced by its variable and each $${ by
// ${. What cannot be replaced is a problem and leaves n null. The value of a
// variable is never part of a report: it may be a secret.
func (n *Node) expand(text string) {
	n.text = text
	lookup := n.doc.env
	if lookup == nil || !strings.Contains(text, "${") {
		return
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			break
		}
		if strings.HasSuffix(before, "$") {
			b.WriteString("{")
			text = rest
			continue
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !isVariable(name) {
			n.Report("${ must be followed by a variable's name and }; write $${ for the signs themselves")
			break
		}
		value, ok := lookup(name)
		if !ok {
			n.report("the environment variable %s is not set", shorten(name))
		}
		b.WriteString(value)
		n.expanded, text = true, after
	}
	n.text = b.String()
	if n.bad {
		n.kind, n.text = Null, ""
	}
}

func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}
