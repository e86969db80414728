package toolbox

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/tidwall/gjson"
)

// TestALineThatIsNoMessageEndsNothing has a client send lines that are none, and goes on
// (modelcontextprotocol/go-sdk#1209, Ataraxy-Labs/sem#168, paiml/paiml-mcp-agent-toolkit#648).
func TestALineThatIsNoMessageEndsNothing(t *testing.T) {
	t.Parallel()
	const list = `[{"jsonrpc":"2.0","id":8,"method":"ping"}]`
	for name, row := range map[string]struct {
		line, version string
		code          int64
		id            string
	}{
		"no JSON":              {`{bad json`, "", -32700, "null"},
		"JSON and more":        {`{"jsonrpc":"2.0","id":5,"method":"ping"},`, "", -32700, "null"},
		"cut off":              {`{"jsonrpc":"2.0","id":5,"meth`, "", -32700, "null"},
		"a number":             {`5`, "", -32600, "null"},
		"an empty object":      {`{}`, "", -32600, "null"},
		"another version":      {`{"jsonrpc":"1.0","id":5,"method":"ping"}`, "", -32600, "5"},
		"an id that is a list": {`{"jsonrpc":"2.0","id":[],"method":"ping"}`, "", -32600, "null"},
		"a list":               {list, "2025-11-25", -32600, "null"},
		"an empty list":        {`[]`, "2025-03-26", -32600, "null"},
		"a list of nothing":    {`[5]`, "2025-03-26", -32600, "null"},
		"a blank line":         {"", "", 0, ""},
	} {
		version := row.version
		if version == "" {
			version = "2025-06-18"
		}
		out := speak(t, version, row.line)
		if row.code == 0 && len(out) != 2 || row.code != 0 && len(out) != 3 {
			t.Errorf("%s: %q", name, out)
			continue
		}
		if row.code != 0 && (gjson.Get(out[1], "error.code").Int() != row.code || gjson.Get(out[1], "id").Raw != row.id) {
			t.Errorf("%s: %s", name, out[1])
		}
		if last := out[len(out)-1]; gjson.Get(last, "id").Int() != 9 || !gjson.Get(last, "result").Exists() {
			t.Errorf("%s, then: %s", name, last)
		}
	}
	if out := speak(t, "2025-03-26", list); len(out) != 3 || gjson.Get(out[1], "0.id").Int() != 8 {
		t.Errorf("a list where there may be one: %q", out)
	}
}

// speak is what a toolbox answers to a beginning, a line and a ping. Each line is sent when
// what comes before it is answered.
func speak(t *testing.T, version, line string) []string {
	t.Helper()
	b, err := New(Options{Version: "1", Roots: []string{t.TempDir()}, Out: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ask := &script{lines: []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + line, `{"jsonrpc":"2.0","id":9,"method":"ping"}`,
	}, heard: make(chan struct{}, 9)}
	if line == "" {
		ask.lines = []string{ask.lines[0], ask.lines[1] + "\n\n" + ask.lines[2]}
	}
	if err := b.Serve(context.WithoutCancel(t.Context()), ask, ask); err != nil {
		t.Error(err)
	}
	return strings.Split(strings.TrimSpace(ask.out.String()), "\n")
}

// script sends lines, the next when something was heard.
type script struct {
	lines []string
	heard chan struct{}
	out   bytes.Buffer
	began bool
}

func (s *script) Read(p []byte) (int, error) {
	if s.began {
		<-s.heard
	}
	s.began = true
	if len(s.lines) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.lines[0]+"\n")
	s.lines = s.lines[1:]
	return n, nil
}

func (s *script) Write(p []byte) (int, error) {
	defer func() { s.heard <- struct{}{} }()
	return s.out.Write(p)
}

// FuzzLines holds that the library is given messages only, and the client errors of JSON-RPC for all else.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "\n\n", "{bad\n", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n[]\n5", `{"jsonrpc":"2.0","id":"é","method":"initialize","params":{"protocolVersion":"2025-03-26"}}` + "\n" + `[{"jsonrpc":"2.0","method":"a"},7]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		passed, err := io.ReadAll(newLines(bytes.NewReader(in), &out))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if !gjson.Valid(line) || gjson.Get(line, "error.code").Int() > -32600 {
				t.Errorf("answered %q", line)
			}
		}
		for line := range bytes.Lines(passed) {
			if _, err := jsonrpc.DecodeMessage(line); err != nil && line[0] != '[' {
				t.Errorf("passed %q: %v", line, err)
			}
		}
	})
}
