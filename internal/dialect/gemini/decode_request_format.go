package gemini

import (
	"fmt"

	"stele/internal/chat"
	"stele/internal/fault"
)

// format is what was said of the answer's shape.
type format struct {
	mimeType     string
	schema       []byte // this API's own kind of schema
	jsonSchema   []byte
	logprobs     bool
	alternatives *int64
}

// shape reads one of the members that say what the answer must look like.
func (r *reader) shape(key []byte) {
	switch string(key) {
	case "responseMimeType":
		r.format.mimeType = r.word("responseMimeType")
	case "responseSchema":
		r.format.schema = r.object("responseSchema")
	case "responseJsonSchema", "_responseJsonSchema":
		r.format.jsonSchema = r.object("responseJsonSchema")
	case "responseFormat":
		r.each("responseFormat", func(i int) { r.responseFormat(fmt.Sprintf("responseFormat[%d]", i)) })
	}
}

// responseFormat reads the newer spelling: {"text": {"mimeType": …, "schema": …}}.
func (r *reader) responseFormat(field string) {
	if !r.enter('{') {
		r.wrong(field, "an object")
		return
	}
	for {
		key, more := r.key()
		if !more {
			return
		}
		if string(key) != "text" || !r.enter('{') {
			r.extra(field+"."+string(r.spelled), chat.Shapes)
			continue
		}
		for {
			key, more := r.key()
			if !more {
				break
			}
			switch string(key) {
			case "mimeType":
				r.format.mimeType = r.word(field + ".text.mimeType")
			case "schema":
				r.format.jsonSchema = r.object(field + ".text.schema")
			default:
				r.extra(field+".text."+string(r.spelled), chat.Shapes)
			}
		}
	}
}

// object reads a free object.
func (r *reader) object(field string) []byte {
	if r.peek() != '{' {
		r.wrong(field, "an object")
		return nil
	}
	return r.raw()
}

func (r *reader) settleFormat() {
	f := &r.format
	if f.logprobs {
		n := 0
		if f.alternatives != nil {
			n = int(*f.alternatives)
		}
		r.talk.Logprobs = &n
	} else if f.alternatives != nil {
		r.note(chat.FieldLogprobs, chat.Ignored, "responseLogprobs is not set")
	}
	schema := f.jsonSchema
	if f.schema != nil {
		if schema != nil {
			r.fail(fault.InvalidParameter, "generationConfig.responseSchema", "and responseJsonSchema cannot both be set")
			return
		}
		schema = plainSchema(f.schema)
	}
	switch {
	case f.mimeType == "text/x.enum":
		r.talk.Format = &chat.Format{Kind: chat.EnumText, Schema: schema}
	case f.mimeType == "application/json" && schema == nil:
		r.talk.Format = &chat.Format{Kind: chat.JSONObject}
	case schema != nil && (f.mimeType == "" || f.mimeType == "application/json"):
		r.talk.Format = &chat.Format{Kind: chat.JSONSchema, Schema: schema}
	case f.mimeType != "" && f.mimeType != "text/plain":
		r.fail(fault.InvalidParameter, "generationConfig.responseMimeType", "must be text/plain, application/json or text/x.enum")
	case schema != nil:
		r.note(chat.FieldFormat, chat.Ignored, "a schema counts only for application/json")
	}
}
