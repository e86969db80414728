package openai

import (
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// besideSchema is a schema that stands beside the type json_object, where this API has none:
// in schema, as Together, Fireworks and llama.cpp have it, or in value, as Hugging Face's
// servers have it, which call the type json too. Hugging Face's own client for Python writes
// every schema so, to whatever server.
func besideSchema(format jsonscan.Value) jsonscan.Value {
	switch format.Get("type").View() {
	case "json_object", "json":
		for _, name := range []string{"schema", "value"} {
			if schema := format.Get(name); schema.Kind() == object {
				return schema
			}
		}
	}
	return jsonscan.Value{}
}

// respellFormat has a schema stand where this API has it. Servers that take one in schema are
// left to do so; one in value they would pass over, and its type json they would refuse.
func respellFormat(edits *jsonscan.Edits, format jsonscan.Value, t dialect.Upstream) {
	schema := besideSchema(format)
	if !schema.Exists() {
		if format.Get("type").View() == "json" {
			edits.ReplaceText(format.Get("type"), "json_object")
		}
		return
	}
	if t.Compatible && format.Get("schema").Kind() == object && format.Get("type").View() == "json_object" {
		return
	}
	var w jsonscan.Writer
	w.Open(object).Key("type").Plain("json_schema").Key("json_schema").Open(object).Key("name").Plain(formatName)
	edits.Replace(format, w.Key("schema").Raw(schema.Raw()).Close(object).Close(object).Bytes())
}

// formatName is what a schema without a name is called: this API wants one.
const formatName = "answer"
