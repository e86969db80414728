package store

import (
	"cmp"
	"strconv"
	"strings"

	"stele/internal/meter"
)

// where is the conditions of a WHERE with their arguments. They are written out rather than switched
// by parameters: an engine sees that an index answers one only if it stands there by itself.
type where struct {
	texts []string
	args  []any
	index string // of the requests, that answers them
}

// add adds a condition with an argument for each ? in it.
func (c *where) add(text string, args ...any) {
	for _, arg := range args {
		text = strings.Replace(text, "?", c.arg(arg), 1)
	}
	c.texts = append(c.texts, text)
}

// arg adds an argument and gives its place.
func (c *where) arg(arg any) string {
	c.args = append(c.args, arg)
	return "$" + strconv.Itoa(len(c.args))
}

// addEqual adds that a column has a value: "" is any.
func (c *where) addEqual(column, value string) {
	if value != "" {
		c.add(column+" = ?", value)
	}
}

// is does the same with a value that may be meter.NoKey: none.
func (c *where) is(column, value string) {
	if value == meter.NoKey {
		c.add(column + " = ''")
		return
	}
	c.addEqual(column, value)
}

func (c *where) inList(column string, values []string) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = c.arg(v)
	}
	return column + " IN (" + strings.Join(list, ", ") + ")"
}

// text is all of them, or what is always true.
func (c *where) text() string { return cmp.Or(strings.Join(c.texts, " AND "), "1 = 1") }
