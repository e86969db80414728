package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are in every draft and dialect that clients send.
var schemas = map[string]string{
	"empty":                 `{}`,
	"true":                  `true`,
	"no type":               `{"properties":{"a":{"type":"string"}},"required":["a"]}`,
	"string":                `{"type":"string"}`,
	"weather":               `{"type":"object","properties":{"city":{"type":"string"},"unit":{"type":"string","enum":["c","f"]}},"required":["city","unit"],"additionalProperties":false}`,
	"const":                 `{"type":"object","properties":{"kind":{"const":"dog"}},"required":["kind"]}`,
	"enum of anything":      `{"enum":[null,3,"x",{"a":[1]}]}`,
	"enum and type":         `{"allOf":[{"enum":["a","b","c"]},{"enum":["c","d"]}]}`,
	"minimum":               `{"type":"integer","minimum":18,"maximum":20}`,
	"negative":              `{"type":"integer","maximum":-5}`,
	"exclusive":             `{"type":"integer","exclusiveMinimum":7,"exclusiveMaximum":9}`,
	"exclusive number":      `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.5}`,
	"multipleOf":            `{"type":"integer","multipleOf":7,"minimum":15}`,
	"multipleOf fraction":   `{"type":"number","multipleOf":0.01,"exclusiveMinimum":2.5}`,
	"whole of a fraction":   `{"type":"integer","multipleOf":2.5,"minimum":1}`,
	"draft 4 flags":         `{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer","minimum":5,"exclusiveMinimum":true}`,
	"minLength":             `{"type":"string","minLength":20,"maxLength":25}`,
	"maxLength":             `{"type":"object","properties":{"description":{"type":"string","maxLength":3}},"required":["description"]}`,
	"pattern":               `{"type":"string","pattern":"^[A-Z]{3}-\\d{4}$"}`,
	"pattern with length":   `{"type":"string","pattern":"^[a-z]+$","minLength":12,"maxLength":14}`,
	"pattern unanchored":    `{"type":"string","pattern":"foo|bar","minLength":10}`,
	"pattern of a phone":    `{"type":"string","pattern":"^\\+?[0-9 ()-]{7,}$"}`,
	"pattern of a hex":      `{"type":"string","pattern":"^#([0-9a-fA-F]{3}){1,2}$"}`,
	"pattern of unicode":    `{"type":"string","pattern":"^\\p{Lu}\\p{Ll}+$"}`,
	"pattern of nothing":    `{"type":"string","pattern":"^$"}`,
	"pattern of anything":   `{"type":"string","pattern":".*"}`,
	"date-time":             `{"type":"string","format":"date-time"}`,
	"date":                  `{"type":"string","format":"date"}`,
	"time":                  `{"type":"string","format":"time"}`,
	"duration":              `{"type":"string","format":"duration"}`,
	"email":                 `{"type":"string","format":"email"}`,
	"uri":                   `{"type":"string","format":"uri"}`,
	"uuid":                  `{"type":"string","format":"uuid"}`,
	"ipv4":                  `{"type":"string","format":"ipv4"}`,
	"ipv6":                  `{"type":"string","format":"ipv6"}`,
	"hostname":              `{"type":"string","format":"hostname"}`,
	"json-pointer":          `{"type":"string","format":"json-pointer"}`,
	"unknown format":        `{"type":"string","format":"shoe-size"}`,
	"array":                 `{"type":"array","items":{"type":"integer"},"minItems":3}`,
	"array of unique":       `{"type":"array","items":{"type":"string"},"minItems":4,"uniqueItems":true}`,
	"unique of an enum":     `{"type":"array","items":{"enum":["a","b","c"]},"minItems":3,"uniqueItems":true}`,
	"unique uuids":          `{"type":"array","items":{"type":"string","format":"uuid"},"minItems":2,"uniqueItems":true}`,
	"no items":              `{"type":"array","maxItems":0}`,
	"tuple":                 `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false,"minItems":2}`,
	"draft 7 tuple":         `{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"number"},{"type":"boolean"}],"additionalItems":false,"minItems":2}`,
	"contains":              `{"type":"array","contains":{"const":5},"minContains":2}`,
	"anyOf":                 `{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"type":"null"}]}`,
	"oneOf that excludes":   `{"oneOf":[{"type":"integer","multipleOf":3},{"type":"integer","multipleOf":5}],"minimum":1}`,
	"oneOf tagged":          `{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"integer"}},"required":["kind","x"]},{"properties":{"kind":{"const":"b"}},"required":["kind"]}]}`,
	"anyOf first is none":   `{"type":"object","properties":{"v":{"anyOf":[false,{"type":"string","minLength":2}]}},"required":["v"]}`,
	"allOf":                 `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"integer","minimum":3}},"required":["b"]}]}`,
	"allOf of the same":     `{"allOf":[{"properties":{"a":{"minimum":3}}},{"properties":{"a":{"type":"integer","maximum":4}},"required":["a"]}],"type":"object"}`,
	"ref":                   `{"type":"object","properties":{"a":{"$ref":"#/$defs/point"}},"required":["a"],"$defs":{"point":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"]}}}`,
	"definitions":           `{"$ref":"#/definitions/p","definitions":{"p":{"type":"object","properties":{"n":{"type":"string","minLength":3}},"required":["n"]}}}`,
	"escaped ref":           `{"$ref":"#/$defs/a~1b%25","$defs":{"a/b%":{"type":"integer","minimum":9}}}`,
	"tree":                  `{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"value":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["value","children"]}}}`,
	"linked list":           `{"$defs":{"n":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["next"]}},"$ref":"#/$defs/n"}`,
	"binary tree":           `{"type":"object","properties":{"l":{"anyOf":[{"$ref":"#"},{"type":"null"}]},"r":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["l","r"]}`,
	"nullable union":        `{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"]}`,
	"null":                  `{"type":"null"}`,
	"boolean":               `{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]}`,
	"additionalProperties":  `{"type":"object","required":["x","y"],"additionalProperties":{"type":"integer","minimum":2}}`,
	"patternProperties":     `{"type":"object","required":["n_1"],"patternProperties":{"^n_":{"type":"number","minimum":10}},"additionalProperties":false}`,
	"minProperties":         `{"type":"object","minProperties":3,"additionalProperties":{"type":"boolean"}}`,
	"minProperties of some": `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"minProperties":2,"additionalProperties":false}`,
	"propertyNames":         `{"type":"object","minProperties":2,"propertyNames":{"pattern":"^k[0-9]$"}}`,
	"dependentRequired":     `{"type":"object","properties":{"card":{"type":"string"},"address":{"type":"string"}},"required":["card"],"dependentRequired":{"card":["address"]}}`,
	"if then":               `{"type":"object","properties":{"k":{"enum":["a","b"]},"v":{}},"required":["k"],"if":{"properties":{"k":{"const":"a"}}},"then":{"properties":{"v":{"type":"integer"}},"required":["v"]}}`,
	"not":                   `{"type":"integer","not":{"const":1}}`,
	"not a string":          `{"not":{"type":"string"}}`,
	"default":               `{"type":"object","properties":{"unit":{"type":"string","default":"celsius"}},"required":["unit"]}`,
	"bad default":           `{"type":"object","properties":{"n":{"type":"integer","default":"many"}},"required":["n"]}`,
	"examples":              `{"type":"object","properties":{"city":{"type":"string","examples":["Paris","Rome"]}},"required":["city"]}`,
	"deep":                  `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"array","minItems":1,"items":{"type":"object","properties":{"c":{"enum":[7]}},"required":["c"]}}},"required":["b"]}},"required":["a"]}`,
	"names that are words":  `{"type":"object","properties":{"type":{"type":"string"},"items":{"type":"array","items":{"type":"string"}},"$ref":{"type":"string"},"nullable":{"type":"boolean"}},"required":["type","items","$ref","nullable"]}`,
	"unicode names":         "{\"type\":\"object\",\"properties\":{\"città\":{\"type\":\"string\"},\"\u5e74\":{\"type\":\"integer\"}},\"required\":[\"città\",\"\u5e74\"]}",
	"id and schema":         `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/s.json","type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"],"$defs":{"x":{"type":"integer"}}}`,
	"unevaluated":           `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]}],"unevaluatedProperties":false}`,
}

func TestMakesInstancesThatValidate(t *testing.T) {
	t.Parallel()
	for name, schema := range schemas {
		for _, object := range []bool{false, true} {
			made := fit(json.RawMessage(schema), object)
			if object && (made[0] != '{' || !strings.Contains(schema, `"object"`)) {
				if made[0] != '{' {
					t.Errorf("%s: arguments must be an object, not %s", name, made)
				}
				continue // the schema of no object: an object cannot fit it
			}
			if err := validates(schema, string(made)); err != nil {
				t.Errorf("%s: %s does not fit: %v", name, made, err)
			}
		}
	}
}

func validates(schema, instance string) error {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:///s.json", doc); err != nil {
		return err
	}
	s, err := c.Compile("mem:///s.json")
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(instance))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// What no validator takes is still answered with something near it.
func TestOddSchemasStillGetAnInstance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, want string }{
		"nothing":           {``, `{}`},
		"not JSON":          {`{"type":`, `{}`},
		"no schema":         {`[1]`, `{}`},
		"false":             {`false`, `{}`},
		"capitals":          {`{"type":"OBJECT","properties":{"city":{"type":"STRING"},"n":{"type":"INTEGER"}},"required":["city","n"]}`, `{"city":"city","n":1}`},
		"nullable":          {`{"type":"object","properties":{"a":{"type":"string","nullable":true}},"required":["a"]}`, `{"a":"a"}`},
		"look-ahead":        {`{"type":"object","properties":{"p":{"type":"string","pattern":"^(?=.*x).+$"}},"required":["p"]}`, `{"p":"p"}`},
		"elsewhere":         {`{"type":"object","properties":{"p":{"$ref":"https://example.com/x"}},"required":["p"]}`, `{"p":"p"}`},
		"a file":            {`{"type":"object","properties":{"p":{"$ref":"file:///etc/passwd"}},"required":["p"]}`, `{"p":"p"}`},
		"never fits":        {`{"type":"object","properties":{"n":{"type":"integer","minimum":5,"maximum":3}},"required":["n"]}`, ``},
		"for ever":          {`{"type":"object","properties":{"n":{"$ref":"#"}},"required":["n"]}`, `{}`},
		"beyond reckoning":  {`{"type":"object","properties":{"n":{"type":"integer","minimum":1e999999}},"required":["n"]}`, `{"n":1}`},
		"longer than bears": {`{"type":"object","properties":{"n":{"type":"string","minLength":1e15}},"required":["n"]}`, `{}`},
		"more than bears":   {`{"type":"object","properties":{"n":{"type":"array","minItems":1e9}},"required":["n"]}`, `{}`},
		"a bomb":            {`{"type":"object","not":{"$ref":"#/$defs/a40"},"$defs":{"a0":{"type":"string"}` + bomb(40) + `}}`, `{}`},
		"a bad type":        {`{"type":"object","properties":{"n":{"type":5}},"required":["n"]}`, `{"n":null}`},
	} {
		made := string(fit(json.RawMessage(c.schema), true))
		if !json.Valid([]byte(made)) || c.want != "" && made != c.want {
			t.Errorf("%s: %s, want %s", name, made, c.want)
		}
	}
}

// bomb is definitions that each check the one before twice.
func bomb(n int) string {
	text := ""
	for i := range n {
		text += fmt.Sprintf(`,"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i+1, i, i)
	}
	return text
}

// costly are schemas that took minutes before what they may cost was bounded:
// the test would not end in time.
var costly = []string{
	strings.Repeat(`{"items":`, 5000) + `{}` + strings.Repeat(`}`, 5000),
	`{"type":"string","pattern":"^(((((a{1,30}){1,30})b*)*c*)*)+$","minLength":60000,"not":{"type":"string"}}`,
	`{"type":"array","minItems":1000,"items":{"type":"string","minLength":16000,"pattern":"^(a|b)*$"}}`,
	`{"type":"","pattern":"\\pC00\\A{l}2"}`,
	`{"allOf":[` + strings.Repeat(`{"properties":{"a":{"minimum":1}}},`, 1000) + `{}],"required":["a"],"type":"object","not":{}}`,
	`{"type":"array","uniqueItems":true,"minItems":1000,"items":{"type":"integer"},"not":{}}`,
	`{"$ref":"#/$defs/a20","$defs":{"a0":{"type":"string"}` + bomb(20) + `}}`,
}

func TestCostlySchemasCostLittle(t *testing.T) {
	t.Parallel()
	for i, schema := range costly {
		if made := fit(json.RawMessage(schema), false); !json.Valid(made) {
			t.Errorf("%d: %s", i, made)
		}
	}
}

func FuzzInstance(f *testing.F) {
	for _, schema := range schemas {
		f.Add(schema)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		for _, object := range []bool{false, true} {
			made := fit(json.RawMessage(schema), object)
			if !json.Valid(made) {
				t.Fatalf("%s: not JSON", made)
			}
			if object && made[0] != '{' {
				t.Fatalf("%s: not an object", made)
			}
			if again := fit(json.RawMessage(schema), object); string(again) != string(made) {
				t.Fatalf("%s, then %s", made, again)
			}
		}
	})
}
