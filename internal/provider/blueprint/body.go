package blueprint

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"stele/internal/media"
)

// program is the rules of a model for one of its modes, understood. It writes
// bodies and is safe for concurrent use.
type program struct {
	rules  []rule
	tables map[string]map[string]any
}

// rule is a media.Rule whose places and references were read.
type rule struct {
	writes       []write // what it writes; several for copy
	each         string  // a list to repeat it for
	spread       string  // a list whose elements go to one write each
	table        string
	keys         []string
	when, unless any
}

// write is one value and where it goes.
type write struct {
	to    path
	value node
	words map[string]any // translations, by the text of the value
}

// compile reads the rules that serve an operation of a model: the model's own,
// then the operation's.
func compile(m *media.Model, o *media.Operation) (*program, error) {
	p := &program{tables: m.Call.Tables}
	for _, list := range [][]media.Rule{m.Call.Body, o.Body} {
		for i := range list {
			r, err := compileRule(&list[i])
			if err != nil {
				return nil, fmt.Errorf("rule %d: %w", i+1, err)
			}
			p.rules = append(p.rules, r)
		}
	}
	return p, nil
}

func compileRule(in *media.Rule) (rule, error) {
	r := rule{each: in.Each, spread: in.Spread, table: in.Table, when: in.When, unless: in.Unless}
	add := func(to string, value any) error {
		place, err := parsePath(to)
		if err != nil {
			return err
		}
		if !place.writes() {
			return fmt.Errorf("%q is no place to write to", to)
		}
		n, err := compileNode(value)
		r.writes = append(r.writes, write{to: place, value: n, words: in.Map})
		return err
	}
	switch {
	case in.Copy != nil:
		for _, to := range slices.Sorted(maps.Keys(in.Copy)) {
			if err := add(to, "$"+in.Copy[to]); err != nil {
				return r, err
			}
		}
		return r, nil
	case in.Spread != "":
		value := in.Value
		if value == nil {
			value = "$item"
		}
		for _, to := range in.Keys {
			if err := add(to, value); err != nil {
				return r, err
			}
		}
		return r, nil
	case in.Table != "":
		r.keys = in.Keys
		return r, add(in.To, in.Else)
	}
	return r, add(in.To, in.Value)
}

// write makes the body for a request.
func (p *program) write(ctx context.Context, w *writing) (any, error) {
	var body any = map[string]any{}
	for i := range p.rules {
		r := &p.rules[i]
		if (r.when != nil && !w.holds(r.when)) || (r.unless != nil && w.holds(r.unless)) {
			continue
		}
		var err error
		switch {
		case r.spread != "":
			body, err = r.scatter(ctx, w, body)
		case r.table != "":
			body, err = r.lookUp(ctx, w, body, p.tables[r.table])
		case r.each != "":
			body, err = r.repeat(ctx, w, body)
		default:
			for j := range r.writes {
				if body, err = r.writes[j].do(ctx, w, nil, body); err != nil {
					break
				}
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return body, nil
}

// do writes the value, if all it needs is there.
func (wr *write) do(ctx context.Context, w *writing, item, body any) (any, error) {
	value, ok, err := wr.value.eval(ctx, w, item)
	if err != nil || !ok {
		return body, err
	}
	if other, known := wr.words[media.Plain(value)]; known && media.Plain(value) != "" {
		value = other
	}
	return wr.to.put(body, value)
}

// scatter gives each element of a list a place of its own.
func (r *rule) scatter(ctx context.Context, w *writing, body any) (any, error) {
	for i, item := range w.listOf(r.spread) {
		if i >= len(r.writes) {
			return nil, inputFailure("%s takes at most %d elements", r.spread, len(r.writes))
		}
		var err error
		if body, err = r.writes[i].do(ctx, w, item, body); err != nil {
			return nil, err
		}
	}
	return body, nil
}

func (r *rule) repeat(ctx context.Context, w *writing, body any) (any, error) {
	for _, item := range w.listOf(r.each) {
		var err error
		if body, err = r.writes[0].do(ctx, w, item, body); err != nil {
			return nil, err
		}
	}
	return body, nil
}

func (r *rule) lookUp(ctx context.Context, w *writing, body any, table map[string]any) (any, error) {
	values := maps.Clone(w.req.Parameters)
	if values == nil {
		values = make(map[string]any)
	}
	values["mode"] = w.req.Operation.Mode
	row, ok := table[media.Key(values, r.keys)]
	if !ok {
		return r.writes[0].do(ctx, w, nil, body) // else
	}
	return r.writes[0].to.put(body, fillIn(row, "")) // a copy: later rules may write into it
}

// holds reports whether what when or unless says is so.
func (w *writing) holds(condition any) bool {
	switch c := condition.(type) {
	case string:
		_, ok := w.field(c)
		return ok
	case map[string]any:
		for name, want := range c {
			got, ok := w.field(name)
			if !ok || media.Plain(got) != media.Plain(want) {
				return false
			}
		}
		return true
	}
	return false
}

// listOf is a field that has several values.
func (w *writing) listOf(name string) []any {
	v, _ := w.field(name)
	list, _ := v.([]any)
	return list
}
