// Package toolbox gives agents what a key opens on a Stele server as tools of the Model
// Context Protocol: pictures, clips and sound, apps, files and other models. It runs on
// the developer's machine. It reads files only below the folders it was given and never
// writes over one. It must not know how a server or a key is found.
package toolbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/client"
)

// Options is what a toolbox is made of.
type Options struct {
	Server  *client.Server
	Version string
	Roots   []string // folders below which files may be read; the first is where relative paths begin
	Out     string   // folder in which what was made is saved
	Models  Defaults
	Log     *slog.Logger
}

// Defaults are the models that are used where a call names none. What is empty is the
// studio's own, which is free, or else the first that the key opens.
type Defaults struct{ Image, Video, Speech string }

// Toolbox is a server of tools.
type Toolbox struct {
	server  *client.Server
	folders *folders
	models  Defaults
	mcp     *mcp.Server
	schemas map[string]*jsonschema.Schema // of the arguments of each tool

	ending chan struct{}  // closed when calls have to end
	calls  sync.WaitGroup // that are under way
}

// New opens the folders. Close gives them back.
func New(o Options) (*Toolbox, error) {
	p, err := openFolders(o.Roots, o.Out)
	if err != nil {
		return nil, err
	}
	b := &Toolbox{server: o.Server, folders: p, models: o.Models, schemas: make(map[string]*jsonschema.Schema), ending: make(chan struct{})}
	b.mcp = mcp.NewServer(&mcp.Implementation{Name: "stele", Title: "Stele", Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions, Logger: o.Log, Capabilities: &mcp.ServerCapabilities{},
	})
	b.mcp.AddReceivingMiddleware(b.fitArguments)
	b.addModels()
	b.addGenerate()
	b.addTasks()
	b.addApps()
	b.addFiles()
	b.addChat()
	return b, nil
}

const instructions = "Stele makes pictures, clips and sound, runs apps and asks other models, through one server. " +
	"generate_image, generate_video and generate_speech work with nothing but a text: they use the server's built-in studio, which costs nothing and designs " +
	"posters, cards and patterns rather than photographs. For anything else call list_models, then generate with the model's own inputs. " +
	"What is made is saved in the output folder and its path returned; a file is never overwritten. " +
	"A tool that returns status \"processing\" is not done: call get_generation with the id."

// Close gives the folders back.
func (b *Toolbox) Close() error { return b.folders.close() }

// Serve speaks with one client over a pair of streams until the client goes or ctx ends.
// It waits for what calls that are under way have to stop. A toolbox serves once.
func (b *Toolbox) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	defer context.AfterFunc(ctx, func() { close(b.ending) })()
	defer b.calls.Wait()
	writer := &shared{out: out}
	err := b.mcp.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(newLines(in, writer)), Writer: writer})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil // it was told to end
	}
	return err
}

// addTool adds a tool of typed arguments. What it returns, or an error, is told to the agent.
func addTool[In any](b *Toolbox, t mcp.Tool, do func(context.Context, *call, In) (any, error)) {
	b.schemas[t.Name] = schemaFor[In]()
	t.InputSchema = b.schemas[t.Name]
	mcp.AddTool(b.mcp, &t, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		ctx, stop := b.enter(ctx)
		defer stop()
		out, err := do(ctx, &call{request: req, told: -1}, in)
		if err != nil {
			return nil, nil, explain(err)
		}
		if m, ok := out.(made); ok && m.content != nil {
			return &mcp.CallToolResult{Content: m.content}, m, nil
		}
		return nil, out, nil
	})
}

// enter lets a call end with the toolbox: the library ends those of a client that went,
// and waits for all others. The call is over when stop has been called.
func (b *Toolbox) enter(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	b.calls.Add(1)
	b.calls.Go(func() {
		select {
		case <-b.ending:
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel()
		b.calls.Done()
	}
}

// schemaFor is the schema of a tool's arguments. A member that may be left out is not
// told to be null as well: several clients refuse a list of types.
func schemaFor[In any]() *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // the types are our own
	}
	for _, member := range schema.Properties {
		if len(member.Types) == 2 && member.Types[0] == "null" {
			member.Type, member.Types = member.Types[1], nil
		}
	}
	return schema
}

// hints say what a tool does to the world, for clients that ask before some.
func hints(title string, reads bool) *mcp.ToolAnnotations {
	never := false
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: reads, DestructiveHint: &never}
}

// explain gives the agent the server's sentence with what it needs to do better.
func explain(err error) error {
	refused, ok := errors.AsType[*client.Refusal](err)
	switch {
	case !ok:
		return err
	case len(refused.Details) > 0 && len(refused.Details) <= longestDetails:
		return fmt.Errorf("%s (%s) %s", refused.Message, refused.Code, refused.Details)
	}
	return fmt.Errorf("%s (%s)", refused.Message, refused.Code)
}

const longestDetails = 4 << 10

// call is one call of a tool.
type call struct {
	request *mcp.CallToolRequest
	told    float64
}

// tellProgress tells the client how far a call is, if it wants to know: from 0 to total,
// always more than before.
func (c *call) tellProgress(ctx context.Context, done, total float64, message string) {
	token := c.request.Params.GetProgressToken()
	if token == nil || done <= c.told {
		return
	}
	c.told = done
	_ = c.request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: token, Progress: done, Total: total, Message: message,
	}) // a client that is gone ends the call by other means
}

// stopping is how long it may take to stop a task whose client does not wait any longer.
const stopping = 10 * time.Second
