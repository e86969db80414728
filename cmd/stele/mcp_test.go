package main

import (
	"bytes"
	"context"
	"image"
	_ "image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a client of stele mcp, and what it was told of how its calls go on.
type agent struct {
	t      *testing.T
	out    string // where outputs are saved
	client *mcp.ClientSession

	mu    sync.Mutex // guards what follows
	heard []mcp.ProgressNotificationParams
	news  chan struct{} // one for each that was heard
}

// hire starts stele mcp in this process and speaks with it over a pair of streams.
func (s *served) hire(args ...string) *agent {
	s.t.Helper()
	a := &agent{t: s.t, out: s.t.TempDir(), news: make(chan struct{}, 1000)}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	w := s.world()
	w.stdin, w.stdout = toServer, fromServer
	ctx, stop := context.WithCancel(s.t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, append([]string{"mcp", "--url", s.url + "/api/v1/", "--out", a.out, "--root", a.out}, args...), w)
		_ = fromServer.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.heard = append(a.heard, *r.Params)
			a.news <- struct{}{}
		},
	})
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		s.t.Fatalf("connect: %v\n%s", err, s.out)
	}
	a.client = session
	s.t.Cleanup(func() {
		_ = session.Close()
		_ = fromClient.Close()
		stop()
		if err := <-ended; err != nil {
			s.t.Errorf("stele mcp: %v", err)
		}
	})
	return a
}

// call calls a tool and reads its answer into a value. It returns the answer whole.
func (a *agent) call(ctx context.Context, name string, args map[string]any, into any) (*mcp.CallToolResult, error) {
	a.t.Helper()
	params := &mcp.CallToolParams{Name: name, Arguments: args}
	params.SetProgressToken(name)
	result, err := a.client.CallTool(ctx, params)
	if err == nil && into != nil && !result.IsError {
		text := result.Content[0].(*mcp.TextContent).Text
		if err := json.Unmarshal([]byte(text), into, json.MatchCaseInsensitiveNames(true)); err != nil {
			a.t.Fatalf("%s: %v\n%s", name, err, text)
		}
	}
	return result, err
}

// must calls a tool that has to succeed.
func (a *agent) must(name string, args map[string]any, into any) *mcp.CallToolResult {
	a.t.Helper()
	result, err := a.call(a.t.Context(), name, args, into)
	if err != nil || result.IsError {
		a.t.Fatalf("%s: %v %s", name, err, spoken(result))
	}
	return result
}

// refused calls a tool that has to fail and gives the reason the agent is told.
func (a *agent) refused(name string, args map[string]any) string {
	a.t.Helper()
	result, err := a.call(a.t.Context(), name, args, nil)
	if err != nil || !result.IsError {
		a.t.Fatalf("%s was not refused: %v %s", name, err, spoken(result))
	}
	return spoken(result)
}

func spoken(result *mcp.CallToolResult) string {
	if result == nil || len(result.Content) == 0 {
		return ""
	}
	text, _ := result.Content[0].(*mcp.TextContent)
	if text == nil {
		return ""
	}
	return text.Text
}

// done is what an agent is told of a generation.
type done struct {
	ID, Status, Model, Text string
	Files                   []struct {
		Path string
		Size int64
	}
}

func TestAnAgentMakesAPicture(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, key := s.key()
	a := s.hire("--key", key)

	var made done
	result := a.must("generate_image", map[string]any{"prompt": "The sea at night", "aspect_ratio": "16:9", "save_as": "art/sea.png"}, &made)
	if made.Status != "success" || made.Model != "stele/canvas" || len(made.Files) != 1 || made.Files[0].Path != filepath.Join(a.out, "art", "sea.png") {
		t.Fatalf("%+v", made)
	}
	file, err := os.ReadFile(made.Files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	picture, format, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil || format != "png" || picture.Width*9 != picture.Height*16 {
		t.Errorf("%s %+v %v", format, picture, err)
	}
	if shown, ok := result.Content[len(result.Content)-1].(*mcp.ImageContent); !ok || !bytes.Equal(shown.Data, file) || shown.MIMEType != "image/png" {
		t.Errorf("the picture is not shown: %d contents", len(result.Content))
	}
	a.mu.Lock()
	if n := len(a.heard); n < 2 || a.heard[0].Progress != 0 || a.heard[n-1].Progress != 100 || a.heard[n-1].Total != 100 {
		t.Errorf("progress: %+v", a.heard)
	}
	a.mu.Unlock()

	// The same name again is another file; the picture that was made is edited by its path.
	var edited done
	a.must("generate_image", map[string]any{
		"prompt": "", "images": []string{"art/sea.png"}, "parameters": map[string]any{"grayscale": true}, "save_as": "art/sea.png",
	}, nil)
	a.must("generate_image", map[string]any{"prompt": "black and white", "images": []string{made.Files[0].Path}, "save_as": "art/sea.png"}, &edited)
	if len(edited.Files) != 1 || edited.Files[0].Path == made.Files[0].Path {
		t.Errorf("%+v", edited)
	}
	if again, err := os.ReadFile(made.Files[0].Path); !bytes.Equal(again, file) {
		t.Errorf("it was written over: %v", err)
	}
}

func TestACallThatIsCanceledStopsItsGeneration(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, key := s.key()
	a := s.hire("--key", key)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := a.call(ctx, "generate", map[string]any{
			"model": "stele/sandbox-image", "inputs": map[string]any{"prompt": "[[sandbox: work=10m]]"}, "wait_seconds": 600,
		}, nil)
		ended <- err
	}()
	<-a.news // it was ordered
	cancel()
	if err := <-ended; err == nil {
		t.Error("the call was not canceled")
	}
	eventually(t, func() bool { return strings.Contains(s.cli("generations", "list"), "canceled") })
}

func TestAnAgentLooksAfterItsGenerations(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, key := s.key()
	a := s.hire("--key", key)
	var slow, stopped, quick done
	a.must("generate", map[string]any{
		"model": "stele/sandbox-image", "inputs": map[string]any{"prompt": "[[sandbox: work=10m]]"}, "wait_seconds": 0,
	}, &slow)
	if slow.ID == "" || slow.Status == "success" {
		t.Fatalf("%+v", slow)
	}
	a.must("cancel_generation", map[string]any{"id": slow.ID}, &stopped)
	if stopped.ID != slow.ID || stopped.Status != "canceled" {
		t.Errorf("%+v", stopped)
	}
	if reason := a.refused("download", map[string]any{"id": slow.ID}); !strings.Contains(reason, "canceled") {
		t.Error(reason)
	}
	a.must("generate", map[string]any{"model": "stele/tone", "inputs": map[string]any{"prompt": "calm", "duration": 2}, "wait_seconds": 0}, &quick)
	a.must("get_generation", map[string]any{"id": quick.ID}, &stopped)
	if stopped.Status != "success" || len(stopped.Files) != 0 {
		t.Errorf("%+v", stopped)
	}
	a.must("download", map[string]any{"id": quick.ID}, &stopped)
	if len(stopped.Files) != 1 || stopped.Files[0].Size == 0 {
		t.Errorf("%+v", stopped)
	}
}

func TestAnAgentRunsAppsAndAsksModels(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, key := s.key()
	a := s.hire("--key", key)
	var models struct{ Models []struct{ ID, Kind string } }
	a.must("list_models", map[string]any{"kind": "audio", "search": "TONE"}, &models)
	if len(models.Models) != 1 || models.Models[0].ID != "stele/tone" || models.Models[0].Kind != "audio" {
		t.Errorf("%+v", models)
	}
	var about struct {
		Operations []struct{ Parameters []struct{ Name string } }
	}
	a.must("describe_model", map[string]any{"model": "stele/canvas"}, &about)
	if len(about.Operations) != 2 || len(about.Operations[0].Parameters) == 0 {
		t.Errorf("%+v", about)
	}
	var apps struct {
		Apps []struct {
			ID     string
			Inputs []struct{ Name, Media string }
		}
	}
	a.must("list_apps", map[string]any{"search": "watermark"}, &apps)
	if len(apps.Apps) != 1 || len(apps.Apps[0].Inputs) != 4 || apps.Apps[0].Inputs[0].Media != "image" {
		t.Errorf("%+v", apps)
	}
	var made, marked, answer done
	a.must("generate_image", map[string]any{"prompt": "A hill", "parameters": map[string]any{"size": 256}}, &made)
	a.must("run_app", map[string]any{"app": "watermark", "inputs": map[string]any{"pictures": []string{"a-hill.png"}, "mark": "mine"}}, &marked)
	if len(marked.Files) != 1 || filepath.Base(marked.Files[0].Path) != "watermark.png" {
		t.Errorf("%+v", marked)
	}
	a.must("chat", map[string]any{"model": "stele/sandbox", "prompt": "[[sandbox: text=“Good morning!”]]", "images": []string{"a-hill.png"}}, &answer)
	if answer.Text != "Good morning!" {
		t.Errorf("%+v", answer)
	}
	var kept done
	a.must("upload_file", map[string]any{"path": "a-hill.png"}, &kept)
	if !strings.HasPrefix(kept.ID, "file_") {
		t.Errorf("%+v", kept)
	}
}

func TestAnAgentIsToldWhyNot(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, key := s.key("--scope", "media")
	a := s.hire("--key", key)
	for _, c := range []struct {
		tool, want string
		args       map[string]any
	}{
		{"generate", "model_not_found", map[string]any{"model": "no/such", "inputs": map[string]any{"prompt": "x"}}},
		{"generate_image", "invalid_parameter", map[string]any{"prompt": "x", "aspect_ratio": "7:5"}},
		{"generate_image", "prompt", map[string]any{}},
		{"generate_image", "outside", map[string]any{"prompt": "x", "save_as": "../x.png"}},
		{"generate_image", "outside", map[string]any{"prompt": "x", "images": []string{"/etc/passwd"}}},
		{"get_generation", "no generation", map[string]any{"id": "gen_none"}},
		{"cancel_generation", "no generation", map[string]any{"id": "gen_none"}},
		{"chat", "permission_denied", map[string]any{"model": "stele/sandbox", "prompt": "x"}},
		{"describe_model", "no model", map[string]any{"model": "nothing"}},
		{"generate", "(content_policy)", map[string]any{"model": "stele/sandbox-image", "inputs": map[string]any{"prompt": "[[sandbox: error=content_policy]]"}}},
	} {
		if reason := a.refused(c.tool, c.args); !strings.Contains(reason, c.want) {
			t.Errorf("%s %v: %s", c.tool, c.args, reason)
		}
	}
}

func TestAgentsUseNoServerByChance(t *testing.T) {
	t.Parallel()
	w := (&served{t: t, out: new(notes)}).world()
	if err := os.WriteFile(filepath.Join(w.dir, "stele.yaml"), []byte("public_url: https://evil.example.com\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"mcp"}, w); err == nil || !strings.Contains(err.Error(), "no API key") {
		t.Error(err)
	}
	p := &program{world: w}
	c := p.mcp()
	p.add(c.Flags())
	c.SetContext(t.Context())
	a := agents{remote: remote{key: "sk_dev_x"}}
	if _, err := a.find(c, p); err != nil || a.url != "http://127.0.0.1:8080" {
		t.Errorf("%s %v", a.url, err)
	}
	for given, want := range map[string]string{
		"https://h/": "https://h", "https://h/api/v1": "https://h", "https://h/x/api": "https://h/x", "https://h/api/v1beta/": "https://h", "": "",
	} {
		if got := baseURL(given); got != want {
			t.Errorf("%s: %s", given, got)
		}
	}
}
