package formula

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

const (
	longestPattern = 1 << 10 // bytes
	heaviest       = 10_000  // instructions that a pattern may become
)

var errPattern = errors.New("this pattern is too large")

// Pattern compiles a regular expression of moderate size, and tells how large it is:
// x{1000} alone is a thousand instructions.
func Pattern(text string) (re *regexp.Regexp, instructions int, err error) {
	if instructions, err = weighPattern(text); err != nil {
		return nil, 0, err
	}
	re, err = regexp.Compile(text)
	return re, instructions, err
}

// weighPattern is how many instructions a pattern becomes, about.
func weighPattern(text string) (int, error) {
	if len(text) > longestPattern {
		return 0, fmt.Errorf("a pattern has at most %d bytes", longestPattern)
	}
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	n := weight(re)
	if n > heaviest {
		return 0, errPattern
	}
	return n, nil
}

func weight(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n = min(n+weight(sub), 2*heaviest)
	}
	if re.Op == syntax.OpRepeat {
		n = min(n*max(1, re.Min, re.Max), 2*heaviest)
	}
	return n
}
