package bridge

import (
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/openai"
	"stele/internal/jsonscan"
)

// arguments are what a model is told of a function, as every server with a chat route takes it.
type arguments struct {
	description string
	schema      jsonscan.Value
	secret      bool // some of them were to be encrypted
	choice      bool // they are a choice among several, which is told in the description
}

// argumentsOf reads them, and more that the description is to say. Codex's app has tools whose schema is a choice at its root,
// or has no type there, which OpenAI's own service takes for this API and no server for a chat.
func argumentsOf(v jsonscan.Value, more string) (a arguments) {
	a.description = v.Get("description").View() + more
	a.schema, a.secret = withoutSecrets(v.Get("parameters"))
	a.choice = dialect.IsChoice(a.schema)
	if a.schema.Kind() != object || a.schema.Get("type").View() == "object" && !a.choice {
		return a
	}
	talk := &chat.Conversation{Tools: []chat.Tool{{Kind: chat.Function, Name: "f", Description: a.description, Schema: a.schema.Raw()}}}
	if modern, _, err := dialect.WithModernSchemas(talk); err == nil { // the server says it, where it is no object
		talk = modern
	}
	typed, _ := openai.WithObjectType(talk.Tools[0].Schema)
	a.description, a.schema = talk.Tools[0].Description, jsonscan.Root(typed)
	return a
}

// write writes them as members of a function. A choice in words is nothing that could be strict.
func (a *arguments) write(w *jsonscan.Writer, v jsonscan.Value) {
	if a.description != "" || !v.Get("description").Absent() {
		w.Key("description").Text(a.description)
	}
	if !a.schema.Absent() {
		w.Key("parameters").Raw(a.schema.Raw())
	}
	if !a.choice {
		copyMembers(w, v, "strict")
	}
}

// withoutSecrets is a schema without the members that ask OpenAI's own service to encrypt an argument, and whether it
// had any. Models that cannot do that are refused for them.
func withoutSecrets(schema jsonscan.Value) (jsonscan.Value, bool) {
	const mark = "encrypted"
	if schema.Kind() != object {
		return schema, false
	}
	var edits jsonscan.Edits
	schema = jsonscan.Root(schema.Raw())
	var look func(v jsonscan.Value)
	look = func(v jsonscan.Value) {
		for key, member := range v.Members() {
			if kind := v.Get("type").Kind(); key.Name == mark && member.Kind() == jsonscan.True && (kind == jsonscan.String || kind == array) {
				edits.Remove(key, member) // of a schema, and not of a list of arguments by their names
			}
			look(member)
		}
		for _, one := range v.Elements() {
			look(one)
		}
	}
	look(schema)
	plain, err := edits.Apply(schema.Raw())
	if err != nil || edits.Len() == 0 {
		return schema, false
	}
	return jsonscan.Root(plain), true
}
