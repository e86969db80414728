package blueprint

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"stele/internal/media"
)

// node is a template that was read: a reference, a list or object of templates,
// or a plain value.
type node struct {
	ref     *media.Reference
	list    []node
	keys    []string // of an object, in order
	values  []node
	literal any
	kind    nodeKind
}

type nodeKind uint8

const (
	literal nodeKind = iota
	reference
	listing
	object
)

func compileNode(v any) (node, error) {
	switch v := v.(type) {
	case string:
		ref, is, err := media.ParseReference(v)
		if is {
			return node{kind: reference, ref: &ref}, err
		}
		if strings.HasPrefix(v, "$$") {
			v = v[1:]
		}
		return node{literal: v}, nil
	case []any:
		n := node{kind: listing}
		for _, item := range v {
			inner, err := compileNode(item)
			if err != nil {
				return n, err
			}
			n.list = append(n.list, inner)
		}
		return n, nil
	case map[string]any:
		n := node{kind: object, keys: slices.Sorted(maps.Keys(v))}
		for _, key := range n.keys {
			inner, err := compileNode(v[key])
			if err != nil {
				return n, err
			}
			n.values = append(n.values, inner)
		}
		return n, nil
	}
	return node{literal: v}, nil
}

// eval is the template's value. It is not ok where anything it refers to is
// missing. Lists and objects are new ones, so that later rules may write into
// them.
func (n *node) eval(ctx context.Context, w *writing, item any) (value any, ok bool, err error) {
	switch n.kind {
	case reference:
		return w.refer(ctx, n.ref, item)
	case listing:
		list := make([]any, len(n.list))
		for i := range n.list {
			if list[i], ok, err = n.list[i].eval(ctx, w, item); err != nil || !ok {
				return nil, false, err
			}
		}
		return list, true, nil
	case object:
		out := make(map[string]any, len(n.keys))
		for i, key := range n.keys {
			if out[key], ok, err = n.values[i].eval(ctx, w, item); err != nil || !ok {
				return nil, false, err
			}
		}
		return out, true, nil
	case literal:
	}
	return n.literal, n.literal != nil, nil
}

// refer is what a reference stands for in this request.
func (w *writing) refer(ctx context.Context, ref *media.Reference, item any) (value any, ok bool, err error) {
	v, ok := item, item != nil
	if ref.Name != "item" {
		v, ok = w.field(ref.Name)
	}
	if ok && ref.Index >= 0 {
		list, _ := v.([]any)
		if ref.Index >= len(list) {
			return nil, false, nil
		}
		v = list[ref.Index]
	}
	if !ok {
		return nil, false, nil
	}
	if v, err = w.writeValue(ctx, v, ref.Part); err != nil {
		return nil, false, err
	}
	for _, f := range ref.Filters {
		if v, err = apply(f, v); err != nil {
			return nil, false, fmt.Errorf("$%s: %w", ref.Name, err)
		}
	}
	return v, true, nil
}

// writeValue writes a value as the provider takes it: files, alone or in lists, in one of
// their forms.
func (w *writing) writeValue(ctx context.Context, v any, part string) (any, error) {
	switch v := v.(type) {
	case *media.Source:
		return w.give(ctx, v, part)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			var err error
			if list[i], err = w.writeValue(ctx, v[i], part); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return v, nil
}

// field is a field of the request, or what is built in. Without a value it is
// not ok.
func (w *writing) field(name string) (any, bool) {
	text := func(s string) (any, bool) { return s, s != "" }
	switch name {
	case "prompt":
		return text(w.req.Prompt)
	case "upstream":
		return text(w.upstream)
	case "operation_id":
		return text(w.req.Key)
	case "mode":
		return text(w.req.Operation.Mode)
	case "random":
		return int64(uuid.MustParse(workName(w.req.Key)).ID() >> 1), true
	case "graph":
		return fillIn(w.graph, ""), w.graph != nil // a copy: later rules write into it
	}
	if media.Takes(name) == "" {
		v, ok := w.req.Parameters[name]
		return v, ok && v != nil
	}
	var list []any
	for i := range w.req.Sources {
		if s := &w.req.Sources[i]; s.Field == name {
			list = append(list, s)
		}
	}
	switch {
	case len(list) == 0:
		return nil, false
	case media.Lists(name):
		return list, true
	}
	return list[0], true
}

// apply is a value after a filter.
func apply(f media.Filter, v any) (any, error) {
	switch f.Name {
	case "str":
		return media.Plain(v), nil
	case "upper":
		return strings.ToUpper(media.Plain(v)), nil
	case "suffix":
		return media.Plain(v) + f.Argument, nil
	case "ms":
		return scale(v, 1000)
	case "frames":
		n, err := strconv.Atoi(f.Argument)
		if err != nil {
			return nil, err
		}
		return scale(v, float64(n))
	}
	return nil, fmt.Errorf("no filter is called %q", f.Name)
}

func scale(v any, by float64) (any, error) {
	n, ok := numberOf(v)
	if !ok {
		return nil, inputFailure("%v is no number", v)
	}
	return int64(math.Round(n * by)), nil
}
