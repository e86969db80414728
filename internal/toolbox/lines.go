package toolbox

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/jsonscan"
)

// lines are the messages of a client, one in each line. The library ends the session at a
// line that is none (modelcontextprotocol/go-sdk#1209), and with it all that is under way: such
// a line is answered here, as JSON-RPC has it, and the next one is read.
type lines struct {
	in      *bufio.Reader
	out     io.Writer
	version string // of the protocol, as the client has asked for it
	rest    []byte // of the line that is being read
}

func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{in: bufio.NewReader(in), out: out}
}

// Read reads the bytes of lines that are messages.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if refusal := l.check(line); refusal != nil {
			if _, err := l.out.Write(refusal); err != nil {
				return 0, err
			}
			continue
		}
		l.rest = append(bytes.TrimSpace(line), '\n')
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next is the next line, or the last without its end.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		piece, err := l.in.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > mcp.DefaultMaxLineLength:
			return nil, bufio.ErrTooLong
		case errors.Is(err, io.EOF) && len(line) > 0, err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// firstAlone is the version of the protocol since which a line has one message, not a list of them.
const firstAlone = "2025-06-18"

// check is the answer to a line that is no message; nil where it is one.
func (l *lines) check(line []byte) []byte {
	root, err := jsonscan.Parse(line, jsonscan.Lenient)
	if err != nil {
		return refusal(jsonscan.Value{}, jsonrpc.CodeParseError, "The line is not JSON.")
	}
	if root.Kind() == jsonscan.Array {
		if l.version == "" || l.version >= firstAlone {
			return refusal(jsonscan.Value{}, jsonrpc.CodeInvalidRequest, "A line has one message.")
		}
		for _, one := range root.Elements() {
			if _, err := jsonrpc.DecodeMessage(one.Raw()); err != nil {
				return refusal(one.Get("id"), jsonrpc.CodeInvalidRequest, "The line has what is no message of JSON-RPC 2.0.")
			}
		}
		if root.Len() == 0 {
			return refusal(jsonscan.Value{}, jsonrpc.CodeInvalidRequest, "The list is empty.")
		}
		return nil
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return refusal(root.Get("id"), jsonrpc.CodeInvalidRequest, "The line is no message of JSON-RPC 2.0.")
	}
	if root.Get("method").View() == "initialize" {
		l.version, _ = root.Get("params", "protocolVersion").Text()
	}
	return nil
}

// refusal is an answer with an error, to an id that may not be known.
func refusal(id jsonscan.Value, code int64, message string) []byte {
	var w jsonscan.Writer
	w.Open(jsonscan.Object).Key("jsonrpc").Plain("2.0").Key("id")
	switch id.Kind() {
	case jsonscan.String, jsonscan.Number:
		w.Raw(id.Raw())
	default:
		w.Null()
	}
	w.Key("error").Open(jsonscan.Object).Key("code").Int(code).Key("message").Text(message).Close(jsonscan.Object)
	return append(w.Close(jsonscan.Object).Bytes(), '\n')
}

// shared is a stream that several write to, each a whole line. It stays open when the client
// goes.
type shared struct {
	mu  sync.Mutex // guards out
	out io.Writer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func (*shared) Close() error { return nil }
