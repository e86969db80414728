package sdk

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/test/rig"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"google.golang.org/genai"
)

// The files that the SDKs upload.
const (
	aNote  = "The lighthouse keeper counted forty-two ships."
	aPaper = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
)

func aPicture(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(rig.Root(), "internal", "file", "testdata", "real", "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// uploaded are the ids of a picture, a PDF and a text.
type uploaded struct{ picture, paper, words string }

func uploadedByOpenAI(t *testing.T, s *stage) uploaded {
	t.Helper()
	c := openAIClient(s.House, s.Key)
	put := func(name, kind, body string) string {
		f, err := c.Files.New(t.Context(), openai.FileNewParams{File: openai.File(strings.NewReader(body), name, kind), Purpose: openai.FilePurposeUserData})
		if err != nil {
			t.Fatal(err)
		}
		//lint:ignore SA1019 old clients read the status
		if f.Object != "file" || f.Bytes != int64(len(body)) || f.Filename != name || f.Purpose != "user_data" || f.CreatedAt == 0 || f.Status != "processed" {
			t.Errorf("%+v", f)
		}
		return f.ID
	}
	return uploaded{put("a.png", "image/png", aPicture(t)), put("a.pdf", "application/pdf", aPaper), put("a.txt", "text/plain", aNote)}
}

func uploadedByAnthropic(t *testing.T, s *stage) uploaded {
	t.Helper()
	c := anthropicClient(s.House, s.Key)
	put := func(name, kind, body string) string {
		f, err := c.Beta.Files.Upload(t.Context(), anthropic.BetaFileUploadParams{
			File: anthropic.File(strings.NewReader(body), name, kind), Betas: []anthropic.AnthropicBeta{anthropic.AnthropicBetaFilesAPI2025_04_14},
		})
		if err != nil {
			t.Fatal(err)
		}
		if f.Type != "file" || f.SizeBytes != int64(len(body)) || f.Filename != name || f.MimeType != kind || f.CreatedAt.IsZero() {
			t.Errorf("%+v", f)
		}
		return f.ID
	}
	return uploaded{put("a.png", "image/png", aPicture(t)), put("a.pdf", "application/pdf", aPaper), put("a.txt", "text/plain", aNote)}
}

// TestFilesOfTheSDKsWorkInChatsOfEveryDialect uploads with the OpenAI and the
// Anthropic SDK and talks about the files with all three, over all three upstreams.
func TestFilesOfTheSDKsWorkInChatsOfEveryDialect(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	files := []uploaded{uploadedByOpenAI(t, s), uploadedByAnthropic(t, s)}
	for _, a := range s.away {
		for _, f := range files {
			model := a.dialect + "/" + a.plain
			for name, ask := range map[string]func() error{
				"openai":    func() error { return asksOpenAI(t, s, model, f) },
				"anthropic": func() error { return asksAnthropic(t, s, model, f) },
				"gemini":    func() error { return asksGemini(t, s, model, f) },
			} {
				a.server.Forget()
				if err := ask(); err != nil {
					t.Errorf("%s over %s: %v", name, a.dialect, err)
					continue
				}
				seen := a.asked(a.plain)
				if len(seen) != 1 {
					t.Errorf("%s over %s: asked %d times", name, a.dialect, len(seen))
					continue
				}
				holds(t, name+" over "+a.dialect, seen[0].Body, aPicture(t))
			}
		}
	}
}

// holds fails unless the upstream was given all three files and no id of ours.
func holds(t *testing.T, who string, body []byte, picture string) {
	t.Helper()
	in64 := func(text string) []byte { return []byte(base64.StdEncoding.EncodeToString([]byte(text))) }
	if !bytes.Contains(body, in64(picture)) || !bytes.Contains(body, in64(aPaper)) ||
		!bytes.Contains(body, []byte(aNote)) && !bytes.Contains(body, in64(aNote)) || bytes.Contains(body, []byte("file_0")) {
		t.Errorf("%s: the upstream was sent %s", who, body)
	}
}

func asksOpenAI(t *testing.T, s *stage, model string, f uploaded) error {
	t.Helper()
	c := openAIClient(s.House, s.Key)
	file := func(id string) openai.ChatCompletionContentPartUnionParam {
		return openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{FileID: openai.String(id)})
	}
	_, err := c.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model: model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart("look"), file(f.picture), file(f.paper), file(f.words),
		})},
	})
	return err
}

func asksAnthropic(t *testing.T, s *stage, model string, f uploaded) error {
	t.Helper()
	c := anthropicClient(s.House, s.Key)
	document := func(id string) anthropic.BetaContentBlockParamUnion {
		return anthropic.BetaContentBlockParamUnion{OfDocument: &anthropic.BetaRequestDocumentBlockParam{
			Source: anthropic.BetaRequestDocumentBlockSourceUnionParam{OfFile: &anthropic.BetaFileDocumentSourceParam{FileID: id}},
		}}
	}
	_, err := c.Beta.Messages.New(t.Context(), anthropic.BetaMessageNewParams{
		Model: model, MaxTokens: 64, Betas: []anthropic.AnthropicBeta{anthropic.AnthropicBetaFilesAPI2025_04_14},
		Messages: []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(
			anthropic.BetaContentBlockParamUnion{OfText: &anthropic.BetaTextBlockParam{Text: "look"}},
			anthropic.BetaContentBlockParamUnion{OfImage: &anthropic.BetaImageBlockParam{
				Source: anthropic.BetaImageBlockParamSourceUnion{OfFile: &anthropic.BetaFileImageSourceParam{FileID: f.picture}},
			}},
			document(f.paper), document(f.words),
		)},
	})
	return err
}

func asksGemini(t *testing.T, s *stage, model string, f uploaded) error {
	t.Helper()
	c := geminiClient(t, s.House, dummy, s.Key)
	_, err := c.Models.GenerateContent(t.Context(), model, []*genai.Content{{Role: "user", Parts: []*genai.Part{
		{Text: "look"}, {FileData: &genai.FileData{FileURI: "files/" + f.picture, MIMEType: "image/png"}},
		{FileData: &genai.FileData{FileURI: f.paper, MIMEType: "application/pdf"}},
		{FileData: &genai.FileData{FileURI: "files/" + f.words, MIMEType: "text/plain"}},
	}}}, nil)
	return err
}

// TestNodeFiles is the same with the Node SDKs.
func TestNodeFiles(t *testing.T) {
	t.Parallel()
	program := rig.Node(t)
	s := newStage(t)
	// The last request that an upstream has seen, for another process.
	seen := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, a := range s.away {
			if all := a.asked(a.plain); a.dialect == r.URL.Query().Get("dialect") && len(all) > 0 {
				_, _ = w.Write(all[len(all)-1].Body)
			}
		}
	}))
	t.Cleanup(seen.Close)
	models := make(map[string]string)
	for _, a := range s.away {
		models[a.dialect] = a.dialect + "/" + a.plain
	}
	prepared, err := json.Marshal(map[string]any{
		"url": s.URL, "key": s.Key, "seen": seen.URL, "models": models, "words": aNote, "paper": aPaper, "picture": []byte(aPicture(t)),
	})
	if err != nil {
		t.Fatal(err)
	}
	runNode(t, program, "files/files.test.mjs", "STELE_TEST_FILES="+string(prepared))
}

// TestAnotherWorkspacesFileIsNotThere in any dialect.
func TestAnotherWorkspacesFileIsNotThere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	f := uploadedByOpenAI(t, s)
	other := *s
	other.Key = s.CreateKey(t, "--workspace", "other").Key
	s.Await(t, other.Key, http.StatusOK)
	for name, ask := range map[string]func(*testing.T, *stage, string, uploaded) error{"openai": asksOpenAI, "anthropic": asksAnthropic, "gemini": asksGemini} {
		for _, a := range s.away {
			err := ask(t, &other, a.dialect+"/"+a.plain, f)
			if err == nil || !strings.Contains(err.Error(), "404") && !strings.Contains(err.Error(), "NOT_FOUND") {
				t.Errorf("%s over %s: %v", name, a.dialect, err)
			}
			if n := len(a.asked(a.plain)); n > 0 {
				t.Errorf("%s was asked %d times", a.dialect, n)
			}
		}
	}
}

// TestASignedAddressIsReadByAnybody who holds it, and by no others.
func TestASignedAddressIsReadByAnybody(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	picture := aPicture(t)
	path := filepath.Join(t.TempDir(), "a.png")
	if err := os.WriteFile(path, []byte(picture), 0o600); err != nil {
		t.Fatal(err)
	}
	var kept struct {
		ID, URL string
		SHA256  string `json:"sha256"`
	}
	out := s.Run(t, "files", "put", path, "--json", "--key", s.Key, "--url", s.URL)
	if err := json.Unmarshal([]byte(out), &kept); err != nil || !strings.HasPrefix(kept.URL, s.URL+"/files/"+kept.ID+"/a.png?") {
		t.Fatal(out, err)
	}
	if out := s.Run(t, "files", "put", path, "--url", s.URL); !strings.Contains(out, "image/png, 469 bytes") || !strings.Contains(out, s.URL+"/files/file_") {
		t.Error(out) // with a key that was made for it
	}
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.Try(t, "files", "put", program, "--url", s.URL, "--key", s.Key); r.Code == 0 || !strings.Contains(r.Stderr, "cannot be taken") {
		t.Errorf("%+v", r)
	}
	answer, err := s.Client.Get(kept.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || string(body) != picture || answer.Header.Get("Content-Type") != "image/png" ||
		answer.Header.Get("ETag") != `"`+kept.SHA256+`"` {
		t.Error(answer.StatusCode, answer.Header, err)
	}
	bare, _, _ := strings.Cut(kept.URL, "?")
	for _, address := range []string{bare, kept.URL + "x"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.Key) // which opens nothing here
		answer, err := s.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden {
			t.Error(address, answer.StatusCode)
		}
	}
}
