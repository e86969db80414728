package anthropic

import (
	"bytes"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// Servers of the Model Context Protocol describe their tools in older drafts of JSON Schema, or as a choice, and agents send that along.
// Anthropic refuses every turn as long as the server is there (anthropics/claude-code#63673, Dokploy/mcp#74, anomalyco/opencode#46628).

// schemaForm is what an upstream has refused that takes only schemas of the newest draft, and no choice at their root.
const schemaForm = "input_schema"

// refusesSchemas reports whether a refusal is about that.
func refusesSchemas(words string) bool {
	return dialect.Says(words, "json schema is invalid. it must match", "input_schema does not support oneof, allof, or anyof at the top level")
}

// modernize writes schemas that the upstream has refused as it takes them, as those of translated requests are.
func modernize(call *dialect.Outgoing, refused []string) (err error) {
	if !slices.Contains(refused, schemaForm) {
		return nil
	}
	var edits jsonscan.Edits
	for i, v := range jsonscan.Root(call.Body).Get("tools").Elements() {
		schema, description := v.Get("input_schema"), v.Get("description")
		if schema.Kind() != jsonscan.Object {
			continue
		}
		t := chat.Tool{Name: v.Get("name").View(), Description: description.View(), Schema: schema.Raw(), At: i}
		talk, losses, err := dialect.WithModernSchemas(&chat.Conversation{Tools: []chat.Tool{t}})
		if err != nil {
			return err
		}
		modern := &talk.Tools[0]
		if bytes.Equal(modern.Schema, t.Schema) {
			continue
		}
		edits.Replace(schema, modern.Schema)
		switch {
		case modern.Description == t.Description:
		case description.Exists():
			edits.ReplaceText(description, modern.Description)
		default:
			edits.Append(v, "description", jsonscan.AppendText(nil, modern.Description))
		}
		call.Losses = append(call.Losses, losses...)
	}
	call.Body, err = edits.Apply(call.Body)
	return err
}
