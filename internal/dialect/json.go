package dialect

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// CheckBody refuses a body that is not one JSON object in valid UTF-8 without
// duplicate keys at any depth. Parsers disagree about duplicates, so a second
// "model" would be a way around a key's list of models. After it every reader of
// the body sees the same values. Half a surrogate pair in an escape, as clients
// make when they cut a text, is no reason to refuse it: it is read as U+FFFD.
func CheckBody(body []byte) error {
	if value := jsontext.Value(body); !value.IsValid() && !(utf8.Valid(body) && value.IsValid(jsontext.AllowInvalidUTF8(true))) {
		return fault.New(fault.InvalidRequestBody, "The request body is not valid JSON%s.", where(body))
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); trimmed[0] != '{' {
		return fault.New(fault.InvalidRequestBody, "The request body is not a JSON object.")
	}
	return nil
}

// where tells what is wrong with a body, and at which byte.
func where(body []byte) string {
	if len(bytes.TrimSpace(body)) == 0 {
		return ": it is empty"
	}
	if !utf8.Valid(body) {
		return ": it is not UTF-8"
	}
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowInvalidUTF8(true))
	for {
		if _, err := d.ReadToken(); err != nil {
			return ": " + reason(err)
		}
	}
}

func reason(err error) string {
	text := err.Error()
	return string(bytes.TrimPrefix([]byte(text), []byte("jsontext: ")))
}

// AppendText appends text as a JSON string. Bad UTF-8 becomes U+FFFD; < > and &
// stay as they are.
func AppendText(dst []byte, text string) []byte { return jsonscan.AppendText(dst, text) }

// Arguments makes a call's arguments an object, as two of the dialects need it:
// nothing and null are {}, an object keeps its bytes, and anything else is kept
// under _raw, which the second result reports.
func Arguments(text string) (object json.RawMessage, odd bool) {
	b := bytes.TrimSpace([]byte(text))
	if len(b) == 0 || string(b) == "null" {
		return json.RawMessage("{}"), false
	}
	if b[0] == '{' && jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(true)) {
		return b, false
	}
	return append(AppendText([]byte(`{"_raw":`), text), '}'), true
}
