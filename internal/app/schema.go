package app

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"stele/internal/chat"
)

var errElsewhere = errors.New("a schema names nothing outside itself")

type nowhere struct{}

func (nowhere) Load(string) (any, error) { return nil, errElsewhere }

// compileSchema reads a schema that stands in an app file.
func compileSchema(schema map[string]any) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(encodeSchema(schema)))
	if err != nil {
		return nil, err
	}
	const place = "https://app.invalid/schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(matchers())
	if err := c.AddResource(place, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(place)
	if err != nil {
		return nil, errors.New(brief(err))
	}
	return s, nil
}

// brief is the last line of a long message, which says what is wrong.
func brief(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return strings.TrimLeft(lines[len(lines)-1], "- ")
}

// checkAnswer holds what a model said against the schema that it was asked for.
func checkAnswer(said string, schema map[string]any) error {
	var v any
	if err := json.Unmarshal([]byte(chat.UnfenceText(said)), &v); err != nil {
		return errors.New("the model did not answer with JSON")
	}
	compiled, err := compileSchema(schema)
	if err != nil {
		return err
	}
	if err := checkEffort(compiled, v); err != nil {
		return err
	}
	if err := compiled.Validate(v); err != nil {
		return errors.New("the model's answer does not fit the schema: " + brief(innermostError(err)))
	}
	return nil
}
