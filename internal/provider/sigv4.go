package provider

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// sigV4 signs requests as Amazon's cloud wants it: AWS Signature Version 4, in
// the Authorization header. It is safe for concurrent use.
type sigV4 struct {
	id, secret, session string
	region, service     string
	now                 func() time.Time
}

const (
	sigAlgorithm = "AWS4-HMAC-SHA256"
	sigTime      = "20060102T150405Z"
)

func (s *sigV4) sign(_ context.Context, r *http.Request, body rope) error {
	at := s.now().UTC().Format(sigTime)
	content := sha256.New()
	for _, piece := range body {
		content.Write(piece)
	}
	r.Header.Set("X-Amz-Date", at)
	if s.session != "" {
		r.Header.Set("X-Amz-Security-Token", s.session)
	}
	names, headers := signedHeaders(r)
	request := sha256.Sum256([]byte(strings.Join([]string{
		r.Method, canonicalPath(r.URL), canonicalQuery(r.URL), headers, names, hex.EncodeToString(content.Sum(nil)),
	}, "\n")))
	scope := strings.Join([]string{at[:8], s.region, s.service, "aws4_request"}, "/")
	text := strings.Join([]string{sigAlgorithm, at, scope, hex.EncodeToString(request[:])}, "\n")
	key := []byte("AWS4" + s.secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = mac(key, part)
	}
	r.Header.Set("Authorization", sigAlgorithm+" Credential="+s.id+"/"+scope+
		", SignedHeaders="+names+", Signature="+hex.EncodeToString(mac(key, text)))
	return nil
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// signedHeaders are the host, the content's type and all of Amazon's own: what a
// proxy on the way does not touch. Each ends in a line feed.
func signedHeaders(r *http.Request) (names, headers string) {
	host := cmp.Or(r.Host, r.URL.Host)
	values := map[string]string{"host": host}
	for name, list := range r.Header {
		if name = strings.ToLower(name); name == "content-type" || strings.HasPrefix(name, "x-amz-") {
			trimmed := make([]string, len(list))
			for i, v := range list {
				trimmed[i] = strings.Join(strings.Fields(v), " ")
			}
			values[name] = strings.Join(trimmed, ",")
		}
	}
	list := slices.Sorted(maps.Keys(values))
	var b strings.Builder
	for _, name := range list {
		b.WriteString(name + ":" + values[name] + "\n")
	}
	return strings.Join(list, ";"), b.String()
}

// canonicalPath is the path as it is sent, with each segment encoded once more.
func canonicalPath(u *url.URL) string {
	path := u.EscapedPath()
	if path == "" {
		return "/"
	}
	segments := strings.Split(path, "/")
	for i := range segments {
		segments[i] = pathSegment(segments[i])
	}
	return strings.Join(segments, "/")
}

// canonicalQuery is the query, sorted by name and value, and encoded.
func canonicalQuery(u *url.URL) string {
	var pairs [][2]string
	for name, values := range u.Query() {
		for _, v := range values {
			pairs = append(pairs, [2]string{pathSegment(name), pathSegment(v)})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	text := make([]string, len(pairs))
	for i, p := range pairs {
		text[i] = p[0] + "=" + p[1]
	}
	return strings.Join(text, "&")
}
