package app

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/types"
	"github.com/go-json-experiment/json"

	"stele/internal/formula"
	"stele/internal/manifest"
	"stele/internal/media"
)

var (
	recipeID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	stepID   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

// reserved are fields of every run's request, so no input may have their name.
var reserved = []string{"webhook_url", "dry_run"}

// Read reads an app file, strictly. The error is manifest.Problems.
func Read(file string, src []byte) (Recipe, error) {
	r := Recipe{Version: 1, Deadline: usualDeadline, source: string(src)}
	if len(src) > longestFile {
		r.doc = new(manifest.Doc)
		return r, manifest.Problems{{File: file, Message: fmt.Sprintf("an app has at most %d KB", longestFile>>10)}}
	}
	r.doc = manifest.Decode(file, src, &r, manifest.Options{})
	if err := r.doc.Err(); err != nil && !r.doc.Has(manifest.Path{}) {
		return r, err // it is no YAML at all
	}
	c := check{r.doc, &r}
	c.checkHead()
	c.checkInputs()
	c.checkSteps()
	r.Name = cmp.Or(r.Name, r.ID)
	return r, r.doc.Err()
}

// check finds what is wrong with a file whose form is right.
type check struct {
	*manifest.Doc
	recipe *Recipe
}

func (c check) checkHead() {
	r := c.recipe
	if !recipeID.MatchString(r.ID) {
		c.Report(manifest.At("app"), "an app's id is up to 64 lower-case letters, digits, - and _, and begins with a letter or digit")
	}
	c.OneOf(manifest.At("media_type"), r.MediaType, media.Types())
	if r.Version < 1 {
		c.Report(manifest.At("version"), "must be 1 or more")
	}
	if r.Deadline <= 0 {
		c.Report(manifest.At("deadline"), "must be more than 0")
	}
}

func (c check) checkInputs() {
	at := manifest.At("inputs")
	if len(c.recipe.Inputs) > mostInputs {
		c.Report(at, "an app has at most %d inputs", mostInputs)
		c.recipe.Inputs = c.recipe.Inputs[:mostInputs]
	}
	list := c.recipe.Parameters()
	media.CheckParameters(c.Doc, at, list)
	for i := range c.recipe.Inputs {
		in := &c.recipe.Inputs[i]
		in.Parameter = list[i] // with its default and values in the form that callers see
		if slices.Contains(reserved, in.Name) {
			c.Report(at.Add(i, "name"), "%q is reserved for the request itself", in.Name)
		}
		if in.Media == "" {
			continue
		}
		c.OneOf(at.Add(i, "media"), in.Media, media.Types())
		if in.Type != "string" && (in.Type != "array" || itemType(&in.Parameter) != "string") {
			c.Report(at.Add(i, "media"), "files are given as a string or an array of strings")
		}
		if in.Default != nil {
			c.Report(at.Add(i, "default"), "a file has no default")
		}
	}
}

func (c check) checkSteps() {
	r := c.recipe
	if len(r.Steps) == 0 {
		c.Report(manifest.At("steps"), "an app needs at least one step")
	}
	if len(r.Steps) > mostSteps {
		c.Report(manifest.At("steps"), "an app has at most %d steps", mostSteps)
		return
	}
	ids := make(map[string]int)
	for i := range r.Steps {
		s, at := &r.Steps[i], manifest.At("steps", i)
		if !stepID.MatchString(s.ID) {
			c.Report(at.Add("id"), "a step's id is in lower case, such as first_frame")
			continue
		}
		if _, twice := ids[s.ID]; twice {
			c.Report(at.Add("id"), "%q is here twice", s.ID)
		}
		ids[s.ID] = i
		c.shape(at, s)
	}
	scope := formula.NewScope(c.environment(ids))
	for i := range r.Steps {
		c.compile(manifest.At("steps", i), &r.Steps[i], scope, ids)
	}
	c.checkResult(scope, ids)
	c.sort()
}

// environment is what every expression may speak of.
func (c check) environment(ids map[string]int) types.Map {
	inputs := &kind{name: "object", fields: make(map[string]*kind)}
	for i := range c.recipe.Inputs {
		in := &c.recipe.Inputs[i]
		inputs.fields[in.Name] = kindOfInput(in)
	}
	steps := &kind{name: "object", fields: make(map[string]*kind)}
	for id, i := range ids {
		steps.fields[id] = kindOfStep(&c.recipe.Steps[i])
	}
	return types.Map{"inputs": inputs.toType(), "steps": steps.toType()}
}

// shape checks the plain fields of a step.
func (c check) shape(at manifest.Path, s *Step) {
	if !exactlyOne(s.Chat != nil, s.Generate != nil, s.File != nil) {
		c.Report(at, "a step is exactly one of chat, generate and file")
	}
	c.checkWithin(at.Add("parallel"), s.Parallel, 1, mostParallel)
	c.checkWithin(at.Add("most"), s.Most, 1, largestMost)
	c.checkWithin(at.Add("retries"), s.Retries, 0, mostRetries)
	for _, name := range []string{"parallel", "most"} {
		if s.Each == "" && c.Has(at.Add(name)) {
			c.Report(at.Add(name), "has no meaning without each")
		}
	}
	if c.Has(at.Add("timeout")) && s.Timeout <= 0 {
		c.Report(at.Add("timeout"), "must be more than 0")
	}
	switch {
	case s.Chat != nil:
		c.checkChat(at.Add("chat"), s)
	case s.Generate != nil:
		c.generate(at.Add("generate"), s.Generate)
	case s.File != nil:
		c.checkFile(at.Add("file"), s.File)
	}
}

func exactlyOne(given ...bool) bool {
	first := slices.Index(given, true)
	return first >= 0 && !slices.Contains(given[first+1:], true)
}

func (c check) checkChat(at manifest.Path, s *Step) {
	c.checkModel(at.Add("model"), s.Chat.Model)
	if s.Chat.Prompt == "" {
		c.Report(at.Add("prompt"), "is missing")
	}
	if c.Has(at.Add("max_tokens")) && s.Chat.MaxTokens < 1 {
		c.Report(at.Add("max_tokens"), "must be 1 or more")
	}
	if t := s.Chat.Temperature; t != nil && (*t < 0 || *t > 2) {
		c.Report(at.Add("temperature"), "must be from 0 to 2")
	}
	if s.Chat.Schema == nil {
		return
	}
	if _, err := compileSchema(s.Chat.Schema); err != nil {
		c.Report(at.Add("schema"), "is no JSON Schema: %v", err)
		s.says = anything
		return
	}
	s.says = kindOfSchema(s.Chat.Schema)
}

func (c check) generate(at manifest.Path, g *Generate) {
	c.checkModel(at.Add("model"), g.Model)
	for _, name := range slices.Sorted(maps.Keys(g.With)) {
		if slices.Contains([]string{"model", "mode", "webhook_url", "dry_run"}, name) {
			c.Report(at.Add("with", name), "is not a field of the model")
		}
	}
}

func (c check) checkFile(at manifest.Path, f *File) {
	one := exactlyOne(f.Fetch != "", f.Convert != nil, f.Compose != nil)
	if !one {
		c.Report(at, "is exactly one of fetch, convert and compose")
	}
	if f.Media != "" {
		c.OneOf(at.Add("media"), f.Media, media.Types())
	}
	if f.Format != "" {
		c.OneOf(at.Add("format"), f.Format, []string{"png", "jpeg", "webp"})
	}
	if f.Layout != "" {
		c.OneOf(at.Add("layout"), f.Layout, []string{"grid", "row", "column", "side_by_side"})
	}
	for name, fits := range map[string]bool{
		"media": f.Fetch != "", "format": f.Fetch == "", "layout": f.Compose != nil, "gap": f.Compose != nil,
	} {
		if one && c.Has(at.Add(name)) && !fits {
			c.Report(at.Add(name), "has no meaning here")
		}
	}
	if f.Convert != nil && f.Format == "" {
		c.Report(at.Add("format"), "is missing: convert needs to know what to")
	}
}

func (c check) checkModel(at manifest.Path, id string) {
	if !media.IsModelID(id) {
		c.Report(at, "names a model, such as stele/canvas")
	}
}

func (c check) checkWithin(at manifest.Path, got, least, most int) {
	if c.Has(at) && (got < least || got > most) {
		c.Report(at, "must be from %d to %d", least, most)
	}
}

// compile reads the expressions of a step.
func (c check) compile(at manifest.Path, s *Step, scope *formula.Scope, ids map[string]int) {
	sc := &sight{doc: c.Doc, scope: scope, steps: ids, names: c.names(ids), needs: make(map[int]bool)}
	s.parts = make(map[string]*template)
	if s.When != "" {
		s.when = sc.compile(at.Add("when"), s.When)
		c.wants(at.Add("when"), s.when, "true or false", reflect.Bool)
	}
	if s.Each != "" {
		s.each = sc.compile(at.Add("each"), s.Each)
		c.wants(at.Add("each"), s.each, "a list", reflect.Slice, reflect.Array)
		names := maps.Clone(scope.Names())
		names["item"], names["index"] = types.Any, types.Int
		if n := s.each.nature(); n != nil && n.IsArray() {
			names["item"] = element{n.Elem(new(nature.Cache))}
		}
		sc.scope = scope.With(names)
	}
	switch {
	case s.Chat != nil:
		at := at.Add("chat")
		s.parts["system"] = sc.compile(at.Add("system"), s.Chat.System)
		s.parts["prompt"] = sc.compile(at.Add("prompt"), s.Chat.Prompt)
		s.parts["files"] = sc.compile(at.Add("files"), s.Chat.Files)
		c.wants(at.Add("files"), s.parts["files"], "a file or a list of files", reflect.String, reflect.Slice)
	case s.Generate != nil:
		s.parts["with"] = sc.compile(at.Add("generate", "with"), with(s.Generate))
	case s.File != nil && s.File.Fetch != "":
		s.parts["fetch"] = sc.compile(at.Add("file", "fetch"), s.File.Fetch)
		c.wants(at.Add("file", "fetch"), s.parts["fetch"], "an address", reflect.String)
	case s.File != nil:
		name, pictures := "convert", s.File.Convert
		if s.File.Compose != nil {
			name, pictures = "compose", s.File.Compose
		}
		t := sc.compile(at.Add("file", name), pictures)
		c.wants(at.Add("file", name), t, "a list of pictures", reflect.Slice, reflect.String)
		quiet := &sight{doc: new(manifest.Doc), scope: sc.scope, steps: ids, needs: make(map[int]bool)}
		if g := s.generates(); g != nil {
			s.parts["with"] = quiet.compile(nil, with(g))
		}
	}
	for i, id := range s.After {
		at := at.Add("after", i)
		place, known := ids[id]
		if !known {
			c.Report(at, "there is no step %q%s", id, manifest.DidYouMean(id, slices.Sorted(maps.Keys(ids))))
			continue
		}
		sc.needs[place] = true
	}
	s.needs = slices.Sorted(maps.Keys(sc.needs))
}

// with is the fields of an order; what is not given is an empty object.
func with(g *Generate) map[string]any {
	if g.With == nil {
		return map[string]any{}
	}
	return g.With
}

func (c check) names(ids map[string]int) []string {
	names := slices.Collect(maps.Keys(ids))
	for _, in := range c.recipe.Inputs {
		names = append(names, in.Name)
	}
	return append(names, "ok", "text", "data", "image", "images", "video", "videos", "audio", "audios", "duration", "width", "height")
}

// wants checks the type of a value that must have a certain one.
func (c check) wants(at manifest.Path, t *template, what string, kinds ...reflect.Kind) {
	if !t.may(kinds) {
		c.Report(at, "must be %s", what)
	}
}

// may reports whether a template's value can be of one of these sorts.
func (t *template) may(kinds []reflect.Kind) bool {
	var k reflect.Kind
	switch {
	case t == nil:
		return true
	case t.program != nil:
		typ := t.program.Type()
		if typ == nil || typ.Kind() == reflect.Interface {
			return true
		}
		k = typ.Kind()
	case t.pieces != nil:
		k = reflect.String
	case t.list != nil:
		k = reflect.Slice
	case t.fields != nil:
		k = reflect.Map
	case t.literal == nil || t.literal == "":
		return true // nothing, or reported already
	default:
		k = reflect.TypeOf(t.literal).Kind()
	}
	return slices.Contains(kinds, k)
}

// sort puts the steps into an order in which each comes after those it needs, and
// reports those that wait for each other.
func (c check) sort() {
	r := c.recipe
	const unseen, open, done = 0, 1, 2
	seen := make([]int, len(r.Steps))
	var visit func(i int) bool
	visit = func(i int) bool {
		if seen[i] != unseen {
			return seen[i] == done
		}
		seen[i] = open
		for _, n := range r.Steps[i].needs {
			if !visit(n) {
				if seen[i] == open {
					if n == i {
						c.Report(manifest.At("steps", i), "%s waits for itself", r.Steps[i].ID)
					} else {
						c.Report(manifest.At("steps", i), "%s and %s wait for each other", r.Steps[i].ID, r.Steps[n].ID)
					}
					seen[i] = done
				}
				return true
			}
		}
		seen[i] = done
		r.order = append(r.order, i)
		return true
	}
	for i := range r.Steps {
		visit(i)
	}
}

// encodeSchema is a schema as models are sent it.
func encodeSchema(schema map[string]any) []byte {
	text, err := json.Marshal(schema, json.Deterministic(true))
	if err != nil {
		panic(err) // it was read from a file
	}
	return text
}
