package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// prepareFormat decides how the answer's shape is asked for. It comes before the
// messages, because some shapes must be asked for in words.
func (e *requestWriter) prepareFormat() {
	f := e.c.Format
	if f == nil {
		return
	}
	schema, _ := dialect.OrderProperties(f.Schema) // where it is told in words
	switch f.Kind {
	case chat.JSONObject, chat.JSONSchema:
		if e.t.Unenforced {
			e.lines = append(e.lines, dialect.AskForJSON(schema))
			e.lose(chat.FieldFormat, chat.Approximated, "the provider does not take it: asked for in the system text")
			return
		}
	}
	switch f.Kind {
	case chat.EnumText:
		var words []string
		for _, v := range jsonscan.At(f.Schema, 0).Get("enum").Elements() {
			words = append(words, anyText(v))
		}
		e.lines = append(e.lines, "Answer with exactly one of these and nothing else: "+strings.Join(words, ", "))
		e.lose(chat.FieldFormat, chat.Approximated, "asked for in the system text")
	case chat.JSONObject:
		// The API refuses json_object unless something mentions JSON. Only what stays
		// the same from turn to turn is looked at, so that the prompt does too.
		if !e.mentionsJSON() {
			e.lines = append(e.lines, "Answer with one JSON object only.")
			e.lose(chat.FieldFormat, chat.Added, "a line in the system text that asks for JSON")
		}
	case chat.JSONSchema:
		switch {
		case e.t.Schemaless:
			e.lines = append(e.lines, "Answer with one JSON object only. It must fit this JSON Schema: "+string(schema))
			e.lose(chat.FieldFormat, chat.Approximated, "the schema is in the system text")
		case e.mustSayInWords(f):
			e.lines = append(e.lines, "Answer with JSON only, and with nothing around it. It must fit this JSON Schema: "+string(schema))
			e.lose(chat.FieldFormat, chat.Approximated, "the provider takes only objects: the schema is in the system text")
		}
	}
}

// mustSayInWords reports whether a shape must be asked for in words: the author's API takes
// the schemas of objects only.
func (e *requestWriter) mustSayInWords(f *chat.Format) bool {
	return !e.t.Compatible && !isObject(f.Schema)
}

func (e *requestWriter) mentionsJSON() bool {
	parts := e.c.System
	for _, m := range e.c.Messages {
		if m.Role == chat.User {
			parts = append(slices.Clone(parts), m.Parts...)
			break
		}
	}
	return slices.ContainsFunc(parts, func(p chat.Part) bool {
		return p.Kind == chat.Text && strings.Contains(strings.ToLower(p.Text), "json")
	})
}

// writeOutput writes what the answer is to be: its shape, its modalities, its voice.
func (e *requestWriter) writeOutput() {
	if f := e.c.Format; f != nil {
		e.writeFormat(f)
	}
	words := true
	for _, kind := range e.c.Output {
		words = words && kind == "text"
		if kind != "text" && kind != "audio" && !e.t.Compatible {
			e.refuseField(chat.FieldOutput, "the model's provider does not answer in %s", kind)
		}
	}
	if len(e.c.Output) > 0 && !words { // it answers in words anyway
		e.writeModalities()
	}
	audio := jsonscan.At(e.c.Audio, 0)
	switch {
	case words && e.c.Audio != nil:
		e.lose(chat.FieldAudio, chat.Ignored, "no sound is asked for")
	case !slices.Contains(e.c.Output, "audio"):
	case audio.Get("voice").Exists() && audio.Get("format").Exists():
		e.Key("audio").Raw(e.c.Audio)
	default:
		if e.c.Audio != nil {
			e.lose(chat.FieldAudio, chat.Dropped, "")
		}
		e.lose(chat.FieldAudio, chat.Added, "format wav, voice alloy")
		e.Key("audio").Raw([]byte(`{"format":"wav","voice":"alloy"}`))
	}
}

func (e *requestWriter) writeModalities() {
	e.Key("modalities").Open(array)
	if !slices.Contains(e.c.Output, "text") && slices.Contains(e.c.Output, "audio") {
		e.Text("text") // sound never comes without its words
	}
	for _, kind := range e.c.Output {
		e.Text(kind)
	}
	e.Close(array)
}

func (e *requestWriter) writeFormat(f *chat.Format) {
	switch {
	case e.t.Unenforced: // asked for in words
	case f.Kind == chat.JSONObject, f.Kind == chat.JSONSchema && e.t.Schemaless:
		e.Key("response_format").Raw([]byte(`{"type":"json_object"}`))
	case f.Kind == chat.JSONSchema && e.mustSayInWords(f):
	case f.Kind == chat.JSONSchema:
		name := f.Name
		switch {
		case name == "":
			name = formatName
		case !isLegalName(name):
			name = (&dialect.Names{Legal: isLegalName, Longest: longestName}).To(name)
			e.lose(chat.FieldFormat, chat.Approximated, "its name is "+name)
		}
		e.Key("response_format").Open(object).Key("type").Plain("json_schema").Key("json_schema").Open(object).Key("name").Text(name)
		if f.Description != "" {
			e.Key("description").Text(f.Description)
		}
		typed, added := WithObjectType(f.Schema)
		if added = added && isObject(f.Schema); added {
			e.lose(chat.FieldFormat, chat.Added, objectType)
		} else {
			typed = f.Schema // other servers take those of any value
		}
		schema, strict := e.toStrictSchema(typed, f.Strict, chat.Lost(chat.FieldFormat, chat.Approximated, ""))
		if held := f.Held && !e.t.Compatible && strict == nil; held && fits(schema) {
			strict = &held
		} else if held {
			e.lose(chat.FieldFormat, chat.Approximated, "not held to it: the strict mode does not take the schema")
		}
		e.Key("schema").Raw(e.complete(schema, chat.Lost(chat.FieldFormat, chat.Ignored, "")))
		if strict != nil {
			e.Key("strict").Bool(*strict)
		}
		e.Close(object).Close(object)
	}
}

// tiers are the words of all dialects for the classes of service this API has.
var tiers = map[string]string{
	"auto": "auto", "default": "default", "standard": "default", "standard_only": "default",
	"flex": "flex", "scale": "scale", "priority": "priority", "fast": "fast",
}

// writeIdentity writes who asks, and how urgently.
func (e *requestWriter) writeIdentity() {
	if user := e.c.User; user != "" && (e.t.Compatible || e.refuses("safety_identifier")) {
		e.lose(chat.FieldUser, chat.Ignored, "")
	} else if user != "" {
		const longest = 128
		if len(user) > longest {
			sum := sha256.Sum256([]byte(user))
			user = hex.EncodeToString(sum[:])
			e.lose(chat.FieldUser, chat.Ignored, "sent as a hash: it is too long")
		}
		e.Key("safety_identifier").Text(user)
	}
	tier := strings.TrimPrefix(strings.ToLower(e.c.Tier), "service_tier_")
	switch word, ok := tiers[tier]; {
	case tier == "" || tier == "unspecified":
	case e.t.Compatible && (tier == "auto" || word == "default"):
		e.lose(chat.FieldTier, chat.Ignored, "")
	case !ok || e.t.Compatible || e.refuses("service_tier"):
		e.lose(chat.FieldTier, chat.Dropped, "")
	default:
		e.Key("service_tier").Text(word)
	}
	if e.c.Cache != nil && e.t.Marks {
		e.Raw([]byte(foreignMark(e.c.Cache)))
	} else if e.c.Cache != nil {
		e.lose(chat.FieldCache, chat.Ignored, "the provider keeps prompts of its own accord")
	}
}

// Fields of this dialect that its author alone knows, and that it does not know.
var (
	authorsOnly = []string{
		"metadata", "moderation", "prediction", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "store", "verbosity",
	}
	othersOnly = []string{"min_p", "repetition_penalty"}
)

// writeExtras writes back what only this dialect knows, and reports the rest.
func (e *requestWriter) writeExtras() {
	unknown := othersOnly
	if e.t.Compatible {
		unknown = authorsOnly
	}
	for _, x := range e.c.Extra {
		whose, field, _ := strings.Cut(x.Name, ".")
		switch {
		case whose == name && !slices.Contains(unknown, field):
			e.Key(field).Raw(x.Value)
		case x.Effect == chat.Vital:
			e.err = dialect.Refuse(chat.Lost(x.Name, chat.Dropped, ""), field, "the model's provider cannot carry it.")
			return
		case x.Effect == chat.Harmless:
			e.lose(x.Name, chat.Ignored, "")
		default:
			e.lose(x.Name, chat.Dropped, "")
		}
	}
}
