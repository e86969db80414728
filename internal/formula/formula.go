// Package formula reads and runs the expressions of app files within bounds: how
// long and how deep one may be, how much work it may do, how many bytes it may make,
// how long it may take. The language is that of expr-lang/expr, whose parser and
// checker it uses; it walks the checked tree itself, so that all work is counted in
// one place. It must not know what apps are.
package formula

import (
	"errors"
	"reflect"
	"regexp"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
)

// What one expression may be.
const (
	LongestText = 4 << 10 // bytes
	MostNodes   = 400     // parts of the tree
	MostNesting = 64      // brackets inside brackets, signs before signs
	mostVisits  = 20_000  // of nodes while it is checked
)

// What all expressions of one scope may be together.
const (
	MostExpressions = 500
	mostAllNodes    = 6_000
	mostAllVisits   = 200_000
	mostAllPatterns = 30_000 // instructions of all patterns that are written out
)

// Scope is what expressions may speak of, with their types. It counts what is read
// in it and in the scopes made of it. It is not safe for concurrent use.
type Scope struct {
	config *conf.Config
	names  types.Map
	read   *totals
}

// totals is what was read so far.
type totals struct{ expressions, nodes, visits, patterns int }

// NewScope makes a scope of names and their types.
func NewScope(names types.Map) *Scope { return newScope(names, new(totals)) }

// With is a scope of other names that counts together with s.
func (s *Scope) With(names types.Map) *Scope { return newScope(names, s.read) }

func newScope(names types.Map, read *totals) *Scope {
	c := conf.CreateNew()
	c.MaxNodes = MostNodes
	for name := range c.Builtins {
		if !isCounted(name) {
			c.Disabled[name] = true
			delete(c.Builtins, name)
		}
	}
	c.WithEnv(names)
	return &Scope{c, names, read}
}

// Names are what expressions may speak of.
func (s *Scope) Names() types.Map { return s.names }

// Error says what is wrong with the text of an expression.
type Error struct {
	Column  int // from 1, 0: it is about the whole
	Message string
}

func (e *Error) Error() string { return e.Message }

// Program is an expression that was read and checked. It is safe for concurrent use.
type Program struct {
	text     string
	node     ast.Node
	patterns map[ast.Node]*regexp.Regexp // of the constants that are matched against
}

// Text is the expression as it was written.
func (p *Program) Text() string { return p.text }

// Type is what is known of the value's type; an interface where nothing is.
func (p *Program) Type() reflect.Type { return p.node.Type() }

// Nature is what the checker knows of the value.
func (p *Program) Nature() *nature.Nature { return p.node.Nature() }

// Walk shows every part of the expression to v, inner ones first.
func (p *Program) Walk(v ast.Visitor) {
	node := p.node
	ast.Walk(&node, v)
}

// Compile reads an expression. What is wrong with it is an *Error. Nothing is given
// to the parser or the checker before it is known that they end soon: both recurse,
// and the checker looks at some parts many times.
func (s *Scope) Compile(text string) (p *Program, err error) {
	s.read.expressions++
	if s.read.expressions > MostExpressions {
		return nil, &Error{Message: "there are more than " + number(MostExpressions) + " expressions here"}
	}
	if err := scan(text); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil { // neither parser nor checker is ours
			p, err = nil, &Error{Message: "this cannot be understood"}
		}
	}()
	tree, err := parser.ParseWithConfig(text, s.config)
	if err != nil {
		return nil, toError(err)
	}
	p = &Program{text: text, patterns: make(map[ast.Node]*regexp.Regexp)}
	m := measurer{patterns: p.patterns, weights: s.read.patterns}
	err = m.measure(tree.Node)
	if s.read.patterns = m.weights; err != nil {
		return nil, err
	}
	if s.read.nodes += m.nodes; s.read.nodes > mostAllNodes {
		return nil, &Error{Message: "all expressions together are too much: more than " + number(mostAllNodes) + " names, values and signs"}
	}
	if s.read.visits += m.visits; s.read.visits > mostAllVisits {
		return nil, &Error{Message: "all expressions together are too much to check"}
	}
	if _, err := checker.Check(tree, s.config); err != nil {
		return nil, toError(err)
	}
	p.node = tree.Node
	return p, nil
}

func toError(err error) error {
	if e, ok := errors.AsType[*file.Error](err); ok {
		return &Error{e.Column + 1, shorten(e.Message)}
	}
	return &Error{Message: shorten(err.Error())}
}
