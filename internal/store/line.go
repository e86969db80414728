package store

import (
	"time"

	"stele/internal/jsonscan"
	"stele/internal/meter"
)

// appendLine appends a record as JSON, without what is empty, and a line end. It asks no
// reflection for the fields because every request waits for it.
func appendLine(dst []byte, r *meter.Record) []byte {
	w := line{jsonscan.NewWriter(dst)}
	w.Open(jsonscan.Object)
	w.writeText("id", r.ID)
	var at [len(time.RFC3339Nano) + 2]byte
	w.Key("at").Raw(append(r.At.AppendFormat(append(at[:0], '"'), time.RFC3339Nano), '"'))
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
	return append(w.Close(jsonscan.Object).Bytes(), '\n')
}

// line is a JSON object whose empty members are left out.
type line struct{ *jsonscan.Writer }

func (w line) writeNumber(name string, n int64) {
	if n != 0 {
		w.Key(name).Int(n)
	}
}

func (w line) writeBool(name string, yes bool) {
	if yes {
		w.Key(name).Bool(yes)
	}
}

func (w line) writeText(name, text string) {
	if text != "" {
		w.Key(name).Text(text)
	}
}
