package media

import (
	"cmp"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"stele/internal/manifest"
)

var (
	modelID     = regexp.MustCompile(`^[A-Za-z0-9._:/@+-]{1,200}$`)
	snakeCase   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	kindName    = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	contentType = regexp.MustCompile(`^[a-z]+/[a-z0-9][a-z0-9.+-]*$`)
)

// IsModelID reports whether a text can be the id of a model in a file.
func IsModelID(text string) bool { return modelID.MatchString(text) }

// Read reads a model file: one model, strictly. The error is manifest.Problems.
func Read(file string, src []byte) (Model, error) { return ReadFor(nil)(file, src) }

// ReadFor reads a model file as Read does, and refuses a model whose kind is not
// one of these. Without any kinds none is refused.
func ReadFor(kinds []string) func(file string, src []byte) (Model, error) {
	return func(file string, src []byte) (Model, error) {
		var m Model
		c := check{manifest.Decode(file, src, &m, manifest.Options{})}
		c.checkModel(&m, kinds)
		m.Name = cmp.Or(m.Name, m.ID)
		return m, c.Err()
	}
}

// check finds what is wrong with a file whose form is right.
type check struct{ *manifest.Doc }

func (c check) checkModel(m *Model, kinds []string) {
	if !IsModelID(m.ID) {
		c.Report(manifest.At("model"), "a model id is made of letters, digits and ._:/@+-")
	}
	c.OneOf(manifest.At("media_type"), m.MediaType, Types())
	switch {
	case !kindName.MatchString(m.Kind):
		c.Report(manifest.At("kind"), "names the kind of provider that makes it, such as studio or replicate")
	case kinds != nil:
		c.OneOf(manifest.At("kind"), m.Kind, kinds)
	}
	c.checkDate(manifest.At("checked_on"), m.CheckedOn)
	c.checkDate(manifest.At("retires_on"), m.RetiresOn)
	if at := manifest.At("deadline"); c.Has(at) && m.Deadline <= 0 {
		c.Report(at, "must be more than 0")
	}
	if len(m.Operations) == 0 {
		c.Report(manifest.At("operations"), "a model needs at least one operation")
	}
	modes := make(map[string]bool)
	for i := range m.Operations {
		o, at := &m.Operations[i], manifest.At("operations", i)
		if !snakeCase.MatchString(o.Mode) {
			c.Report(at.Add("mode"), "a mode is a name in lower case, such as text_to_image")
		} else if modes[o.Mode] {
			c.Report(at.Add("mode"), "%q is here twice", o.Mode)
		}
		modes[o.Mode] = true
		c.checkOperation(at, o)
	}
	c.call(m)
}

func (c check) checkOperation(at manifest.Path, o *Operation) {
	c.checkInputs(at.Add("input"), o.Input)
	c.checkLimits(at.Add("limits"), o)
	CheckParameters(c.Doc, at.Add("parameters"), o.Parameters)
	for i, p := range o.Parameters {
		if slices.Contains(reservedFields(), p.Name) {
			c.Report(at.Add("parameters", i, "name"), "%q is a field of the request itself", p.Name)
		}
	}
	c.checkExclusive(at.Add("exclusive"), o)
	c.checkRequires(at.Add("requires"), o)
	c.checkPrice(at.Add("price"), o)
}

func (c check) checkInputs(at manifest.Path, in Input) {
	seen := make(map[string]bool)
	for _, list := range []struct {
		name   string
		fields []string
	}{{"required", in.Required}, {"optional", in.Optional}} {
		for i, field := range list.fields {
			if at := at.Add(list.name, i); c.OneOf(at, field, Inputs()) && seen[field] {
				c.Report(at, "%q is here twice", field)
			}
			seen[field] = true
		}
	}
}

func (c check) checkLimits(at manifest.Path, o *Operation) {
	for _, field := range sortedKeys(o.Limits) {
		at, limit := at.Add(field), o.Limits[field]
		if !o.Takes(field) {
			c.Report(at, "the operation's input has no %q%s", field, manifest.DidYouMean(field, slices.Concat(o.Input.Required, o.Input.Optional)))
			continue
		}
		kind := Takes(field)
		for name, fits := range map[string]bool{
			"max_items": Lists(field), "max_mb": kind != "", "formats": kind != "", "forms": kind != "", "max_length": kind == "",
		} {
			if c.Has(at.Add(name)) && !fits {
				c.Report(at.Add(name), "has no meaning for %s", field)
			}
		}
		c.checkPositive(at.Add("max_items"), float64(limit.Items))
		c.checkPositive(at.Add("max_mb"), limit.MB)
		c.checkPositive(at.Add("max_length"), float64(limit.Length))
		for i, format := range limit.Formats {
			if !contentType.MatchString(format) || (kind != "" && !strings.HasPrefix(format, kind+"/")) {
				c.Report(at.Add("formats", i), "%q is not a content type of this kind, such as %s/…", format, kind)
			}
		}
		for i, form := range limit.Forms {
			c.OneOf(at.Add("forms", i), form, Forms())
		}
	}
}

// checkExclusive holds the groups to what Check relies on: each field in one group,
// defaults in one group at most, and no two groups that must both be given.
func (c check) checkExclusive(at manifest.Path, o *Operation) {
	if len(o.Exclusive) == 1 {
		c.Report(at, "one group excludes nothing: write [[width, height], [aspect_ratio]] to take one or the other")
	}
	seen := make(map[string]bool)
	defaults, required := -1, -1
	for i, group := range o.Exclusive {
		if len(group) == 0 {
			c.Report(at.Add(i), "a group needs at least one field")
		}
		for j, field := range group {
			at := at.Add(i, j)
			if !c.field(at, field, o) {
				continue
			}
			if seen[field] {
				c.Report(at, "%q is here twice", field)
			}
			seen[field] = true
			if p := o.Parameter(field); p != nil && p.Default != nil {
				if defaults >= 0 && defaults != i {
					c.Report(at, "has a default, as a field of another group has")
				}
				defaults = i
			}
			if o.needs(field) {
				if required >= 0 && required != i {
					c.Report(at, "is required, as a field of another group is")
				}
				required = i
			}
		}
	}
}

func (c check) checkRequires(at manifest.Path, o *Operation) {
	for i, r := range o.Requires {
		at := at.Add(i)
		if c.field(at.Add("if"), r.If, o) {
			if p := o.Parameter(r.If); p != nil && p.Default != nil {
				c.Report(at.Add("if"), "%q has a default, so it would always require", r.If)
			}
		}
		if !c.field(at.Add("then"), r.Then, o) {
			continue
		}
		if r.If == r.Then {
			c.Report(at.Add("then"), "a field does not require itself")
		}
		if group := o.group(r.If); o.isElsewhere(r.Then, group) {
			c.Report(at.Add("then"), "%q and %q are in exclusive groups", r.If, r.Then)
		}
	}
}

// call checks what can be checked without knowing the provider.
func (c check) call(m *Model) {
	at := manifest.At("call")
	if c.Has(at) && m.Call.Operation == "" {
		c.Report(at.Add("operation"), "names the provider's operation, such as replicate/prediction")
	}
	for _, mode := range sortedKeys(m.Call.PathBy) {
		c.OneOf(at.Add("path_by_mode", mode), mode, m.Modes())
	}
	if m.Call.Graph != "" && !filepath.IsLocal(m.Call.Graph) {
		c.Report(at.Add("graph_file"), "is the name of a file beside this one")
	}
	all := m.all()
	for i, o := range all {
		c.checkRules(manifest.At("operations", i, "body"), o.Body, m, all[i:i+1])
	}
	c.checkRules(at.Add("body"), m.Call.Body, m, all)
}

// field reports whether the operation has a field, and says so if not.
func (c check) field(at manifest.Path, name string, o *Operation) bool {
	return c.OneOf(at, name, o.fields())
}

func (c check) checkDate(at manifest.Path, text string) {
	if _, err := time.Parse(time.DateOnly, text); err != nil && text != "" {
		c.Report(at, "expected a date such as 2026-11-15")
	}
}

// checkPositive refuses a bound that is given and lets nothing through.
func (c check) checkPositive(at manifest.Path, n float64) {
	if c.Has(at) && n <= 0 {
		c.Report(at, "must be more than 0")
	}
}

func (m *Model) all() []*Operation {
	list := make([]*Operation, len(m.Operations))
	for i := range m.Operations {
		list[i] = &m.Operations[i]
	}
	return list
}

// needs reports whether a field must be given.
func (o *Operation) needs(field string) bool {
	p := o.Parameter(field)
	return slices.Contains(o.Input.Required, field) || (p != nil && p.Required)
}

// group is the exclusive group of a field, -1 where it is in none.
func (o *Operation) group(field string) int {
	return slices.IndexFunc(o.Exclusive, func(g []string) bool { return slices.Contains(g, field) })
}

// ModelFiles are the model files of a maker, which are in the folder models of what it embeds.
func ModelFiles(embedded fs.FS) fs.FS {
	models, err := fs.Sub(embedded, "models")
	if err != nil {
		panic(err) // the folder's name is a valid one
	}
	return models
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
