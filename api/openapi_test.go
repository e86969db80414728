package openapi

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

// route is what the contract fixes about one of the 13 routes.
type route struct {
	Method, Path, Scope, Family, Status string
}

var routes = []route{
	{"GET", "/api/v1/media_models", "media", "native", "served"},
	{"GET", "/api/v1/apps", "apps", "native", "served"},
	{"GET", "/api/v1/apps/{app}", "apps", "native", "served"},
	{"GET", "/api/v1/models", "models", "openai", "served"},
	{"POST", "/api/v1/chat/completions", "chat", "openai", "served"},
	{"POST", "/api/v1/messages", "chat", "anthropic", "served"},
	{"POST", "/api/v1beta/models/{model}:generateContent", "chat", "gemini", "served"},
	{"POST", "/api/v1beta/models/{model}:streamGenerateContent", "chat", "gemini", "served"},
	{"POST", "/api/v1/files", "files", "native", "served"},
	{"POST", "/api/v1/generations", "media", "native", "served"},
	{"GET", "/api/v1/generations/{id}", "media", "native", "served"},
	{"POST", "/api/v1/apps/{app}/generations", "apps", "native", "served"},
	{"GET", "/api/v1/apps/{app}/generations/{id}", "apps", "native", "served"},
}

// errorSchemas names the schema of each family's errors.
var errorSchemas = map[string]string{
	"native":    "#/components/schemas/Error",
	"openai":    "#/components/schemas/OpenAIError",
	"anthropic": "#/components/schemas/AnthropicError",
	"gemini":    "#/components/schemas/GeminiError",
}

func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(Document())
	if err != nil {
		t.Fatalf("load the document: %v", err)
	}
	return doc
}

func TestDocumentIsValid(t *testing.T) {
	t.Parallel()
	doc := load(t)
	if !doc.IsOpenAPI31OrLater() {
		t.Errorf("openapi is %q, want 3.1", doc.OpenAPI)
	}
	// Examples, defaults and patterns are checked by default.
	if err := doc.Validate(t.Context(), openapi3.EnableMultiError()); err != nil {
		t.Error(err)
	}
}

func TestDocumentIsACopy(t *testing.T) {
	t.Parallel()
	first := Document()
	first[0] = '#'
	if Document()[0] == '#' {
		t.Error("a change by one caller reaches the next")
	}
}

func TestDocumentHasTheThirteenRoutes(t *testing.T) {
	t.Parallel()
	doc := load(t)
	var got []route
	for _, path := range writtenPaths() {
		for method, op := range doc.Paths.Value(path).Operations() {
			got = append(got, route{method, path, extension(op, "scope"), extension(op, "family"), extension(op, "status")})
		}
	}
	if diff := cmp.Diff(routes, got); diff != "" {
		t.Errorf("routes of the document (-want +got):\n%s", diff)
	}
	if n := doc.Paths.Len(); n != len(routes) {
		t.Errorf("the document has %d paths, want %d", n, len(routes))
	}
}

func TestEveryOperationIsWhole(t *testing.T) {
	t.Parallel()
	doc := load(t)
	tags := make(map[string]bool)
	for _, tag := range doc.Tags {
		tags[tag.Name] = true
	}
	for _, r := range routes {
		op := operation(t, doc, r)
		if op.OperationID == "" || op.Summary == "" || op.Description == "" {
			t.Errorf("%s %s: operationId, summary or description is empty", r.Method, r.Path)
		}
		if len(op.Tags) != 1 || !tags[op.Tags[0]] {
			t.Errorf("%s %s: tags %v, want one that the document declares", r.Method, r.Path, op.Tags)
		}
		if !eitherHeader(doc, op.Security) {
			t.Errorf("%s %s: security must let Authorization or X-API-Key open the route", r.Method, r.Path)
		}
		if op.Responses.Status(501) != nil || op.Responses.Default() != nil {
			t.Errorf("%s %s: describes more than the finished API", r.Method, r.Path)
		}
	}
}

func TestUnauthorizedSpeaksTheFamilysShape(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for _, r := range routes {
		answer := operation(t, doc, r).Responses.Value("401")
		if answer == nil {
			t.Errorf("%s %s: no 401", r.Method, r.Path)
			continue
		}
		if answer.Value.Headers["WWW-Authenticate"] == nil {
			t.Errorf("%s %s: 401 without WWW-Authenticate", r.Method, r.Path)
		}
		media := answer.Value.Content["application/json"]
		if media == nil {
			t.Errorf("%s %s: 401 without a JSON body", r.Method, r.Path)
			continue
		}
		if got, want := firstShape(media.Schema), errorSchemas[r.Family]; got != want {
			t.Errorf("%s %s: 401 is %q, want %q", r.Method, r.Path, got, want)
		}
	}
}

// What counts as an answer is kept for an Idempotency-Key, on every route that takes one.
func TestWhatIsKeptSaysThatItIsReplayed(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for _, r := range routes {
		op := operation(t, doc, r)
		if op.Parameters.GetByInAndName("header", "Idempotency-Key") == nil {
			continue
		}
		for _, status := range []string{"201", "400", "404", "415", "422"} {
			if answer := op.Responses.Value(status); answer != nil && answer.Value.Headers["Idempotency-Replayed"] == nil {
				t.Errorf("%s %s: %s without Idempotency-Replayed", r.Method, r.Path, status)
			}
		}
	}
}

// Whatever takes a body can find that it comes too slowly, and says so in its family's shape.
func TestWhatTakesABodyNames408(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for _, r := range routes {
		answer := operation(t, doc, r).Responses.Value("408")
		if (answer != nil) != (r.Method == http.MethodPost) {
			t.Errorf("%s %s: names 408: %t", r.Method, r.Path, answer != nil)
		}
		if answer == nil {
			continue
		}
		if got, want := firstShape(answer.Value.Content["application/json"].Schema), errorSchemas[r.Family]; got != want {
			t.Errorf("%s %s: 408 is %q, want %q", r.Method, r.Path, got, want)
		}
	}
}

func TestEveryAnswerCarriesTheRequestID(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for _, r := range routes {
		for status, answer := range operation(t, doc, r).Responses.Map() {
			if answer.Value.Headers["X-Request-Id"] == nil {
				t.Errorf("%s %s: %s without X-Request-Id", r.Method, r.Path, status)
			}
			if status == "405" && answer.Value.Headers["Allow"] == nil {
				t.Errorf("%s %s: 405 without Allow", r.Method, r.Path)
			}
		}
	}
}

// Streams are plain text to the validator, so their events are checked here.
func TestStreamExamplesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	doc := load(t)
	events := map[string]string{
		"createChatCompletion":  "ChatCompletionChunk",
		"createMessage":         "MessageStreamEvent",
		"streamGenerateContent": "GenerateContentResponse",
		"getGeneration":         "Generation",
		"getAppGeneration":      "Generation",
	}
	for _, r := range routes {
		op := operation(t, doc, r)
		stream := op.Responses.Value("200").Value.Content["text/event-stream"]
		if name, streams := events[op.OperationID]; streams != (stream != nil) {
			t.Errorf("%s %s: described as a stream: %t, want %t", r.Method, r.Path, stream != nil, streams)
		} else if streams {
			checkEvents(t, doc, name, stream.Example.(string))
		}
	}
}

func checkEvents(t *testing.T, doc *openapi3.T, name, stream string) {
	t.Helper()
	schema := doc.Components.Schemas[name].Value
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var value any
		if err := json.Unmarshal([]byte(data), &value); err != nil {
			t.Errorf("an event of %s is not JSON: %v", name, err)
			continue
		}
		if err := doc.ValidateSchemaJSON(schema, value, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("an event of %s: %v", name, err)
		}
	}
}

func TestContractPageListsTheSameRoutes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \| ([A-Z]+) \| (/\S+) \| ([a-z]+)`)
	var got []route
	for i, cells := range row.FindAllStringSubmatch(string(page), -1) {
		if cells[1] != strconv.Itoa(i+1) {
			t.Errorf("row %d of the route table is numbered %s", i+1, cells[1])
		}
		got = append(got, route{Method: cells[2], Path: cells[3], Family: cells[4]})
	}
	var want []route
	for _, r := range routes {
		want = append(want, route{Method: r.Method, Path: r.Path, Family: r.Family})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("route table of docs/contract.md (-want +got):\n%s", diff)
	}
}

// writtenPaths lists the document's paths in the order they are written, which
// the loader does not keep.
func writtenPaths() []string {
	_, rest, _ := strings.Cut(string(Document()), "\npaths:\n")
	section, _, _ := strings.Cut(rest, "\ncomponents:\n")
	var paths []string
	for _, m := range regexp.MustCompile(`(?m)^  (/\S+):$`).FindAllStringSubmatch(section, -1) {
		paths = append(paths, m[1])
	}
	return paths
}

func operation(t *testing.T, doc *openapi3.T, r route) *openapi3.Operation {
	t.Helper()
	item := doc.Paths.Value(r.Path)
	if item == nil || item.GetOperation(r.Method) == nil {
		t.Fatalf("the document has no %s %s", r.Method, r.Path)
	}
	return item.GetOperation(r.Method)
}

func extension(op *openapi3.Operation, name string) string {
	text, _ := op.Extensions["x-stele-"+name].(string)
	return text
}

// eitherHeader reports whether each of the two headers alone is enough.
func eitherHeader(doc *openapi3.T, security *openapi3.SecurityRequirements) bool {
	if security == nil {
		return false
	}
	var ways []string
	for _, requirement := range *security {
		if len(requirement) != 1 {
			return false
		}
		for name := range requirement {
			scheme := doc.Components.SecuritySchemes[name].Value
			ways = append(ways, scheme.Type+" "+scheme.Scheme+scheme.Name)
		}
	}
	slices.Sort(ways)
	return slices.Equal(ways, []string{"apiKey X-API-Key", "http bearer"})
}

// firstShape names the schema a body has unless a header asks for another.
func firstShape(schema *openapi3.SchemaRef) string {
	if len(schema.Value.AnyOf) > 0 {
		return schema.Value.AnyOf[0].Ref
	}
	return schema.Ref
}
