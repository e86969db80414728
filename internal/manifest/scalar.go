package manifest

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The core schema of YAML 1.2, section 10.3.2. The parser's own reading is wider:
// it takes 1_000 and 0b11 for numbers and 0777 for an octal one.
var (
	wholeNumber = regexp.MustCompile(`^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	anyNumber   = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	noNumber    = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// kindOf returns what an unquoted scalar is.
func kindOf(text string) Kind {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	}
	switch {
	case wholeNumber.MatchString(text):
		return Int
	case anyNumber.MatchString(text), noNumber.MatchString(text):
		return Float
	}
	return Text
}

// setText makes n text, with its variables replaced.
func (n *Node) setText(text string) {
	n.kind = Text
	n.expand(text)
}

// setPlain makes n what an unquoted scalar says.
func (n *Node) setPlain(text string) {
	n.kind, n.text = kindOf(text), text
	switch n.kind {
	case Null:
		n.text = ""
	case Text:
		n.expand(text)
		n.loose = n.expanded
	}
}

// as returns the kind n counts as where text is not wanted: a number from a
// variable is a number.
func (n *Node) as() Kind {
	if n.loose {
		return kindOf(n.text)
	}
	return n.kind
}

func (n *Node) boolean() bool { return strings.EqualFold(n.text, "true") }

var errRange = errors.New("out of range")

func (n *Node) integer() (int64, error) {
	digits, base := n.text, 10
	if rest, ok := strings.CutPrefix(digits, "0o"); ok {
		digits, base = rest, 8
	} else if rest, ok := strings.CutPrefix(digits, "0x"); ok {
		digits, base = rest, 16
	}
	i, err := strconv.ParseInt(digits, base, 64)
	if err != nil {
		return 0, errRange
	}
	return i, nil
}

// number returns a finite number; whole ones count too.
func (n *Node) number() (float64, error) {
	if n.as() == Int {
		if i, err := n.integer(); err == nil {
			return float64(i), nil
		}
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, errRange
	}
	return f, nil
}
