package store

import (
	"database/sql/driver"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// encode is how lists and trees are kept: JSON as text. What providers say is not
// always valid text; it must not keep a task from being saved.
func encode(v any) (string, error) {
	text, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	return string(text), err
}

// encoded is a value of a statement that is kept as encode writes it.
type encoded struct{ v any }

// Value implements driver.Valuer.
func (e encoded) Value() (driver.Value, error) { return encode(e.v) }

// decode reads what encode wrote. Whole numbers of unknown type are int64, which
// keeps every digit of them.
func decode(text string, v any) error { return json.Unmarshal([]byte(text), v, wholeNumbers) }

var wholeNumbers = json.WithUnmarshalers(json.UnmarshalFromFunc(func(from *jsontext.Decoder, v *any) error {
	if from.PeekKind() != '0' {
		return errors.ErrUnsupported // it is read as usual
	}
	number, err := from.ReadToken()
	if err != nil {
		return err
	}
	if n, err := strconv.ParseInt(number.String(), 10, 64); err == nil {
		*v = n
		return nil
	}
	*v, err = strconv.ParseFloat(number.String(), 64)
	return err
}))

// clean makes text from elsewhere fit for PostgreSQL, which takes neither broken
// characters nor zeros.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// blob is never null.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
