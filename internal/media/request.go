package media

import (
	"context"
	"io"
)

// Request is a generation whose every word was checked: what a maker is asked for.
type Request struct {
	Key        string // of this piece of work: the same key is the same work
	Workspace  string // whose it is: makers that work here serve workspaces in turns
	Deaths     int    // processes that died while they worked on it
	Model      *Model
	Operation  *Operation
	Prompt     string
	Sources    []Source       // in the order they were given
	Parameters map[string]any // declared ones only, defaults filled in: string, bool, int64, float64, []any
}

// Source is a file that goes into a generation.
type Source struct {
	Field string // image_urls, start_frame, …
	ID    string // of the file
	Name  string
	Type  string // its content type, found by looking at it
	Size  int64
	Open  func(ctx context.Context) (io.ReadCloser, error)
	Link  func(ctx context.Context) (string, error) // an address that any client can read for a while; nil where there is none
}

// Of lists the sources given in a field.
func (r *Request) Of(field string) []Source {
	var list []Source
	for _, s := range r.Sources {
		if s.Field == field {
			list = append(list, s)
		}
	}
	return list
}

// Text is a parameter's text, "" where it has none.
func (r *Request) Text(name string) string {
	text, _ := r.Parameters[name].(string)
	return text
}

// Int is an integer parameter, 0 where it has no value.
func (r *Request) Int(name string) int64 {
	n, _ := r.Parameters[name].(int64)
	return n
}

// Float is a parameter that is a number, 0 where it has no value.
func (r *Request) Float(name string) float64 {
	switch n := r.Parameters[name].(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	}
	return 0
}

// Flag is a boolean parameter, false where it has no value.
func (r *Request) Flag(name string) bool {
	on, _ := r.Parameters[name].(bool)
	return on
}

// Has reports whether a parameter has a value.
func (r *Request) Has(name string) bool {
	_, ok := r.Parameters[name]
	return ok
}
