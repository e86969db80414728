package gemini

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSchemas(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ in, want, note string }{
		"as it is":                          {`{"type":"object","properties":{"a":{"type":"string","enum":["x",1]}},"required":["a"],"additionalProperties":false}`, "", ""},
		"hard case 127: beside a reference": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A","description":"d"}},"$defs":{"A":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"description":"d","anyOf":[{"$ref":"#/$defs/A"}]}},"$defs":{"A":{"type":"string"}}}`, "$ref"},
		"hard case 129: positive":           {`{"type":"integer","exclusiveMinimum":0}`, `{"type":"integer","minimum":1}`, "exclusiveMinimum is minimum"},
		"less than":                         {`{"type":"integer","exclusiveMaximum":9.5}`, `{"type":"integer","maximum":9}`, "exclusiveMaximum is maximum"},
		"more than a number":                {`{"type":"number","description":"d","exclusiveMinimum":0}`, `{"type":"number","description":"d (exclusiveMinimum: 0)","minimum":0}`, "told"},
		"as older drafts have it":           {`{"type":"integer","minimum":5,"exclusiveMinimum":true}`, `{"type":"integer","minimum":6}`, "minimum"},
		"hard case 132: a constant":         {`{"const":"a"}`, `{"enum":["a"]}`, "const"},
		"a constant truth":                  {`{"type":"boolean","const":true}`, `{"type":"boolean","description":"(const: true)"}`, "const"},
		"hard case 134: definitions":        {`{"$schema":"x","properties":{"a":{"$ref":"#/definitions/A"}},"definitions":{"A":{"type":"STRING"}}}`, `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}`, "$defs"},
		"hard case 136: what it cannot":     {`{"type":"string","format":"uuid","pattern":"^a","uniqueItems":true}`, `{"type":"string","description":"(format: \"uuid\"; pattern: \"^a\"; uniqueItems: true)"}`, "told"},
		"formats it can":                    {`{"type":"string","format":"date-time"}`, "", ""},
		"one of":                            {`{"oneOf":[{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "anyOf"},
		"all of":                            {`{"allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b","a"]}]}`, `{"properties":{"a":{},"b":{}},"required":["a","b"]}`, "allOf"},
		"required without a property":       {`{"properties":{"a":{}},"required":["a","b"]}`, `{"properties":{"a":{}},"required":["a"]}`, "required"},
		"nullable":                          {`{"type":"string","nullable":true}`, `{"type":["string","null"]}`, ""},
		"a tuple":                           {`{"items":[{"type":"string"},true]}`, `{"prefixItems":[{"type":"string"},{}]}`, "prefixItems"},
		"a list with nothing in it":         {`{"enum":["a",null],"type":["string","null"]}`, `{"enum":["a"],"type":["string","null"]}`, "enum"},
		"names of properties are free":      {`{"properties":{"const":{"type":"string"},"$schema":{"type":"string"},"pattern":{"type":"string"}}}`, "", ""},
		"a reference elsewhere":             {`{"properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}}`, `{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, "replaced"},
		"a circle":                          {`{"properties":{"a":{"items":{"$ref":"#/properties/a"}}}}`, `{"properties":{"a":{"items":{"items":{}}}}}`, "circle"},
		"out into the world":                {`{"properties":{"a":{"$ref":"https://x.example/s"}}}`, `{"properties":{"a":{}}}`, "reference"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.want == "" {
				test.want = test.in
			}
			got, notes := rewrite([]byte(test.in), false)
			if string(got) != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
			if (len(notes.notes) > 0) != (test.note != "") || !slices.ContainsFunc(append(notes.notes, ""), func(n string) bool { return strings.Contains(n, test.note) }) {
				t.Errorf("notes %q", notes.notes)
			}
		})
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"type":"object","properties":{},"additionalProperties":false}`: "",
		`{"properties":{"a":{}}}`: `{"type":"object","properties":{"a":{}}}`,
		`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{}}}`: `{"$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{}},"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}}`,
		``:     "",
		`true`: "",
	} {
		if got, _ := rewrite([]byte(in), true); string(got) != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestHardCase145DeepAndWide(t *testing.T) {
	t.Parallel()
	var wide []string
	for i := range 300 {
		wide = append(wide, fmt.Sprintf(`"p%d":{"type":"string","minLength":1}`, i))
	}
	schema := `{"type":"object","properties":{` + strings.Join(wide, ",") + `}}`
	for range 12 {
		schema = `{"type":"object","properties":{"x":` + schema + `}}`
	}
	if got, _ := rewrite([]byte(schema), true); !json.Valid(got) {
		t.Error("not JSON")
	}
	deep := strings.Repeat(`{"items":`, 5000) + `{}` + strings.Repeat(`}`, 5000)
	if got, notes := rewrite([]byte(deep), false); !json.Valid(got) || !notes.shapes {
		t.Error("too deep")
	}
	laughs := `{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}},"allOf":[{"$ref":"#/$defs/a"}]}`
	if got, _ := rewrite([]byte(laughs), false); !json.Valid(got) {
		t.Error("a billion laughs")
	}
}
