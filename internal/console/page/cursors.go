package page

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
)

// ReadBefore reads where a list goes on, which CursorText wrote. The zero Cursor is its top.
func ReadBefore(q url.Values) (access.Cursor, error) {
	c, ok := ReadCursor(q.Get("before"))
	if !ok {
		return c, fault.New(fault.InvalidParameter, "This page does not exist: begin at the newest entry.").Field("before")
	}
	return c, nil
}

// ReadCursor reads what CursorText wrote; "" is the zero Cursor.
func ReadCursor(text string) (c access.Cursor, ok bool) {
	if text == "" {
		return c, true
	}
	at, id, _ := strings.Cut(text, ".")
	ms, err := strconv.ParseInt(at, 10, 64)
	if err != nil || id == "" {
		return c, false
	}
	return access.Cursor{At: time.UnixMilli(ms).UTC(), ID: id}, true
}

// CursorText is a place in a list as part of an address: 1763200000000.key_…; "" is its top.
func CursorText(c access.Cursor) string {
	if c.IsZero() {
		return ""
	}
	return strconv.FormatInt(c.At.UnixMilli(), 10) + "." + c.ID
}
