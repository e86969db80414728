package formula

import (
	"fmt"
	"strconv"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

// longestMessage is how much of a library's message is passed on: some quote values.
const longestMessage = 300

// scan refuses what is too long or too deep for the parser, which recurses: a stack
// that overflows ends the process and cannot be recovered from.
func scan(text string) error {
	if len(text) > LongestText {
		return &Error{Message: fmt.Sprintf("an expression has at most %d KB", LongestText>>10)}
	}
	tokens, err := lexer.Lex(file.NewSource(text)) // reads on, without recursion
	if err != nil {
		return toError(err)
	}
	depth, signs := 0, 0
	for _, t := range tokens {
		switch {
		case t.Is(lexer.Bracket, "(", "[", "{"):
			depth++
		case t.Is(lexer.Bracket):
			depth--
		}
		if t.Is(lexer.Operator) {
			signs++
		} else {
			signs = 0
		}
		if depth > MostNesting || signs > MostNesting {
			return &Error{t.From + 1, fmt.Sprintf("nested more than %d deep", MostNesting)}
		}
	}
	return nil
}

func shorten(message string) string {
	if runes := []rune(message[:min(len(message), 4*longestMessage)]); len(runes) > longestMessage {
		return string(runes[:longestMessage]) + "…"
	}
	return message
}

func number(n int) string { return strconv.Itoa(n) }
