package dialect_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"

	"stele/internal/fault"
	"stele/internal/file"
)

// The files that the workspace of every trip has.
const (
	ownPDF   = "file_0693kq1w2e3r4t5y6n7m8p9s0v"
	ownImage = "file_0693kq1w2e3r4t5y6n7m8p9s1v"
	ownText  = "file_0693kq1w2e3r4t5y6n7m8p9s2v"
	ownHEIC  = "file_0693kq1w2e3r4t5y6n7m8p9s3v"
	notOwn   = "file_0693kq1w2e3r4t5y6n7m8p9s4v" // another workspace's
)

// drawer keeps files in memory.
type drawer struct{}

func (drawer) Own(given string) (string, bool) {
	rest, ok := strings.CutPrefix(given, "https://stele.example/files/")
	id, _, _ := strings.Cut(rest, "/")
	return id, ok
}

func (drawer) File(_ context.Context, workspace, id string) (*file.File, error) {
	f := file.File{ID: id, Workspace: "w"}
	switch id {
	case ownPDF:
		f.Kind, f.Type, f.Name, f.Blob = file.Document, "application/pdf", "own.pdf", pdf
	case ownImage:
		f.Kind, f.Type, f.Name, f.Blob = file.Image, "image/png", "own.png", pixel
	case ownText:
		f.Kind, f.Type, f.Name, f.Blob = file.Document, "text/plain", "own.txt", b64("words of our own")
	case ownHEIC:
		f.Kind, f.Type, f.Name, f.Blob = file.Image, "image/heic", "own.heic", b64("\x00\x00\x00\x18ftypheic....")
	default:
		f.Workspace = "another"
	}
	if f.Workspace != workspace {
		return nil, fault.New(fault.FileNotFound, "There is no file %q here.", id)
	}
	f.Size = int64(base64.StdEncoding.DecodedLen(len(f.Blob)))
	return &f, nil
}

func (drawer) Open(_ context.Context, f *file.File, _, _ int64) (io.ReadCloser, error) {
	return io.NopCloser(base64.NewDecoder(base64.StdEncoding, strings.NewReader(f.Blob))), nil
}

// naming is a request of a dialect that names a file of ours: by its id, or by its
// address where a picture is wanted.
func naming(from, id string, picture, byAddress bool) string {
	address := "https://stele.example/files/" + id + "/name?exp=1&sig=expired"
	switch {
	case from == O && picture && byAddress:
		return partO(`{"type":"image_url","image_url":{"url":"` + address + `","detail":"low"}}`)
	case from == O:
		return partO(`{"type":"file","file":{"file_id":"` + id + `"}}`)
	case from == G && byAddress:
		return partG(`{"fileData":{"fileUri":"` + address + `"}}`)
	case from == G:
		return partG(`{"fileData":{"fileUri":"files/` + id + `"}}`)
	}
	kind, source := "document", `{"type":"file","file_id":"`+id+`"}`
	if picture {
		kind = "image"
	}
	if byAddress {
		source = `{"type":"url","url":"` + address + `"}`
	}
	return fmt.Sprintf(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":%q,"source":%s}]}]}`, kind, source)
}

// ownFiles: bytes are resolved and inlined, from every dialect to every other and
// to its own.
func ownFiles(t *testing.T) {
	place := map[string]string{O: "messages[0].content[1]", A: "messages[0].content[1]", G: "contents[0].parts[1]"}
	for _, from := range []string{O, A, G} {
		for _, to := range []string{O, A, G} {
			for _, byAddress := range []bool{false, true} {
				sent := take(t, trip{from: from, to: to, ask: naming(from, ownImage, true, byAddress)}).got().Raw
				if !strings.Contains(sent, pixel) || strings.Contains(sent, ownImage) || !strings.Contains(sent, "image/png") {
					t.Errorf("%s to %s: %s", from, to, sent)
				}
				if from == O && byAddress {
					continue // OpenAI's clients name documents by id only
				}
				sent = take(t, trip{from: from, to: to, ask: naming(from, ownPDF, false, byAddress)}).got().Raw
				if !strings.Contains(sent, pdf) || strings.Contains(sent, ownPDF) || !strings.Contains(sent, "application/pdf") {
					t.Errorf("%s to %s: %s", from, to, sent)
				}
				sent = take(t, trip{from: from, to: to, ask: naming(from, ownText, false, byAddress)}).got().Raw
				if !strings.Contains(sent, "words of our own") && !strings.Contains(sent, b64("words of our own")) || strings.Contains(sent, ownText) {
					t.Errorf("%s to %s: %s", from, to, sent)
				}
			}
			lost := try(t, trip{from: from, to: to, ask: naming(from, notOwn, false, false)})
			if lost.failure == nil || lost.failure.Code != fault.FileNotFound || lost.status != 404 || !strings.Contains(lost.failure.Message, place[from]) {
				t.Errorf("%s to %s: %v", from, to, lost.failure)
			}
			if to != G {
				refuses(t, trip{from: from, to: to, ask: naming(from, ownHEIC, true, false)}, place[from])
			}
		}
	}
	refuses(t, trip{from: A, to: A, ask: naming(A, ownPDF, true, false)}, place[A])
	refuses(t, trip{from: O, to: G, ask: naming(O, ownPDF, true, true)}, place[O])
	passed := trip{from: A, to: A, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"file_011CNha8iCJcU1wXNR6q4V8w"}}]}]}`}
	take(t, passed).quiet() // one of Anthropic's own
}

// TestOnlyTheNameOfAnOwnFileIsChangedInAClientsBytes: everything else is as it
// was, odd spaces and unknown members included.
func TestOnlyTheNameOfAnOwnFileIsChangedInAClientsBytes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ dialect, before, named, after, becomes string }{
		{
			O, `{"model": "m","messages":[{"role":"user","content":[ {"type":"text","text":"see"}, `, `{"type":"file","file":{"file_id":"` + ownPDF + `"}}`,
			` , {"type":"text","text":"it", "odd": 1e0}]}],  "something_new": {"b":1,"a":2}}`,
			`{"type":"file","file":{"filename":"own.pdf","file_data":"data:application/pdf;base64,` + pdf + `"}}`,
		},
		{
			A, `{"max_tokens":9, "model": "m","messages":[{"role":"user","content":[`, `{"type":"image","cache_control":{"type":"ephemeral"},"source":{"type":"file","file_id":"` + ownImage + `"}}`,
			`]}], "tools":[{"type":"web_search_20250305","name":"web_search"}],"something_new":[1.0]}`,
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"},"cache_control":{"type":"ephemeral"}}`,
		},
		{
			G, `{"contents":[{"role":"user","parts":[{"text":"see"},`, `{"fileData":{"mimeType":"image/png","fileUri":"files/` + ownImage + `"}}`,
			`]}], "tools":[{"googleSearch":{}}], "something_new" : null}`,
			`{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}`,
		},
	} {
		l := take(t, trip{from: test.dialect, to: test.dialect, ask: test.before + test.named + test.after})
		want := strings.Replace(test.before+test.becomes+test.after, `"model": "m"`, `"model": "`+models[test.dialect]+`"`, 1)
		if got := l.got().Raw; got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.dialect, got, want)
		}
		if !l.reply.Passed {
			t.Errorf("%s: the answer did not pass", test.dialect)
		}
	}
}

// TestAFileInAToolsAnswerIsInlined: it lies deeper than the client's own parts.
func TestAFileInAToolsAnswerIsInlined(t *testing.T) {
	t.Parallel()
	ask := `{"model":"m","max_tokens":9,"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"go"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"file","file_id":"` + ownImage + `"}}]}]}]}`
	for _, to := range []string{O, A, G} {
		if sent := take(t, trip{from: A, to: to, ask: ask}).got().Raw; !strings.Contains(sent, pixel) || strings.Contains(sent, ownImage) {
			t.Errorf("to %s: %s", to, sent)
		}
	}
}
