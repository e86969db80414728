package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stele/internal/fault"
)

func TestOneHeaderIsInCharge(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		headers http.Header
		goog    bool
		want    string
		code    fault.Code
	}{
		"none":                             {http.Header{}, false, "", fault.MissingAPIKey},
		"bearer":                           {http.Header{"Authorization": {"Bearer k"}}, false, "k", ""},
		"bearer in any case":               {http.Header{"Authorization": {"bEARER  k "}}, false, "k", ""},
		"x-api-key":                        {http.Header{"X-Api-Key": {"k"}}, false, "k", ""},
		"both: bearer wins":                {http.Header{"Authorization": {"Bearer b"}, "X-Api-Key": {"x"}}, false, "b", ""},
		"bearer with repeated x-api-key":   {http.Header{"Authorization": {"Bearer b"}, "X-Api-Key": {"x", "y"}}, false, "b", ""},
		"empty bearer hides x-api-key":     {http.Header{"Authorization": {"Bearer "}, "X-Api-Key": {"x"}}, false, "", fault.MissingAPIKey},
		"basic leaves x-api-key":           {http.Header{"Authorization": {"Basic dTpw"}, "X-Api-Key": {"x"}}, false, "x", ""},
		"basic alone":                      {http.Header{"Authorization": {"Basic dTpw"}}, false, "", fault.MissingAPIKey},
		"empty authorization":              {http.Header{"Authorization": {""}}, false, "", fault.MissingAPIKey},
		"empty authorization, x-api-key":   {http.Header{"Authorization": {""}, "X-Api-Key": {"x"}}, false, "x", ""},
		"empty x-api-key":                  {http.Header{"X-Api-Key": {" "}}, false, "", fault.MissingAPIKey},
		"repeated authorization":           {http.Header{"Authorization": {"Bearer a", "Bearer a"}}, false, "", fault.InvalidAPIKey},
		"repeated, one of them basic":      {http.Header{"Authorization": {"Basic a", "Bearer a"}, "X-Api-Key": {"x"}}, false, "", fault.InvalidAPIKey},
		"repeated x-api-key":               {http.Header{"X-Api-Key": {"a", "a"}}, false, "", fault.InvalidAPIKey},
		"goog is off":                      {http.Header{"X-Goog-Api-Key": {"g"}}, false, "", fault.MissingAPIKey},
		"goog is on":                       {http.Header{"X-Goog-Api-Key": {"g"}}, true, "g", ""},
		"goog comes last":                  {http.Header{"X-Goog-Api-Key": {"g"}, "X-Api-Key": {"x"}}, true, "x", ""},
		"dummy goog beside bearer":         {http.Header{"X-Goog-Api-Key": {"dummy"}, "Authorization": {"Bearer b"}}, true, "b", ""},
		"repeated goog":                    {http.Header{"X-Goog-Api-Key": {"g", "g"}}, true, "", fault.InvalidAPIKey},
		"scheme without a token":           {http.Header{"Authorization": {"Bearer"}}, false, "", fault.MissingAPIKey},
		"a key without a scheme is no key": {http.Header{"Authorization": {"sk_dev_x"}}, false, "", fault.MissingAPIKey},
	} {
		got, err := credential(test.headers, test.goog)
		var code fault.Code
		if err == nil && got == "" {
			err = refuseMissing(&http.Request{Header: test.headers, URL: new(url.URL)}, test.goog)
		}
		if err != nil {
			code = fault.From(err).Code
		}
		if got != test.want || code != test.code {
			t.Errorf("%s: %q, %q; want %q, %q", name, got, code, test.want, test.code)
		}
	}
}

// A client that put its key where none is read is told where it was seen.
func TestAKeyInAnotherPlaceIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		headers http.Header
		query   string
		said    string
	}{
		{http.Header{}, "", "No API key was sent"},
		{http.Header{"X-Goog-Api-Key": {"g"}}, "", "auth.accept_goog_header"},
		{http.Header{"Authorization": {"Bearer "}}, "", "is empty"},
		{http.Header{"X-Api-Key": {""}}, "", "is empty"},
		{http.Header{"Authorization": {"sk_dev_x"}}, "", "without the word Bearer"},
		{http.Header{"Api-Key": {"k"}}, "", "api-key"},
		{http.Header{}, "key=k", "in the address"},
		{http.Header{}, "alt=sse&api_key=k", "in the address"},
	} {
		got := refuseMissing(&http.Request{Header: test.headers, URL: &url.URL{RawQuery: test.query}}, false).Error()
		if !strings.Contains(got, test.said) || !strings.Contains(got, "Authorization: Bearer KEY") {
			t.Errorf("%v ?%s: %s", test.headers, test.query, got)
		}
	}
}
