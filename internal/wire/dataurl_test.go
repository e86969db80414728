package wire_test

import (
	"io"
	"testing"

	"stele/internal/wire"
)

func TestDataURLsAreReadWithTheirLiberties(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		kind, payload string
		coded, ok     bool
	}{
		"data:image/png;base64,QUJD":             {"image/png", "QUJD", true, true},
		"DATA:Image/PNG ;charset=x;BASE64,QU,JD": {"image/png", "QU,JD", true, true},
		"data:;base64,":                          {"", "", true, true},
		"data:image/svg+xml,%3Csvg/%3E":          {"image/svg+xml", "%3Csvg/%3E", false, true},
		"data:,a;base64":                         {"", "a;base64", false, true},
		"data:image/png;base64":                  {kind: "image/png", coded: true},
		"https://example.com/,":                  {},
		"dat":                                    {},
	} {
		kind, payload, coded, ok := wire.DataURL(text)
		if kind != want.kind || payload != want.payload || coded != want.coded || ok != want.ok {
			t.Errorf("%s: %q %q %v %v", text, kind, payload, coded, ok)
		}
	}
}

func TestBase64OfAnyFormBecomesStandard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"QUJD": "QUJD", "_-8": "/+8=", "QU\r\nJD": "QUJD", "QQ": "QQ==", "Q Q=": "QQ==", "": ""} {
		if got := wire.Base64(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestDataURLsAreOpened(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"data:image/png;base64,QUJD": "image/png ABC", "data:;base64,QUI%3D": " AB", "data:text/plain,a%20b": "text/plain a b", "data:;base64,QQ": " A",
		"data:text/plain": "", "data:text/plain,%zz": "", "data:;base64,QU!D": "",
	} {
		kind, content, err := wire.OpenDataURL(text)
		var body []byte
		if err == nil {
			body, err = io.ReadAll(content)
		}
		if got := kind + " " + string(body); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}
