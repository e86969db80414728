package toolbox

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fitArguments has calls of tools be checked as what their clients mean. Langflow, NeMo and strict functions
// say null for what is not given (NVIDIA/NeMo-Agent-Toolkit#1269), and Claude Code and Desktop send objects, lists and
// numbers as text (anthropics/claude-code#5504, #93179).
func (b *Toolbox) fitArguments(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok && call.Params != nil && b.schemas[call.Params.Name] != nil {
			call.Params.Arguments = fit(call.Params.Arguments, b.schemas[call.Params.Name])
		}
		return next(ctx, method, req)
	}
}

// fit leaves out what is null, and reads the values of a text whose member is no text. What fits in
// no way stays as it is: the check that follows names it.
func fit(arguments []byte, schema *jsonschema.Schema) []byte {
	var whole string
	if err := json.Unmarshal(arguments, &whole); err == nil {
		arguments = unquote(whole, "object", arguments)
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(arguments, &members); err != nil {
		return arguments
	}
	for name, value := range members {
		var text string
		none := value.Kind() == 'n' || slices.Contains(nulls, string(value)) && !slices.Contains(schema.Required, name)
		if none {
			delete(members, name)
		} else if member := schema.Properties[name]; member != nil && member.Type != "string" && json.Unmarshal(value, &text) == nil {
			members[name] = unquote(text, member.Type, value)
		}
	}
	fitted, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return arguments
	}
	return fitted
}

// nulls are what Claude Code makes of a null where the schema has another kind (anthropics/claude-code#95239).
var nulls = []string{`"null"`, `["null"]`}

// unquote is the value that a text holds, if it is of the kind that the member has. A list may be its one element.
func unquote(text, kind string, value jsontext.Value) jsontext.Value {
	inner := jsontext.Value(strings.TrimSpace(text))
	held := map[string]jsontext.Kind{"object": '{', "array": '[', "integer": '0', "number": '0'}[kind]
	switch {
	case inner.IsValid() && inner.Kind() == held:
		return inner
	case kind == "array" && text != "":
		return jsontext.Value("[" + string(value) + "]")
	}
	return value
}
