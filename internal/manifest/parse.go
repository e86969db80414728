package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The parser takes time in the square of some of these (keys of one mapping, blank
// lines in a block of text, nesting), so they are bounded before it runs.
const (
	maxBytes  = 1 << 20
	maxLines  = 10_000
	maxTokens = 60_000
	maxDepth  = 64
)

// parse returns the body of the only document in src, nil if it is empty.
func parse(src []byte) (body ast.Node, bad *Problem) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if bad := checkBytes(src); bad != nil {
		return nil, bad
	}
	// The parser is not ours and the bytes may be a client's: what makes it panic is
	// a bad file, not a reason to stop the program.
	defer func() {
		if recover() != nil {
			body, bad = nil, &Problem{Message: "not valid YAML"}
		}
	}()
	tokens := lexer.Tokenize(string(src))
	if bad := checkTokens(tokens); bad != nil {
		return nil, bad
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxProblem(src, err)
	}
	if len(file.Docs) == 0 {
		return nil, nil
	}
	return file.Docs[0].Body, nil
}

// checkBytes refuses what is too large and what is not text.
func checkBytes(src []byte) *Problem {
	if len(src) > maxBytes {
		return &Problem{Message: fmt.Sprintf("larger than %d bytes", maxBytes)}
	}
	line, column := 1, 1
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		i += n
		if r == utf8.RuneError && n == 1 {
			return &Problem{Line: line, Column: column, Message: "not UTF-8 text"}
		}
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f {
			return &Problem{Line: line, Column: column, Message: fmt.Sprintf("control character %U", r)}
		}
		column++
		if r == '\n' || r == '\r' && !bytes.HasPrefix(src[i:], []byte("\n")) {
			line, column = line+1, 1
		}
	}
	if line > maxLines {
		return &Problem{Message: fmt.Sprintf("more than %d lines", maxLines)}
	}
	return nil
}

// checkTokens refuses what is too deep or too much for the parser, and whatever
// goes beyond one plain document.
func checkTokens(tokens token.Tokens) *Problem {
	if len(tokens) > maxTokens {
		return &Problem{Message: fmt.Sprintf("more than %d words and signs", maxTokens)}
	}
	var flow, dashes, line, content int
	ended := false
	for _, tk := range tokens {
		if tk.Type == token.CommentType {
			continue
		}
		if tk.Position.Line != line {
			line, dashes = tk.Position.Line, 0
		}
		switch tk.Type {
		case token.DocumentEndType:
			ended = true
			continue
		case token.DirectiveType:
			return tokenProblem(tk, "directives (%%YAML, %%TAG) are not supported")
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		case token.SequenceEntryType:
			dashes++
		}
		if flow > maxDepth || dashes > maxDepth {
			return tokenProblem(tk, "nested more than %d deep", maxDepth)
		}
		if ended || tk.Type == token.DocumentHeaderType && content > 0 {
			return tokenProblem(tk, "a second document begins here; one file holds one")
		}
		content++
	}
	return nil
}

func tokenProblem(tk *token.Token, format string, args ...any) *Problem {
	return &Problem{
		Line:    tk.Position.Line,
		Column:  tk.Position.Column,
		Message: fmt.Sprintf(format, args...),
	}
}

func syntaxProblem(src []byte, err error) *Problem {
	at, ok := errors.AsType[yaml.Error](err)
	if !ok || at.GetToken() == nil || at.GetToken().Position == nil {
		return &Problem{Message: "not valid YAML"}
	}
	tk := at.GetToken()
	if tk.Type == token.MappingStartType && followsDollar(src, tk.Position) {
		return tokenProblem(tk, "not valid YAML: put quotes around ${…} inside [ ] and { }")
	}
	if tk.Type == token.AliasType {
		return tokenProblem(tk, "not valid YAML: what begins with * must be in quotes")
	}
	return tokenProblem(tk, "not valid YAML: %s", shorten(at.GetMessage()))
}

// followsDollar reports whether the sign before pos is a "$". In flow style a "{"
// begins a mapping even there, and the parser's own words do not help.
func followsDollar(src []byte, pos *token.Position) bool {
	lines := strings.Split(strings.ReplaceAll(string(src), "\r\n", "\n"), "\n")
	if pos.Line > len(lines) {
		return false
	}
	line := []rune(lines[pos.Line-1])
	return pos.Column >= 2 && pos.Column-2 < len(line) && line[pos.Column-2] == '$'
}
