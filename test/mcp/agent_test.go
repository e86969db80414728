package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"image/png"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/test/rig"
)

// agent is a client of a stele mcp that was started for it.
type agent struct {
	*mcp.ClientSession
	project string       // the folder it works in
	news    chan float64 // progress it was told of
	cmd     *exec.Cmd    // stele mcp
	stdin   io.Closer    // its input, where it speaks over that
}

// program is stele mcp in a project's folder, with nothing but an address and a key.
func program(t *testing.T, h *rig.House, project string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Getenv("STELE_TEST_BINARY"), append([]string{"mcp"}, args...)...)
	cmd.Dir = project
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + project, "STELE_URL=" + h.URL, "STELE_API_KEY=" + h.CreateKey(t).Key, "STELE_MCP_TOKEN=token"}
	return cmd
}

// newClient is an agent's side of the protocol.
func newClient(news chan float64) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { news <- r.Params.Progress },
	})
}

// start starts stele mcp as agents do.
func start(t *testing.T, h *rig.House) *agent {
	t.Helper()
	a := &agent{project: t.TempDir(), news: make(chan float64, 1000)}
	a.cmd = program(t, h, a.project)
	stdin, err := a.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a.stdin = stdin
	t.Cleanup(func() {
		_ = stdin.Close()
		if err := a.cmd.Wait(); err != nil {
			t.Errorf("stele mcp ended with %v", err)
		}
	})
	if a.ClientSession, err = newClient(a.news).Connect(t.Context(), &mcp.IOTransport{Reader: stdout, Writer: stdin}, nil); err != nil {
		t.Fatal(err)
	}
	return a
}

// reach starts stele mcp on a port of its own and speaks with it over HTTP.
func reach(t *testing.T, h *rig.House) *agent {
	t.Helper()
	a := &agent{project: t.TempDir(), news: make(chan float64, 1000)}
	a.cmd = program(t, h, a.project, "--http", "127.0.0.1:0")
	stderr, err := a.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(stderr)
	line, err := said.ReadString('\n')
	found := regexp.MustCompile(`serves at (\S+) `).FindStringSubmatch(line)
	if found == nil {
		t.Fatalf("%q %v", line, err)
	}
	session, err := newClient(a.news).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: found[1], HTTPClient: &http.Client{Transport: bearer("token")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.ClientSession = session
	t.Cleanup(func() {
		_ = session.Close()
		_ = a.cmd.Process.Signal(syscall.SIGTERM)
		if err := a.cmd.Wait(); err != nil {
			t.Errorf("stele mcp ended with %v", err)
		}
	})
	return a
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// call calls a tool with progress wanted.
func (a *agent) call(ctx context.Context, name string, args map[string]any) (*mcp.CallToolResult, error) {
	params := &mcp.CallToolParams{Name: name, Arguments: args}
	params.SetProgressToken(name)
	return a.CallTool(ctx, params)
}

// slow is a generation that goes on until it is stopped.
var slow = map[string]any{"model": "stele/sandbox-image", "inputs": map[string]any{"prompt": "[[sandbox: work=10m]]"}, "wait_seconds": 600}

// stopped waits until the only generation is canceled.
func stopped(t *testing.T, h *rig.House) {
	t.Helper()
	rig.Eventually(t, "the generation is canceled", func() bool {
		var list []struct{ Status string }
		if err := json.Unmarshal([]byte(h.Run(t, "generations", "list", "--json")), &list); err != nil {
			t.Fatal(err)
		}
		return len(list) == 1 && list[0].Status == "canceled"
	})
}

func TestAPictureIsMadeOverEachTransport(t *testing.T) {
	t.Parallel()
	for name, hire := range map[string]func(*testing.T, *rig.House) *agent{"stdio": start, "http": reach} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := hire(t, rig.Start(t, rig.Options{}))
			result, err := a.call(t.Context(), "generate_image", map[string]any{"prompt": "The sea at night", "save_as": "assets/sea.png"})
			if err != nil || result.IsError {
				t.Fatalf("%v %+v", err, result)
			}
			f, err := os.Open(filepath.Join(a.project, "assets", "sea.png"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if picture, err := png.Decode(f); err != nil || picture.Bounds().Dx() != 1024 {
				t.Errorf("%v", err)
			}
			var last float64
			for last < 100 {
				last = <-a.news
			}
			list, err := a.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) != 13 {
				t.Errorf("%d tools: %v", len(list.Tools), err)
			}
			for _, tool := range list.Tools {
				if raw, err := json.Marshal(tool.InputSchema); err != nil || strings.Contains(string(raw), `"null"`) || tool.Description == "" {
					t.Errorf("%s: %s %v", tool.Name, raw, err)
				}
			}
		})
	}
}

func TestACanceledCallCancelsItsGeneration(t *testing.T) {
	t.Parallel()
	for name, hire := range map[string]func(*testing.T, *rig.House) *agent{"stdio": start, "http": reach} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := rig.Start(t, rig.Options{})
			a := hire(t, h)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := a.call(ctx, "generate", slow)
				ended <- err
			}()
			<-a.news
			cancel()
			if err := <-ended; err == nil {
				t.Error("the call goes on")
			}
			stopped(t, h)
		})
	}
}

// An agent that ends takes what it waited for with it, however it ends stele mcp.
func TestAnAgentThatEndsCancelsItsGenerations(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*agent){
		"closed":     func(a *agent) { _ = a.stdin.Close() },
		"terminated": func(a *agent) { _ = a.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := rig.Start(t, rig.Options{})
			a := start(t, h)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_, _ = a.call(context.WithoutCancel(t.Context()), "generate", slow) // it breaks off
			}()
			<-a.news
			end(a)
			stopped(t, h)
			<-ended
		})
	}
}
