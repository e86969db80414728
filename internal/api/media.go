package api

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/media"
)

// listMediaModels lists the media models that the key opens.
func (d *Door) listMediaModels(w http.ResponseWriter, c call) error {
	mediaType := c.URL.Query().Get("media_type")
	if mediaType != "" && !slices.Contains(media.Types(), mediaType) {
		return fault.New(fault.InvalidMediaType, "media_type is one of %s.", strings.Join(media.Types(), ", ")).
			Field("media_type").With("got", mediaType).With("allowed", media.Types())
	}
	contents := d.Catalog.Contents()
	edition, list := d.written.edition(contents, time.Now()), [][]byte{}
	for i, m := range contents.EachMedia(c.who.Scope, mediaType) {
		one, err := edition.entry(entry{shape: "media", place: i}, func() ([]byte, error) {
			return json.Marshal(toWireMediaModel(m), json.Deterministic(true), json.FormatNilSliceAsNull(false))
		})
		if err != nil {
			return err
		}
		list = append(list, one)
	}
	body := jsonscan.NewWriter(nil).Open(jsonscan.Object).Key("data").List(list).Close(jsonscan.Object).Bytes()
	if err := c.holdFor(body); err != nil {
		return err
	}
	native.write(w, c.Request, http.StatusOK, body)
	return nil
}

func toWireMediaModel(m *media.Model) wireMediaModel {
	out := wireMediaModel{Model: m.ID, Name: m.Name, MediaType: m.MediaType, Description: m.Description}
	for _, o := range m.Operations {
		out.Operations = append(out.Operations, toWireOperation(&o))
	}
	return out
}

func toWireOperation(o *media.Operation) wireOperation {
	out := wireOperation{
		Mode: o.Mode, Description: o.Description, Input: wireInput(o.Input), InputRequirements: wireInput(o.Input),
		Parameters: toWireParameters(o.Parameters), Exclusive: o.Exclusive, Price: toWirePrice(&o.Price),
	}
	for field, limit := range o.Limits {
		if out.Limits == nil {
			out.Limits = make(map[string]wireLimit)
		}
		out.Limits[field] = wireLimit{MaxItems: limit.Items, MaxMB: limit.MB, Formats: limit.Formats, MaxLength: limit.Length}
	}
	for _, r := range o.Requires {
		out.Requires = append(out.Requires, wireRequirement(r))
	}
	return out
}

// toWirePrice is nil for what costs nothing.
func toWirePrice(p *media.Price) *wirePrice {
	if p.USD == 0 && p.First == 0 && len(p.Table) == 0 {
		return nil
	}
	out := &wirePrice{USD: p.USD.String(), Per: cmp.Or(p.Per, media.Units()[0]), Of: p.Of, By: p.By}
	if p.First != 0 {
		out.First = p.First.String()
	}
	for key, amount := range p.Table {
		if out.Table == nil {
			out.Table = make(map[string]string)
		}
		out.Table[key] = amount.String()
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
			Items: p.Items, MaxItems: p.MaxItems, MaxLength: p.MaxLength,
		})
	}
	return out
}
