package api

import (
	"net/http"
	"slices"
	"strings"

	"stele/internal/fault"
	"stele/internal/media"
)

// listMediaModels lists the media models that the key opens.
func (d *Door) listMediaModels(w http.ResponseWriter, c call) error {
	mediaType := c.URL.Query().Get("media_type")
	if mediaType != "" && !slices.Contains(media.Types(), mediaType) {
		return fault.New(fault.InvalidMediaType, "media_type is one of %s.", strings.Join(media.Types(), ", ")).
			With("field", "media_type").With("got", mediaType).With("allowed", media.Types())
	}
	list := []wireMediaModel{}
	for _, m := range d.Catalog.Media(c.who.Scope, mediaType) {
		list = append(list, toWireMediaModel(m))
	}
	return data(w, c, list)
}

func toWireMediaModel(m media.Model) wireMediaModel {
	out := wireMediaModel{Model: m.ID, Name: m.Name, MediaType: m.MediaType, Description: m.Description}
	for _, o := range m.Operations {
		out.Operations = append(out.Operations, wireOperation{
			Mode: o.Mode, Description: o.Description, Input: wireInput(o.Input), InputRequirements: wireInput(o.Input),
			Parameters: toWireParameters(o.Parameters),
		})
	}
	return out
}

func toWireParameters(list []media.Parameter) []wireParameter {
	var out []wireParameter
	for _, p := range list {
		out = append(out, wireParameter{
			Name: p.Name, Type: p.Type, Label: p.Label, Description: p.Description,
			Default: p.Default, Enum: p.Values, Values: p.Values,
			Min: p.Min, Max: p.Max, Step: p.Step, Required: p.Required,
		})
	}
	return out
}
