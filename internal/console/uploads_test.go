package console_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"stele/internal/access"
	"stele/internal/console/consoletest"
)

func TestAnUploadInTheAppsRoomIsWrittenDown(t *testing.T) {
	t.Parallel()
	h, _ := consoletest.OpenApps(t)
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	part, err := parts.CreateFormFile("file", "dot.png")
	if err == nil {
		err = png.Encode(part, image.NewRGBA(image.Rect(0, 0, 2, 2)))
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = parts.Close()
	res := h.Send(httptest.NewRequest(http.MethodPost, h.Base+"/console/apps/files?kind=image", &form), consoletest.With("Content-Type", parts.FormDataContentType()))
	consoletest.WantStatus(t, res, 201)
	var kept struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(consoletest.Body(t, res)), &kept); err != nil {
		t.Fatal(err)
	}
	admin, err := h.Access.BySession(t.Context(), h.Cookie)
	if err != nil {
		t.Fatal(err)
	}
	list, err := h.Access.Audit(t.Context(), admin.Principal(), access.Filter{Action: "file.upload", Limit: 10})
	if err != nil || len(list) != 1 || list[0].Target != kept.ID || list[0].Actor != admin.User.ID || list[0].Detail != "dot.png" {
		t.Errorf("the log has %+v, %v", list, err)
	}
}

// TestFilesComeInOneWay keeps the next room from taking files without writing it down.
func TestFilesComeInOneWay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) < 50 {
		t.Fatal(len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "page/uploads.go" {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "MultipartReader" || s.Sel.Name == "FormFile") {
					t.Errorf("%s takes a file by itself: use page.KeepUpload", name)
				}
			}
			return true
		})
	}
}
