package app

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/go-json-experiment/json"

	"stele/internal/formula"
	"stele/internal/manifest"
	"stele/internal/media"
)

// template is a value of the file whose texts may hold expressions: ${…}. A text
// that is nothing but one expression has that expression's value; $${ stands for ${.
type template struct {
	literal any
	program *formula.Program
	pieces  []piece
	list    []*template
	fields  map[string]*template
}

// piece is a part of a text: words or an expression.
type piece struct {
	words   string
	program *formula.Program
}

// sight is what expressions at a place in the file may speak of.
type sight struct {
	doc   *manifest.Doc
	scope *formula.Scope
	steps map[string]int
	names []string
	needs map[int]bool // the steps that were spoken of
}

// compile reads a value of the file. What is wrong is reported at its place.
func (s *sight) compile(at manifest.Path, v any) *template {
	switch v := v.(type) {
	case string:
		return s.text(at, v)
	case []any:
		t := &template{list: make([]*template, len(v))}
		for i, item := range v {
			t.list[i] = s.compile(at.Add(i), item)
		}
		return t
	case map[string]any:
		t := &template{fields: make(map[string]*template, len(v))}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			t.fields[name] = s.compile(at.Add(name), v[name])
		}
		return t
	}
	return &template{literal: plainNumbers(v)}
}

func (s *sight) text(at manifest.Path, text string) *template {
	pieces, err := cut(text)
	if err != nil {
		s.doc.Report(at, "%s", err)
		return &template{literal: ""}
	}
	t := new(template)
	for _, p := range pieces {
		if !p.expression {
			t.pieces = append(t.pieces, piece{words: p.text})
			continue
		}
		program := s.expression(at, p.text)
		if program == nil {
			continue
		}
		if len(pieces) == 1 {
			return &template{program: program}
		}
		if k := program.Type(); k != nil && (k.Kind() == reflect.Slice || k.Kind() == reflect.Map) {
			s.doc.Report(at, "${%s} is a list or an object and cannot stand inside a text: use join(…) or toJSON(…)", quoteBriefly(p.text))
		}
		t.pieces = append(t.pieces, piece{program: program})
	}
	if len(t.pieces) == 1 && t.pieces[0].program == nil {
		return &template{literal: t.pieces[0].words}
	}
	if len(t.pieces) == 0 {
		return &template{literal: ""}
	}
	return t
}

// expression compiles what stands between ${ and }.
func (s *sight) expression(at manifest.Path, text string) *formula.Program {
	program, err := s.scope.Compile(text)
	if err != nil {
		s.doc.Report(at, "${%s}: %s", quoteBriefly(text), s.explain(err))
		return nil
	}
	m := mentions{sight: s, bare: make(map[ast.Node]bool)}
	program.Walk(&m)
	if len(m.bare) > 0 {
		s.doc.Report(at, "${%s}: steps is followed by the id of a step, as in steps.%s", quoteBriefly(text), s.example())
	}
	return program
}

// longestQuote is how much of an expression is said again in a message.
const longestQuote = 120

// quoteBriefly writes an expression as messages say it.
func quoteBriefly(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > longestQuote {
		return strings.ToValidUTF8(text[:longestQuote], "") + "…"
	}
	return text
}

// explain says what is wrong with an expression, and where in it.
func (s *sight) explain(err error) string {
	e, ok := errors.AsType[*formula.Error](err)
	if !ok {
		return err.Error()
	}
	message := e.Message
	if name, unknown := strings.CutPrefix(message, "unknown name "); unknown {
		message += manifest.DidYouMean(name, slices.Sorted(maps.Keys(s.scope.Names())))
	}
	if field, unknown := strings.CutPrefix(message, "unknown field "); unknown {
		message = "there is no " + field + " here" + manifest.DidYouMean(field, s.names)
	}
	if e.Column == 0 {
		return message
	}
	return fmt.Sprintf("character %d: %s", e.Column, message)
}

// example is the id of some step.
func (s *sight) example() string {
	for name := range s.steps {
		return name
	}
	return "id"
}

// mentions finds the steps that an expression speaks of.
type mentions struct {
	sight *sight
	bare  map[ast.Node]bool // steps without a name after it
}

// Visit looks at a node, after those beneath it.
func (m *mentions) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value == "steps" {
			m.bare[n] = true
		}
	case *ast.MemberNode:
		name, ok := n.Property.(*ast.StringNode)
		if !m.bare[n.Node] || !ok {
			return
		}
		delete(m.bare, n.Node)
		if i, known := m.sight.steps[name.Value]; known {
			m.sight.needs[i] = true
		}
	}
}

// raw is a piece of a text as it stands in the file.
type raw struct {
	text       string
	expression bool
}

var errOpen = errors.New("${ is never closed by }; write $${ for the two characters themselves")

// cut takes a text apart into words and expressions.
func cut(text string) ([]raw, error) {
	var list []raw
	var words strings.Builder
	flush := func() {
		if words.Len() > 0 {
			list = append(list, raw{text: words.String()})
			words.Reset()
		}
	}
	for text != "" {
		i := strings.Index(text, "${")
		if i < 0 {
			break
		}
		if i > 0 && text[i-1] == '$' {
			words.WriteString(text[:i-1] + "${")
			text = text[i+2:]
			continue
		}
		words.WriteString(text[:i])
		end := findClosing(text[i+2:])
		if end < 0 {
			return nil, errOpen
		}
		flush()
		list = append(list, raw{text[i+2 : i+2+end], true})
		text = text[i+2+end+1:]
	}
	words.WriteString(text)
	flush()
	return list, nil
}

// findClosing finds the brace that ends an expression: not one inside quotes or
// of an inner pair.
func findClosing(text string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == '\\' && quote != '`':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}' && depth == 0:
			return i
		case c == '}':
			depth--
		}
	}
	return -1
}

// value is what the template comes to, within the budget.
func (t *template) value(b *formula.Budget, env map[string]any) (any, error) {
	switch {
	case t == nil:
		return nil, nil
	case t.program != nil:
		return evaluate(b, t.program, env)
	case t.pieces != nil:
		return t.words(b, env)
	case t.list != nil:
		list := make([]any, len(t.list))
		for i, item := range t.list {
			v, err := item.value(b, env)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case t.fields != nil:
		fields := make(map[string]any, len(t.fields))
		for name, field := range t.fields {
			v, err := field.value(b, env)
			if err != nil {
				return nil, err
			}
			fields[name] = v
		}
		return fields, nil
	}
	return t.literal, nil
}

func (t *template) words(b *formula.Budget, env map[string]any) (any, error) {
	parts := make([]string, len(t.pieces))
	for i, p := range t.pieces {
		if p.program == nil {
			parts[i] = p.words
			continue
		}
		v, err := evaluate(b, p.program, env)
		if err != nil {
			return nil, err
		}
		parts[i] = toText(v)
	}
	text, err := b.Join(parts)
	return text, asValueless(err)
}

// toText writes a value inside a text.
func toText(v any) string {
	switch v.(type) {
	case nil, string, bool, int, float64:
		return media.Plain(v)
	}
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return ""
	}
	return string(text)
}

// evaluate runs an expression.
func evaluate(b *formula.Budget, p *formula.Program, env map[string]any) (any, error) {
	v, err := p.Run(b, env)
	if over, ok := errors.AsType[*formula.Overrun](err); ok {
		return nil, &valueless{"${" + quoteBriefly(p.Text()) + "}: " + over.Message, true}
	}
	return v, asValueless(err)
}

// asValueless makes one of an error that is the expression's; those of contexts stay.
func asValueless(err error) error {
	if over, ok := errors.AsType[*formula.Overrun](err); ok {
		return &valueless{over.Message, true}
	}
	if f, ok := errors.AsType[*formula.Failed](err); ok {
		return &valueless{"${" + quoteBriefly(f.Text) + "}: " + f.Message, false}
	}
	return err
}

// valueless is an expression that came to nothing with what it was given. It will
// each time.
type valueless struct {
	why  string
	over bool // it wanted more than an evaluation may have
}

func (v *valueless) Error() string { return v.why }

// nature is what is known of the template's value before it has one, nil for a
// template that is no expression.
func (t *template) nature() *nature.Nature {
	if t == nil || t.program == nil {
		return nil
	}
	return t.program.Nature()
}
