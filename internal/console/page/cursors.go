package page

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
)

// ReadBefore reads where a list goes on, which MarkText wrote. The zero Mark is its top.
func ReadBefore(q url.Values) (access.Mark, error) {
	m, ok := ReadMark(q.Get("before"))
	if !ok {
		return m, fault.New(fault.InvalidParameter, "This page does not exist: begin at the newest entry.").Field("before")
	}
	return m, nil
}

// ReadMark reads what MarkText wrote; "" is the zero Mark.
func ReadMark(text string) (m access.Mark, ok bool) {
	if text == "" {
		return m, true
	}
	at, id, _ := strings.Cut(text, ".")
	ms, err := strconv.ParseInt(at, 10, 64)
	if err != nil || id == "" {
		return m, false
	}
	return access.Mark{At: time.UnixMilli(ms).UTC(), ID: id}, true
}

// MarkText is a place in a list as part of an address: 1763200000000.key_….
func MarkText(m access.Mark) string { return strconv.FormatInt(m.At.UnixMilli(), 10) + "." + m.ID }
