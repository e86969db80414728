package sandbox

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// nowhere refuses to load schemas from anywhere.
type nowhere struct{}

var errNowhere = errors.New("schemas are not loaded from elsewhere")

func (nowhere) Load(string) (any, error) { return nil, errNowhere }

// What checking may cost, so that a schema made to be costly costs other callers nothing:
// beyond it instances are not checked.
const (
	mostVisits   = 5_000     // schemas looked at for one value
	mostDepth    = 64        // of a schema
	mostPatterns = 200       // in a schema
	mostChecking = 5_000_000 // schemas looked at, and steps of patterns, for all values
)

// checker checks instances against a schema.
type checker struct {
	schema *jsonschema.Schema // nil: it is no good schema, or too costly a one
	base   int                // what checking any value costs
	each   int                // what each byte of a value costs
	left   int
}

// newChecker reads the schema as the client wrote it, or else in modern words.
func newChecker(raw json.RawMessage, doc any) *checker {
	var written any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if d.Decode(&written) != nil {
		return &checker{}
	}
	cost := measure(doc)
	if !cost.sane || cost.visits > mostVisits || cost.depth > mostDepth || cost.patterns > mostPatterns {
		return &checker{}
	}
	c := &checker{base: int(cost.visits), each: cost.steps, left: mostChecking}
	if c.schema = compile(written); c.schema == nil {
		c.schema = compile(doc)
	}
	return c
}

// fits reports whether an instance, in so many bytes, is good as far as that can
// be told.
func (c *checker) fits(v any, size int) bool {
	if c.schema == nil {
		return true
	}
	if c.left -= c.base + c.each*size; c.left < 0 {
		return true
	}
	return c.schema.Validate(v) == nil
}

func compile(doc any) *jsonschema.Schema {
	const place = "https://sandbox.invalid/schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	c.AssertFormat()
	if c.AddResource(place, doc) != nil {
		return nil
	}
	s, err := c.Compile(place)
	if err != nil {
		return nil
	}
	return s
}
