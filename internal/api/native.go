package api

import (
	"net/http"

	"github.com/go-json-experiment/json"
)

// data answers with the native family's envelope around v.
func data(w http.ResponseWriter, c call, v any) error {
	return page(w, c, struct {
		Data any `json:"data"`
	}{v})
}

// page answers with a whole native body.
func page(w http.ResponseWriter, c call, v any) error {
	b, err := json.Marshal(v, json.Deterministic(true), json.FormatNilSliceAsNull(false))
	if err != nil {
		return err
	}
	native.write(w, c.Request, http.StatusOK, b)
	return nil
}
