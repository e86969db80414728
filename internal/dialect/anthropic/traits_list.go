package anthropic

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// Page is a part of the list of models.
type Page struct {
	From, To int // of all
	More     bool
}

// PageModels is the part of the list of models with these ids that the query asks for with
// limit, after_id and before_id.
func (Codec) PageModels(ids []string, query url.Values) (p Page, err error) {
	limit := 20
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1000 {
			return p, fault.New(fault.InvalidParameter, "limit: a number from 1 to 1000 is expected.").Field("limit")
		}
		limit = n
	}
	p.To = len(ids)
	if id := query.Get("after_id"); id != "" {
		p.From = slices.Index(ids, id) + 1 // an id that is gone starts from the front, which loses nothing
	}
	backwards := query.Get("before_id") != "" && query.Get("after_id") == ""
	if backwards {
		if i := slices.Index(ids, query.Get("before_id")); i >= 0 {
			p.To = i
		}
	}
	p.More = p.To-p.From > limit
	if p.More && backwards {
		p.From = p.To - limit
	} else if p.More {
		p.To = p.From + limit
	}
	return p, nil
}

// EncodeModel is a model as the list has it.
func (Codec) EncodeModel(m *dialect.Model) ([]byte, error) {
	return json.Marshal(modelToWire(m), json.Deterministic(true))
}

// ListModels is a page of models with these ids that EncodeModel has written.
func (Codec) ListModels(models [][]byte, ids []string, more bool) []byte {
	w := jsonscan.NewWriter(nil).Open(jsonscan.Object).Key("data").List(models).Key("has_more").Bool(more)
	if len(ids) == 0 {
		return w.Key("first_id").Null().Key("last_id").Null().Close(jsonscan.Object).Bytes()
	}
	return w.Key("first_id").Text(ids[0]).Key("last_id").Text(ids[len(ids)-1]).Close(jsonscan.Object).Bytes()
}

func modelToWire(m *dialect.Model) wireModel {
	w := wireModel{
		Type: "model", ID: m.ID, DisplayName: m.Name, CreatedAt: m.Created.UTC().Format(time.RFC3339),
		MaxInputTokens: m.Traits.Window, MaxTokens: m.Traits.Output, Capabilities: capabilities(m),
		Description: m.Description, Successor: m.Successor,
	}
	if !m.Retires.IsZero() {
		w.Lifecycle = "deprecated" // whether it is gone already, only its maker can tell
		w.DeprecatedAt, w.RetiresAt = m.Deprecated.UTC().Format(time.RFC3339), m.Retires.UTC().Format(time.RFC3339)
	}
	return w
}

// capabilities has every key that the API's has, since its clients look into them
// unasked, and says of what is not known nothing at all.
func capabilities(m *dialect.Model) map[string]any {
	if len(m.Capabilities) == 0 && len(m.Traits.Takes) == 0 {
		return nil
	}
	known := func(ability string) support {
		if can, said := m.Capabilities[ability]; said {
			return support{"supported": can}
		}
		return support{}
	}
	takes := func(medium string) support {
		if slices.Contains(m.Traits.Takes, medium) {
			return support{"supported": true}
		}
		return support{}
	}
	thinking := known("reasoning")
	thinking["types"] = support{"adaptive": support{}, "between_tools": support{}, "disabled": support{}, "enabled": support{}}
	return support{
		"batch": support{}, "citations": support{}, "code_execution": support{},
		"context_management": support{"clear_thinking_20251015": support{}, "clear_tool_uses_20250919": support{}, "compact_20260112": support{}},
		"effort":             support{"low": support{}, "medium": support{}, "high": support{}, "xhigh": support{}, "max": support{}},
		"image_input":        takes("image"), "pdf_input": takes("file"),
		"server_tools":       support{"code_execution": support{}, "web_search": support{}},
		"structured_outputs": known("structured_output"), "thinking": thinking,
	}
}

type support = map[string]any

type wireModel struct {
	Type        string `json:"type"`
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
	CreatedAt   string `json:"created_at"`

	MaxInputTokens int64  `json:"max_input_tokens,omitzero"`
	MaxTokens      int64  `json:"max_tokens,omitzero"`
	Lifecycle      string `json:"lifecycle,omitempty"`
	DeprecatedAt   string `json:"deprecated_at,omitempty"`
	RetiresAt      string `json:"retires_at,omitempty"`

	Capabilities map[string]any `json:"capabilities,omitempty"`

	Description string `json:"description,omitempty"` // ours
	Successor   string `json:"successor,omitempty"`   // ours
}
