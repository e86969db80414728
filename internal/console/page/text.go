package page

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"stele/internal/fault"
)

// CheckText refuses what a person sends that is no text: no browser makes it of what was
// typed, and not every database takes it.
func CheckText(sent url.Values) error {
	for name, values := range sent {
		if !isText(name) || slices.ContainsFunc(values, func(text string) bool { return !isText(text) }) {
			return fault.New(fault.InvalidParameter, "This has characters that are no text.")
		}
	}
	return nil
}

// CheckAddress is CheckText for what is in an address.
func CheckAddress(u *url.URL) error {
	if !isText(u.Path) {
		return NoPage()
	}
	if u.RawQuery == "" {
		return nil
	}
	return CheckText(u.Query())
}

func isText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// mostFiles is how many files of one field are looked up to show them again: no field takes as many.
const mostFiles = 100

// FewFiles are the first of the files that a form names. Each is a question to the database, and
// a form has room for thousands.
func FewFiles(ids []string) []string { return ids[:min(len(ids), mostFiles)] }
