package gemini

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// format is what was said of the answer's shape.
type format struct {
	mimeType     string
	schema       []byte // this API's own kind of schema
	jsonSchema   []byte
	schemaField  string // where the schema stood
	logprobs     bool
	alternatives *int64
}

// readShape reads one of the members that say what the answer must look like.
func (r *requestReader) readShape(key field, v jsonscan.Value) {
	switch key.name {
	case "responseMimeType":
		r.format.mimeType = r.readWord(key.name, v)
	case "responseSchema":
		r.format.schema, r.format.schemaField = r.readObject(key.name, v), key.name
	case "responseJsonSchema", "_responseJsonSchema":
		r.format.jsonSchema, r.format.schemaField = r.readObject("responseJsonSchema", v), "responseJsonSchema"
	case "responseFormat":
		r.wantList(key.name, v)
		for i, v := range items(v) {
			r.readResponseFormat(fmt.Sprintf("responseFormat[%d]", i), v)
		}
	}
}

// readResponseFormat reads the newer spelling: {"text": {"mimeType": …, "schema": …}}.
func (r *requestReader) readResponseFormat(path string, v jsonscan.Value) {
	r.wantObject(path, v)
	for key, v := range fields(v) {
		if slices.Contains([]string{"image", "audio", "video"}, key.name) && !slices.Contains(r.talk.Output, key.name) {
			r.talk.Output = append(r.talk.Output, strings.Clone(key.name)) // as responseModalities has it
		}
		if key.name != "text" || v.Kind() != jsonscan.Object {
			r.keepExtra(path+"."+key.spelled, v, chat.Shapes)
			continue
		}
		for key, v := range fields(v) {
			switch key.name {
			case "mimeType":
				r.format.mimeType = strings.Replace(strings.ToLower(r.readWord(path+".text.mimeType", v)), "_", "/", 1) // or APPLICATION_JSON
			case "schema":
				r.format.jsonSchema, r.format.schemaField = r.readObject(path+".text.schema", v), path+".text.schema"
			default:
				r.keepExtra(path+".text."+key.spelled, v, chat.Shapes)
			}
		}
	}
}

func (r *requestReader) settleFormat() {
	f := &r.format
	if f.logprobs {
		n := 0
		if f.alternatives != nil {
			n = int(*f.alternatives)
		}
		r.talk.Logprobs = &n
	} else if f.alternatives != nil {
		r.note(name+".generationConfig.logprobs", chat.Ignored, "responseLogprobs is not set")
	}
	schema := f.jsonSchema
	if f.schema != nil {
		if schema != nil {
			r.fail(fault.InvalidParameter, "generationConfig.responseSchema", "and responseJsonSchema cannot both be set")
			return
		}
		schema = toJSONSchema(f.schema)
	}
	switch {
	case f.mimeType == "text/x.enum":
		r.talk.Format = &chat.Format{Kind: chat.EnumText, Schema: schema}
	case f.mimeType == "application/json" && schema == nil:
		r.talk.Format = &chat.Format{Kind: chat.JSONObject}
	case schema != nil && (f.mimeType == "" || f.mimeType == "application/json"):
		r.talk.Format = &chat.Format{Kind: chat.JSONSchema, Schema: schema, Held: true}
		r.talk.Spell(chat.FieldFormat, name+".generationConfig."+f.schemaField)
	case f.mimeType != "" && f.mimeType != "text/plain":
		r.fail(fault.InvalidParameter, "generationConfig.responseMimeType", "must be text/plain, application/json or text/x.enum")
	case schema != nil:
		r.note(chat.FieldFormat, chat.Ignored, "a schema counts only for application/json")
	}
}
