package manifest

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// build turns the parser's tree into ours. What YAML allows and we refuse is
// reported and stands as null, so that the rest can still be checked.
func (d *Doc) build(in ast.Node, parent *Node, step any) *Node {
	n := &Node{doc: d, parent: parent, step: step}
	if parent != nil {
		n.depth = parent.depth + 1
	}
	tk := in.GetToken()
	n.line, n.column = tk.Position.Line, tk.Position.Column
	if n.depth > maxDepth {
		n.Report("nested more than %d deep", maxDepth)
		return n
	}
	switch in := in.(type) {
	case *ast.MappingNode:
		n.kind = Mapping
		d.buildEntries(n, in.Values)
	case *ast.SequenceNode:
		n.kind = List
		for i, v := range in.Values {
			n.items = append(n.items, d.build(v, n, i))
		}
	case *ast.LiteralNode:
		n.setText(in.Value.Value)
	case *ast.StringNode:
		if in.Token.Type == token.StringType {
			n.setPlain(in.Value)
		} else {
			n.setText(in.Value)
		}
	case *ast.NullNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		n.setPlain(tk.Value)
	case *ast.AnchorNode, *ast.AliasNode:
		n.Report("anchors (&name) and aliases (*name) are not supported; write the value out")
	case *ast.TagNode:
		n.Report("tags such as %s are not supported", shorten(tk.Value))
	default:
		n.Report("this is YAML that is not supported here")
	}
	return n
}

func (d *Doc) buildEntries(n *Node, values []*ast.MappingValueNode) {
	first := make(map[string]int) // key → line
	for i, v := range values {
		tk := v.Key.GetToken()
		if i == 0 && v.Start != nil && n.beginsAt(v.Start) {
			// A mapping in block style has no sign of its own: it begins at its first key.
			n.line, n.column = tk.Position.Line, tk.Position.Column
		}
		key, why := keyText(v.Key)
		if why != "" {
			d.reportAt(tk, n.path(), "%s", why)
			continue
		}
		if line, twice := first[key]; twice {
			d.reportAt(tk, n.path().Add(key), "set twice, first on line %d", line)
			continue
		}
		first[key] = tk.Position.Line
		child := d.build(v.Value, n, key)
		child.keyLine, child.keyColumn = tk.Position.Line, tk.Position.Column
		n.entries = append(n.entries, entry{key: key, value: child})
	}
}

func (n *Node) beginsAt(tk *token.Token) bool {
	return n.line == tk.Position.Line && n.column == tk.Position.Column
}

// keyText returns a mapping's key, or why it cannot be one.
func keyText(key ast.MapKeyNode) (text, why string) {
	switch key := key.(type) {
	case *ast.StringNode:
		return key.Value, ""
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return key.GetToken().Value, ""
	case *ast.MergeKeyNode:
		return "", "merge keys (<<) are not supported; write the fields out"
	default:
		return "", "a key must be plain text"
	}
}

func (d *Doc) reportAt(tk *token.Token, path Path, format string, args ...any) {
	p := problemAt(path, format, args...)
	p.File, p.Line, p.Column = d.file, tk.Position.Line, tk.Position.Column
	d.problems = append(d.problems, p)
}
