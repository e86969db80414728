package studio

import (
	"context"
	"path"

	"stele/internal/media"
)

// craft makes one sort of thing.
type craft func(ctx context.Context, req media.Request, report func(progress float64)) ([]media.Output, error)

// crafts are what the studio can do, by the names that model files call them.
var crafts = map[string]craft{}

// Make makes what a model of the studio is asked for. Which craft that takes is
// the model's upstream name, or the last part of its id.
func Make(ctx context.Context, req media.Request, report func(progress float64)) ([]media.Output, error) {
	name := req.Model.Upstream
	if name == "" {
		name = path.Base(req.Model.ID)
	}
	if make, ok := crafts[name]; ok {
		return make(ctx, req, report)
	}
	return nil, &media.Failure{Class: media.Quota, Message: "The studio does not have this craft."}
}
