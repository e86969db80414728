// Package table is rows of a database in a form that no engine owns: what one
// engine gives, the other takes, and a file keeps. It must not know what any
// table is for.
package table

import (
	"encoding/base64"
	"fmt"
	"iter"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind is what the values of a column are.
type Kind string

// The kinds that both engines have.
const (
	Integer Kind = "integer" // int64
	Real    Kind = "real"    // float64
	Text    Kind = "text"    // string
	Bytes   Kind = "bytes"   // []byte
)

// Column is one of a table.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
}

// Table is the shape of rows.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
}

// Rows are the rows of a table; a value is an int64, float64, string, []byte or nil.
// A row is good until the next one is asked for.
type Rows iter.Seq2[[]any, error]

// AppendRow writes a row as one line of JSON without its end. Equal rows give equal lines.
func (t *Table) AppendRow(line []byte, row []any) ([]byte, error) {
	line = append(line, '[')
	for i, value := range row {
		if i > 0 {
			line = append(line, ',')
		}
		var err error
		if line, err = appendValue(line, value); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t.Name, t.Columns[i].Name, err)
		}
	}
	return append(line, ']'), nil
}

func appendValue(line []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(line, "null"...), nil
	case int64:
		return strconv.AppendInt(line, v, 10), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v cannot be written", v)
		}
		return strconv.AppendFloat(line, v, 'g', -1, 64), nil
	case []byte:
		line = append(line, '"')
		line = base64.StdEncoding.AppendEncode(line, v)
		return append(line, '"'), nil
	case string:
		if !utf8.ValidString(v) { // PostgreSQL has none; SQLite looks at no text
			line, err := appendValue(append(line, '['), []byte(v))
			return append(line, ']'), err
		}
		return jsontext.AppendQuote(line, v)
	}
	return nil, fmt.Errorf("%T cannot be written", value)
}

// ParseRow reads a line that AppendRow wrote.
func (t *Table) ParseRow(line []byte) ([]any, error) {
	var values []jsontext.Value
	if err := json.Unmarshal(line, &values); err != nil {
		return nil, fmt.Errorf("read row of %s: %w", t.Name, err)
	}
	if len(values) != len(t.Columns) {
		return nil, fmt.Errorf("read row of %s: it has %d values, not %d", t.Name, len(values), len(t.Columns))
	}
	row := make([]any, len(values))
	for i, raw := range values {
		var err error
		if row[i], err = parseValue(t.Columns[i].Kind, raw); err != nil {
			return nil, fmt.Errorf("read %s.%s: %w", t.Name, t.Columns[i].Name, err)
		}
	}
	return row, nil
}

func parseValue(kind Kind, raw jsontext.Value) (any, error) {
	if raw.Kind() == 'n' {
		return nil, nil
	}
	switch kind {
	case Integer:
		return strconv.ParseInt(string(raw), 10, 64)
	case Real:
		return strconv.ParseFloat(string(raw), 64)
	case Bytes:
		var b []byte
		err := json.Unmarshal(raw, &b)
		return b, err
	case Text:
		if raw.Kind() == '[' {
			var odd [1][]byte
			err := json.Unmarshal(raw, &odd)
			return string(odd[0]), err
		}
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	}
	return nil, fmt.Errorf("there is no kind %q", kind)
}
