package openai

import (
	"maps"

	"github.com/go-json-experiment/json"

	"stele/internal/dialect"
)

// EncodeModels is the model list.
func (Codec) EncodeModels(models []dialect.Model) ([]byte, error) {
	list := wireModels{Object: "list", Data: make([]wireModel, 0, len(models))}
	for _, m := range models {
		w := wireModel{
			ID: m.ID, Object: "model", Created: m.Created.Unix(), OwnedBy: m.Owner,
			Name: m.Name, Description: m.Description, Tags: m.Tags,
			Capabilities: map[string]bool{"reasoning": false, "attachments": false, "tools": false},
		}
		maps.Copy(w.Capabilities, m.Capabilities)
		list.Data = append(list.Data, w)
	}
	return json.Marshal(list, json.Deterministic(true), json.FormatNilSliceAsNull(false))
}
