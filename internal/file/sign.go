package file

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/uid"
)

// Under is where signed addresses begin, under the public URL.
const Under = "/files/"

// Why a signed address does not open anything.
var (
	errSignature = errors.New("the signature is not ours")
	ErrExpired   = errors.New("the address has expired")
)

// step is a time within which addresses are the same: answers that carry them can be compared.
const step = time.Hour

// URL is an address of a file under which any client can read it for as long as the
// settings say, or until the file is deleted. The name in it only tells people and
// programs what kind of file it is.
func (s *Service) URL(id, contentType string) string {
	kind, _, _ := strings.Cut(contentType, "/")
	switch kind {
	case Image, Video, Audio:
	default:
		kind = Document
	}
	return s.address(id, kind+extension(contentType), time.Time{})
}

// Address is URL for a file with a name of its own, as long as the file lives.
func (s *Service) Address(f *File) string { return s.address(f.ID, f.Name, f.Expires) }

func (s *Service) address(id, name string, until time.Time) string {
	life := s.Settings().URLLife
	same := max(time.Second, min(step, life/4).Truncate(time.Second)) // addresses tell whole seconds
	expires := s.Now().Add(life).Truncate(same).Add(same)
	if !until.IsZero() && until.Before(expires) {
		expires = until
	}
	exp := strconv.FormatInt(expires.Unix(), 10)
	query := url.Values{"exp": {exp}, "sig": {sign(s.secrets()[0], id, exp)}}
	return strings.TrimSuffix(s.Public().String(), "/") + Under + id + "/" + url.PathEscape(name) + "?" + query.Encode()
}

// Verify reports whether an address with these parts was made here and still holds.
func (s *Service) Verify(id, exp, sig string) error {
	ours := slices.ContainsFunc(s.secrets(), func(secret []byte) bool { return hmac.Equal([]byte(sig), []byte(sign(secret, id, exp))) })
	if !uid.Is("file", id) || !ours {
		return errSignature
	}
	seconds, err := strconv.ParseInt(exp, 10, 64)
	if err != nil {
		return errSignature
	}
	if s.Now().Unix() >= seconds {
		return ErrExpired
	}
	return nil
}

func (s *Service) secrets() [][]byte {
	if s.Secrets != nil {
		return s.Secrets()
	}
	return [][]byte{s.Secret}
}

func sign(secret []byte, id, exp string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "\n" + exp))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// own finds the id in an address of one of our own files, whether its signature
// still holds or not: whose file it is decides.
func (s *Service) own(address string) (id string, ok bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	public := s.Public()
	if !strings.EqualFold(u.Host, public.Host) || (u.Scheme != "http" && u.Scheme != "https") {
		return "", false
	}
	rest, ok := strings.CutPrefix(u.Path, strings.TrimSuffix(public.Path, "/")+Under)
	if !ok {
		return "", false
	}
	id, _, _ = strings.Cut(rest, "/")
	return id, uid.Is("file", id)
}
