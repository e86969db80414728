package config

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// No report repeats a URL: it may hold a password, and its place is named anyway.
const badURL = "must be a whole http:// or https:// URL, without user, query or fragment"

// isBaseURL reports whether text is something paths can be added to.
func isBaseURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return false
	}
	if strings.ContainsAny(text, "?#") {
		return false
	}
	if port := u.Port(); port != "" && !isPort(port) {
		return false
	}
	return u.Scheme == "http" || u.Scheme == "https"
}

// isListenAddress reports whether text is host:port; the host may be left out.
func isListenAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	return err == nil && isPort(port) && !strings.ContainsAny(host, " /@")
}

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

// hasScheme reports whether text is a URL of one of the schemes, or of any if none
// is named.
func hasScheme(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return false
	}
	if slices.Contains(schemes, u.Scheme) {
		return true
	}
	return len(schemes) == 0
}
