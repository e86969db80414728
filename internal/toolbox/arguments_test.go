package toolbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/client"
)

func TestArgumentsAreTakenAsTheyAreMeant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sent, fitted string }{
		{`{"prompt":"x","model":null,"images":null,"parameters":null,"wait_seconds":null,"save_as":null}`, `{"prompt":"x"}`},
		{`{"prompt":"null","model":"null","images":["null"],"wait_seconds":"null"}`, `{"prompt":"null"}`},
		{`{"prompt":"x","unknown":null}`, `{"prompt":"x"}`},
		{`{"prompt":"x","parameters":"{\"seed\":5}"}`, `{"parameters":{"seed":5},"prompt":"x"}`},
		{`{"prompt":"x","images":"[\"a.png\",\"b.png\"]"}`, `{"images":["a.png","b.png"],"prompt":"x"}`},
		{`{"prompt":"x","images":"a.png"}`, `{"images":["a.png"],"prompt":"x"}`},
		{`{"prompt":"x","wait_seconds":" 5 "}`, `{"prompt":"x","wait_seconds":5}`},
		{`{"prompt":"{\"a\":1}","model":"5"}`, `{"model":"5","prompt":"{\"a\":1}"}`}, // a text is a text
		{`"{\"prompt\":\"x\"}"`, `{"prompt":"x"}`},
		{`{"prompt":"x","wait_seconds":"soon","parameters":"none"}`, `{"parameters":"none","prompt":"x","wait_seconds":"soon"}`}, // the check says so
		{`{"prompt":"x","prompt":"y","model":null}`, `{"prompt":"x","prompt":"y","model":null}`},
		{`null`, `{}`}, {`[]`, `[]`}, {``, ``}, {`{`, `{`},
	} {
		if got := string(fit([]byte(c.sent), schemaFor[imageIn]())); got != c.fitted {
			t.Errorf("%s: %s, not %s", c.sent, got, c.fitted)
		}
	}
}

func TestACallWithNullsReachesItsTool(t *testing.T) {
	t.Parallel()
	box, err := New(Options{Server: &client.Server{URL: "http://127.0.0.1:1", HTTP: http.DefaultClient}, Roots: []string{t.TempDir()}, Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	near, far := mcp.NewInMemoryTransports()
	served, err := box.mcp.Connect(t.Context(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "t"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, arguments := range []map[string]any{
		{"model": "m", "prompt": "x", "system": nil, "images": nil, "max_tokens": "100"},
		{"model": "m", "prompt": nil},
	} {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "chat", Arguments: arguments})
		if err != nil || !result.IsError {
			t.Fatal(result, err)
		}
		said := result.Content[0].(*mcp.TextContent).Text
		want := "reach the server"
		if arguments["prompt"] == nil {
			want = `missing properties: ["prompt"]`
		}
		if !strings.Contains(said, want) {
			t.Errorf("%v: %s", arguments, said)
		}
	}
}
