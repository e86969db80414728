package toolbox

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/client"
)

func (b *Toolbox) addTasks() {
	addTool(b, mcp.Tool{
		Name: "get_generation", Annotations: hints("Look at a generation", true),
		Description: "Say how far a generation or a run of an app is, waiting for its end if wait_seconds says so. It does not save anything: download does.",
	}, b.getGeneration)
	addTool(b, mcp.Tool{
		Name: "download", Annotations: hints("Save what a generation has made", false),
		Description: "Wait for a generation or a run of an app, save what it has made in the output folder and return the paths and small pictures.",
	}, b.download)
	addTool(b, mcp.Tool{
		Name: "cancel_generation", Annotations: hints("Stop a generation", false),
		Description: "Stop a generation or a run of an app. What has ended stays as it is.",
	}, b.cancelGeneration)
}

type getIn struct {
	ID   string `json:"id" jsonschema:"gen_…"`
	Wait *int   `json:"wait_seconds,omitempty" jsonschema:"how long to wait for its end (default 50); 0 returns at once"`
}

func (b *Toolbox) getGeneration(ctx context.Context, c *call, in getIn) (any, error) {
	v, err := b.server.Generation(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if v, err = b.follow(ctx, c, v, ordering{Wait: in.Wait}.wait()); err != nil {
		return nil, err
	}
	m := summary(v)
	if v.Result != nil {
		m.Note = "It is done: download saves what was made."
	}
	return m, nil
}

type downloadIn struct {
	ID string `json:"id" jsonschema:"gen_…"`
	ordering
}

func (b *Toolbox) download(ctx context.Context, c *call, in downloadIn) (any, error) {
	if err := b.checkName(in.SaveAs); err != nil {
		return nil, err
	}
	v, err := b.server.Generation(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if v, err = b.follow(ctx, c, v, in.wait()); err != nil {
		return nil, err
	}
	return b.result(ctx, v, in.SaveAs, "")
}

type cancelIn struct {
	ID string `json:"id" jsonschema:"gen_…"`
}

func (b *Toolbox) cancelGeneration(ctx context.Context, c *call, in cancelIn) (any, error) {
	v, err := b.server.Cancel(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if v, err = b.follow(ctx, c, v, stopping); err != nil {
		return nil, err
	}
	m := summary(v)
	switch {
	case v.Status == "canceled":
		m.Error, m.Note = "", "It was stopped."
	case client.HasEnded(v):
		m.Note = fmt.Sprintf("It had ended already: %s.", v.Status)
	default:
		m.Note = "It will be stopped."
	}
	return m, nil
}
