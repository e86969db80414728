package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// The examples of Amazon's own documents and test suite.
func TestSignsAsAmazonsExamplesDo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, method, url, service, contentType, body, signature, headers string
	}{
		{
			"list users", "GET", "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08", "iam",
			"application/x-www-form-urlencoded; charset=utf-8", "",
			"5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7", "content-type;host;x-amz-date",
		},
		{
			"get-vanilla", "GET", "https://example.amazonaws.com/", "service", "", "",
			"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31", "host;x-amz-date",
		},
		{
			"post-vanilla", "POST", "https://example.amazonaws.com/", "service", "", "",
			"5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b", "host;x-amz-date",
		},
	}
	for _, test := range tests {
		r, err := http.NewRequestWithContext(t.Context(), test.method, test.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if test.contentType != "" {
			r.Header.Set("Content-Type", test.contentType)
		}
		s := sigV4{
			id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", region: "us-east-1", service: test.service,
			now: func() time.Time { return time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC) },
		}
		if err := s.sign(t.Context(), r, rope{[]byte(test.body)}); err != nil {
			t.Fatal(err)
		}
		want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/" + test.service +
			"/aws4_request, SignedHeaders=" + test.headers + ", Signature=" + test.signature
		if got := r.Header.Get("Authorization"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, want)
		}
		if got := r.Header.Get("X-Amz-Date"); got != "20150830T123600Z" {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}

func TestSignsTheSessionAndEncodesThePathTwice(t *testing.T) {
	t.Parallel()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://h/model/"+pathSegment("arn:aws:bedrock/a.b-v1:0")+"/invoke?b=2&a-b=%2F&a=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := canonicalPath(r.URL), "/model/arn%253Aaws%253Abedrock%252Fa.b-v1%253A0/invoke"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := canonicalQuery(r.URL), "a=1&a-b=%2F&b=2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s := sigV4{id: "i", secret: "s", session: "t", region: "r", service: "bedrock", now: time.Now}
	if err := s.sign(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Header.Get("Authorization"), "SignedHeaders=host;x-amz-date;x-amz-security-token,") {
		t.Error(r.Header)
	}
}
