package anthropic

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/dialect"
	"stele/internal/fault"
)

// EncodeModels is the page of the model list that the query asks for with
// limit, after_id and before_id.
func (Codec) EncodeModels(models []dialect.Model, query url.Values) ([]byte, error) {
	limit := 20
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1000 {
			return nil, fault.New(fault.InvalidParameter, "limit: a number from 1 to 1000 is expected.").With("field", "limit")
		}
		limit = n
	}
	from, to := 0, len(models)
	at := func(id string) int {
		return slices.IndexFunc(models, func(m dialect.Model) bool { return m.ID == id })
	}
	if id := query.Get("after_id"); id != "" {
		from = at(id) + 1 // an id that is gone starts from the front, which loses nothing
	}
	backwards := query.Get("before_id") != "" && query.Get("after_id") == ""
	if backwards {
		if i := at(query.Get("before_id")); i >= 0 {
			to = i
		}
	}
	page := models[from:to]
	more := len(page) > limit
	if more && backwards {
		page = page[len(page)-limit:]
	} else if more {
		page = page[:limit]
	}
	return encodePage(page, more)
}

func encodePage(page []dialect.Model, more bool) ([]byte, error) {
	list := wireModels{Data: make([]wireModel, 0, len(page)), HasMore: more}
	for _, m := range page {
		list.Data = append(list.Data, wireModel{
			Type: "model", ID: m.ID, DisplayName: m.Name, Description: m.Description,
			CreatedAt: m.Created.UTC().Format(time.RFC3339),
		})
	}
	if n := len(list.Data); n > 0 {
		list.FirstID, list.LastID = &list.Data[0].ID, &list.Data[n-1].ID
	}
	return json.Marshal(list)
}

type wireModels struct {
	Data    []wireModel `json:"data"`
	HasMore bool        `json:"has_more"`
	FirstID *string     `json:"first_id"`
	LastID  *string     `json:"last_id"`
}

type wireModel struct {
	Type        string `json:"type"`
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
	CreatedAt   string `json:"created_at"`
	Description string `json:"description,omitempty"` // ours
}
