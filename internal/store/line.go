package store

import (
	"encoding/json"
	"strconv"
	"time"

	"stele/internal/meter"
)

// appendLine appends a record as encoding/json would write it, without what is empty,
// and a line end. It is written by hand because every request waits for it.
func appendLine(dst []byte, r *meter.Record) []byte {
	w := line{append(dst, '{')}
	w.text("id", r.ID)
	w.key("at")
	w.b = append(r.At.AppendFormat(append(w.b, '"'), time.RFC3339Nano), '"')
	w.text("request", r.Request)
	w.text("workspace", r.Workspace)
	w.text("key", r.Key)
	w.text("environment", r.Environment)
	w.text("route", r.Route)
	w.text("dialect", r.Dialect)
	w.text("model", r.Model)
	w.text("asked", r.Asked)
	w.text("provider", r.Provider)
	w.text("target", r.Target)
	w.fact("stream", r.Stream)
	w.number("status", int64(r.Status))
	w.text("code", r.Code)
	w.number("tries", int64(r.Tries))
	w.text("path", r.Path)
	w.text("dropped", r.Dropped)
	w.number("input", r.Input)
	w.number("cache_read", r.CacheRead)
	w.number("cache_write", r.CacheWrite)
	w.number("cache_write_1h", r.CacheWrite1h)
	w.number("output", r.Output)
	w.number("reasoning", r.Reasoning)
	w.fact("estimated", r.Estimated)
	w.number("nano", r.Nano)
	w.fact("priced", r.Priced)
	w.text("person", r.Person)
	w.text("user", r.User)
	w.text("tags", r.Tags)
	w.text("charges", r.Charges)
	w.text("extra", r.Extra)
	w.text("rates", r.Rates)
	w.text("price_source", r.PriceSource)
	w.text("price_version", r.PriceVersion)
	w.number("first_byte", int64(r.FirstByte))
	w.number("took", int64(r.Took))
	return append(w.b, '}', '\n')
}

// line is a JSON object on its way.
type line struct{ b []byte }

func (w *line) key(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(append(append(w.b, '"'), name...), '"', ':')
}

func (w *line) number(name string, n int64) {
	if n == 0 {
		return
	}
	w.key(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

func (w *line) fact(name string, yes bool) {
	if yes {
		w.key(name)
		w.b = append(w.b, "true"...)
	}
}

func (w *line) text(name, text string) {
	if text == "" {
		return
	}
	w.key(name)
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(text) //nolint:errchkjson // a string never fails
			w.b = append(w.b, quoted...)
			return
		}
	}
	w.b = append(append(append(w.b, '"'), text...), '"')
}
