package provider_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/guard"
	"stele/internal/provider"
)

// there is what is found at every address.
type there struct {
	status int
	kind   string
	body   string
}

func (h there) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: h.status, Header: http.Header{"Content-Type": {h.kind}}, Body: io.NopCloser(strings.NewReader(h.body)), Request: r,
	}, nil
}

func TestInputsAreWhatTheirBytesSay(t *testing.T) {
	t.Parallel()
	const png, pdf = "\x89PNG\r\n\x1a\n0123456789", "%PDF-1.4 0123456789"
	for _, c := range []struct {
		name string
		part chat.Kind
		at   there
		want string // its type; "": refused
		why  string
	}{
		{"a picture", chat.Image, there{200, "image/png", png}, "image/png", ""},
		{"a picture with a wrong label", chat.Image, there{200, "image/jpeg", png}, "image/png", ""},
		{"a picture without a label", chat.Image, there{200, "", png}, "image/png", ""},
		{"a document", chat.Document, there{200, "application/octet-stream", pdf}, "application/pdf", ""},
		{"words", chat.Document, there{200, "text/markdown; charset=utf-8", "# words"}, "text/markdown", ""},
		{"a page instead of a picture", chat.Image, there{200, "text/html", "<html>"}, "", "text/html"},
		{"a picture instead of a document", chat.Document, there{200, "application/pdf", png}, "", "image/png"},
		{"nothing", chat.Image, there{404, "text/html", "gone"}, "", "404"},
		{"too much", chat.Image, there{200, "image/png", png + strings.Repeat("x", 100)}, "", "larger than 50"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inputs := provider.NewInputs(&http.Client{Transport: c.at}, provider.Allowance{On: true, Image: 50, Document: 50})
			m, err := inputs.Fetch(t.Context(), &chat.Part{Kind: c.part, Media: &chat.Media{URL: "https://a.example/x"}}, 1<<30)
			switch {
			case c.want == "":
				if e := fault.From(err); err == nil || e.Code != fault.InvalidMediaURL || !strings.Contains(e.Message, c.why) {
					t.Errorf("%v, %v", m, err)
				}
			case err != nil || m.Type != c.want || m.Base64 == "":
				t.Errorf("%v, %v", m, err)
			}
		})
	}
}

func TestNothingIsFetchedWhereThatIsOff(t *testing.T) {
	t.Parallel()
	inputs := provider.NewInputs(&http.Client{Transport: there{500, "", ""}}, provider.Allowance{})
	if m, err := inputs.Fetch(t.Context(), &chat.Part{Kind: chat.Image, Media: &chat.Media{URL: "https://a.example/x"}}, 1<<30); m != nil || err != nil {
		t.Errorf("%v, %v", m, err)
	}
}

func TestInputsComeFromPublicAddressesOnly(t *testing.T) {
	t.Parallel()
	inputs := provider.NewInputs(guard.Caller(guard.Options{}), provider.Allowance{On: true, Image: 50})
	_, err := inputs.Fetch(t.Context(), &chat.Part{Kind: chat.Image, Media: &chat.Media{URL: "http://127.0.0.1:9/secret"}}, 1<<30)
	if e := fault.From(err); err == nil || e.Code != fault.InvalidMediaURL || !strings.Contains(e.Message, "not a public address") {
		t.Errorf("%v", err)
	}
}
