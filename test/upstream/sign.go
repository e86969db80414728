package upstream

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// signature is opaque to everyone but the server: a number that is used once, and a
// code over it and what is signed.
func (s *Server) signature(nonce string, about ...string) string {
	return base64.StdEncoding.EncodeToString([]byte(nonce + string(s.mac(append(about, nonce)...))))
}

// nonceLength is that of what id makes for a signature.
const nonceLength = 12

// signed tells whether a signature is this server's, and about that.
func (s *Server) signed(signature string, about ...string) bool {
	raw, ok := unbase64(signature)
	if !ok || len(raw) < nonceLength {
		return false
	}
	nonce := string(raw[:nonceLength])
	return hmac.Equal(raw[nonceLength:], s.mac(append(about, nonce)...))
}

// mac is a code over the parts that only this server can make.
func (s *Server) mac(parts ...string) []byte {
	h := hmac.New(sha256.New, s.secret)
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum(nil)
}
