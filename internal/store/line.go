package store

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"stele/internal/meter"
)

// appendLine appends a record as encoding/json would write it, without what is empty,
// and a line end. It is written by hand because every request waits for it.
func appendLine(dst []byte, r *meter.Record) []byte {
	w := line{append(dst, '{')}
	w.writeText("id", r.ID)
	w.writeKey("at")
	w.b = append(r.At.AppendFormat(append(w.b, '"'), time.RFC3339Nano), '"')
	w.writeText("request", r.Request)
	w.writeText("workspace", r.Workspace)
	w.writeText("key", r.Key)
	w.writeText("environment", r.Environment)
	w.writeText("route", r.Route)
	w.writeText("dialect", r.Dialect)
	w.writeText("model", r.Model)
	w.writeText("asked", r.Asked)
	w.writeText("provider", r.Provider)
	w.writeText("target", r.Target)
	w.writeBool("stream", r.Stream)
	w.writeNumber("status", int64(r.Status))
	w.writeText("code", r.Code)
	w.writeNumber("tries", int64(r.Tries))
	w.writeText("path", r.Path)
	w.writeText("dropped", r.Dropped)
	w.writeNumber("input", r.Input)
	w.writeNumber("cache_read", r.CacheRead)
	w.writeNumber("cache_write", r.CacheWrite)
	w.writeNumber("cache_write_1h", r.CacheWrite1h)
	w.writeNumber("output", r.Output)
	w.writeNumber("reasoning", r.Reasoning)
	w.writeBool("estimated", r.Estimated)
	w.writeNumber("nano", r.Nano)
	w.writeBool("priced", r.Priced)
	w.writeText("person", r.Person)
	w.writeText("user", r.User)
	w.writeText("tags", r.Tags)
	w.writeText("charges", r.Charges)
	w.writeText("extra", r.Extra)
	w.writeText("rates", r.Rates)
	w.writeText("price_source", r.PriceSource)
	w.writeText("price_version", r.PriceVersion)
	w.writeNumber("first_byte", int64(r.FirstByte))
	w.writeNumber("took", int64(r.Took))
	return append(w.b, '}', '\n')
}

// line is a JSON object on its way.
type line struct{ b []byte }

func (w *line) writeKey(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(append(append(w.b, '"'), name...), '"', ':')
}

func (w *line) writeNumber(name string, n int64) {
	if n == 0 {
		return
	}
	w.writeKey(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

func (w *line) writeBool(name string, yes bool) {
	if yes {
		w.writeKey(name)
		w.b = append(w.b, "true"...)
	}
}

func (w *line) writeText(name, text string) {
	if text == "" {
		return
	}
	w.writeKey(name)
	for i := range len(text) {
		if !plain[text[i]] {
			quoted, _ := json.Marshal(text) //nolint:errchkjson // a string never fails
			w.b = append(w.b, quoted...)
			return
		}
	}
	w.b = append(append(append(w.b, '"'), text...), '"')
}

// plain are the bytes that encoding/json writes as they are, but for those of letters beyond ASCII.
var plain = func() (list [256]bool) {
	for c := ' '; c <= '~'; c++ {
		list[c] = !strings.ContainsRune(`"\<>&`, c)
	}
	return list
}()
