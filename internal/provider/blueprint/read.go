package blueprint

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"stele/internal/manifest"
	"stele/internal/media"
)

//go:embed operations/*.yaml
var operationFiles embed.FS

// operations are those that are built in, read once.
var operations = sync.OnceValues(func() ([]*Operation, error) {
	var list []*Operation
	err := fs.WalkDir(operationFiles, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := operationFiles.ReadFile(name)
		if err != nil {
			return err
		}
		op, err := readOperation(name, src)
		list = append(list, op)
		return err
	})
	return list, err
})

// readOperation reads an operation file, strictly. The error is
// manifest.Problems.
func readOperation(file string, src []byte) (*Operation, error) {
	op := &Operation{}
	c := checking{manifest.Decode(file, src, op, manifest.Options{}), op}
	c.checkNames()
	c.checkOrders()
	c.checkLooks()
	c.checkEnds()
	c.checkFinds()
	return op, c.Err()
}

// checking finds what is wrong with an operation whose form is right.
type checking struct {
	*manifest.Doc

	op *Operation
}

// fills are the holes that addresses may have once the work is named.
var fills = []string{"id", "upstream", "path", "mode", "urls.*"}

func (c checking) checkNames() {
	if kind, name, ok := strings.Cut(c.op.Name, "/"); !ok || kind == "" || name == "" {
		c.Report(manifest.At("operation"), "is called after its kind, such as fal/queue")
	}
	if c.op.Kind == "" {
		c.Report(manifest.At("kind"), "names the kind of account, such as fal")
	}
	if a := c.op.Auth; a.Header != "" && !strings.Contains(a.Value, "{key}") {
		c.Report(manifest.At("auth", "value"), "has no {key} in it")
	}
	for i, host := range c.op.Hosts {
		bare := strings.TrimPrefix(host, "*.")
		if strings.ContainsAny(bare, "*/:@") || !strings.Contains(bare, ".") || strings.ToLower(bare) != bare {
			c.Report(manifest.At("hosts", i), "is no host such as api.example.com or *.example.com")
		}
	}
	if up := c.op.Upload; up != nil {
		at := manifest.At("upload")
		c.checkAddress(at.Add("post"), up.Post)
		c.checkNeeds(at.Add("part"), up.Part != "")
		c.checkNeeds(at.Add("reply"), up.Reply.isGiven())
	}
}

func (c checking) checkOrders() {
	at, s := manifest.At("submit"), &c.op.Submit
	c.checkAddress(at.Add("post"), s.Post, "upstream", "path", "mode")
	if s.Encode != "" {
		c.OneOf(at.Add("encode"), s.Encode, encodings)
	}
	for _, path := range slices.Sorted(maps.Keys(s.EncodeBy)) {
		c.OneOf(at.Add("encode_by", path), s.EncodeBy[path], encodings)
	}
	if !s.Whole {
		c.checkNeeds(at.Add("id"), s.ID.isGiven() || s.Chosen != nil)
	}
	if s.Chosen != nil && !s.Chosen.To.writes() {
		c.Report(at.Add("chosen", "to"), "is no place to write to")
	}
	if s.Marked != nil {
		c.checkNeeds(at.Add("marked", "option"), s.Marked.Option != "")
		if !s.Marked.To.writes() {
			c.Report(at.Add("marked", "to"), "is no place to write to")
		}
	}
}

func (c checking) checkLooks() {
	at, op := manifest.At("poll"), c.op
	if op.Submit.Whole {
		if c.Has(at) {
			c.Report(at, "has no meaning where the answer is the result")
		}
	} else {
		c.checkNeeds(at.Add("get"), len(op.Poll.Get) > 0)
		for _, template := range op.Poll.Get {
			c.checkAddress(at.Add("get"), template, fills...)
		}
		if p := op.Poll; p.First <= 0 || p.Step <= 0 || p.Max < p.Step {
			c.Report(at, "first, step and max are needed, and max is at least step")
		}
		c.checkNeeds(manifest.At("state"), len(op.State.When) > 0 || op.State.Path.isGiven())
	}
	for i, sign := range op.State.When {
		at := manifest.At("state", "when", i)
		c.OneOf(at.Add("is"), sign.Is, states)
		if sign.Class != "" {
			c.checkClass(at.Add("class"), sign.Class)
		}
		if !sign.Exists.isGiven() && len(sign.Has) == 0 {
			c.Report(at, "holds of everything")
		}
	}
	for _, word := range slices.Sorted(maps.Keys(op.State.Map)) {
		c.OneOf(manifest.At("state", "map", word), op.State.Map[word], states)
	}
	if op.State.Else != "" {
		c.OneOf(manifest.At("state", "else"), op.State.Else, states)
	}
	for i, v := range op.Classify {
		c.checkClass(manifest.At("classify", i, "class"), v.Class)
		if len(v.HTTP)+len(v.Code)+len(v.Has)+len(v.Says)+len(v.Facts) == 0 {
			c.Report(manifest.At("classify", i), "holds of everything")
		}
	}
}

func (c checking) checkEnds() {
	op := c.op
	if op.Result != nil {
		c.checkAddress(manifest.At("result", "get"), op.Result.Get, fills...)
	}
	c.checkNeeds(manifest.At("outputs"), len(op.Outputs) > 0)
	for i, o := range op.Outputs {
		at := manifest.At("outputs", i)
		if o.Body == o.Path.isGiven() {
			c.Report(at, "needs either a path or body: true")
		}
		if o.Get != "" {
			c.checkAddress(at.Add("get"), o.Get, append(slices.Clone(fills), "item.*", "value")...)
		}
		if o.Form != "" {
			c.OneOf(at.Add("form"), o.Form, []string{"url", "base64", "hex"})
		}
		if o.Kind != "" {
			c.OneOf(at.Add("kind"), o.Kind, media.Types())
		}
		if o.Role != "" {
			c.OneOf(at.Add("role"), o.Role, []string{media.Thumbnail, media.Preview, media.Cover})
		}
	}
	for i, stop := range op.Cancel {
		at := manifest.At("cancel", i)
		c.checkAddress(at.Add("path"), stop.Path, fills...)
		if stop.Method != "" {
			c.OneOf(at.Add("method"), stop.Method, []string{"POST", "PUT", "DELETE"})
		}
		for j, from := range stop.From {
			c.OneOf(at.Add("from", j), string(from), states)
		}
	}
}

func (c checking) checkFinds() {
	f, at := c.op.Find, manifest.At("find")
	if f == nil {
		return
	}
	c.checkNeeds(at.Add("settled"), f.Settled > 0)
	if c.op.Submit.Chosen != nil {
		return
	}
	c.checkNeeds(manifest.At("submit", "marked"), c.op.Submit.Marked != nil)
	c.checkAddress(at.Add("get"), f.Get)
	for name, r := range map[string]route{"items": f.Items, "id": f.ID, "mark": f.Mark, "time": f.Time} {
		c.checkNeeds(at.Add(name), r.isGiven() && r.reads())
	}
}

func (c checking) checkAddress(at manifest.Path, template string, known ...string) {
	if template == "" {
		c.checkNeeds(at, false)
	} else if err := checkAddress(template, known...); err != nil {
		c.Report(at, "%v", err)
	}
}

func (c checking) checkClass(at manifest.Path, class media.Class) {
	names := make([]string, 0, len(sentences))
	for known := range sentences {
		names = append(names, string(known))
	}
	slices.Sort(names)
	c.OneOf(at, string(class), names)
}

func (c checking) checkNeeds(at manifest.Path, given bool) {
	if !given {
		c.Report(at, "is missing")
	}
}

// operationOf finds a built-in operation by its name.
func operationOf(name string) (*Operation, error) {
	list, err := operations()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i, op := range list {
		if names[i] = op.Name; op.Name == name {
			return op, nil
		}
	}
	return nil, fmt.Errorf("there is no operation %q%s", name, manifest.DidYouMean(name, names))
}
