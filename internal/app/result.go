package app

import (
	"context"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json"

	"stele/internal/formula"
	"stele/internal/generation"
	"stele/internal/manifest"
	"stele/internal/media"
)

// results are the expressions of a recipe's result.
type results struct {
	files []*template
	texts *template
	data  *template
}

func (c check) checkResult(scope *formula.Scope, ids map[string]int) {
	r, at := &c.recipe.Result, manifest.At("result")
	sc := &sight{doc: c.Doc, scope: scope, steps: ids, names: c.names(ids), needs: make(map[int]bool)}
	if r.Images == nil && r.Videos == nil && r.Audios == nil && r.Texts == nil && r.Data == nil {
		c.Report(at, "an app needs a result: images, videos, audios, texts or data")
	}
	for _, files := range []struct {
		name string
		v    any
	}{{"images", r.Images}, {"videos", r.Videos}, {"audios", r.Audios}} {
		t := sc.compile(at.Add(files.name), files.v)
		c.wants(at.Add(files.name), t, "a file or a list of files", reflect.String, reflect.Slice)
		c.recipe.result.files = append(c.recipe.result.files, t)
	}
	c.recipe.result.texts = sc.compile(at.Add("texts"), r.Texts)
	c.wants(at.Add("texts"), c.recipe.result.texts, "a text or a list of texts", reflect.String, reflect.Slice)
	c.recipe.result.data = sc.compile(at.Add("data"), r.Data)
}

// outputs are what a run that is done gives back.
func (r *Runner) outputs(ctx context.Context, run *run) ([]media.Output, error) {
	var files []string
	var rest []media.Output
	err := r.evaluate(ctx, run, func(b *formula.Budget, env map[string]any) (err error) {
		files, rest, err = run.recipe.result.values(b, env)
		return err
	})
	if err != nil {
		return nil, err
	}
	var list []media.Output
	for _, id := range files {
		if list, err = r.addFile(ctx, run, list, id); err != nil {
			return nil, err
		}
	}
	return append(list, rest...), nil
}

// mostOutputs is how many files and texts a run gives back.
const mostOutputs = 1000

// values are the files that a result names, and all that is in it beside them.
func (r *results) values(b *formula.Budget, env map[string]any) (files []string, rest []media.Output, err error) {
	for _, t := range r.files {
		v, err := t.value(b, env)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, texts(v)...)
	}
	v, err := r.texts.value(b, env)
	if err != nil {
		return nil, nil, err
	}
	for _, text := range texts(v) {
		rest = append(rest, media.Output{Kind: "text", Text: text})
	}
	if len(files)+len(rest) > mostOutputs {
		return nil, nil, &valueless{fmt.Sprintf("it has %d files and texts, and at most %d may be", len(files)+len(rest), mostOutputs), true}
	}
	if v, err = r.data.value(b, env); err != nil || v == nil {
		return files, rest, err
	}
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, nil, &valueless{"data cannot be written as JSON", false}
	}
	return files, append(rest, media.Output{Kind: "data", Data: data}), nil
}

// addFile adds a file, and what belongs to it.
func (r *Runner) addFile(ctx context.Context, run *run, list []media.Output, id string) ([]media.Output, error) {
	for _, outputs := range run.listMade() {
		for place, m := range outputs {
			if m.File != id || m.Role != "" {
				continue
			}
			at := len(list)
			list = append(list, output(m))
			for _, beside := range outputs {
				if beside.Role != "" && beside.Of == place {
					beside.Of = at
					list = append(list, output(beside))
				}
			}
			return list, nil
		}
	}
	f, err := r.Files.File(ctx, run.task.Workspace, id)
	if err != nil {
		return nil, err
	}
	return append(list, media.Output{
		Kind: f.Kind, Type: f.Type, Width: f.Width, Height: f.Height, Duration: f.Duration, File: f.ID, Size: f.Size,
	}), nil
}

func output(m generation.Made) media.Output {
	return media.Output{
		Kind: m.Kind, Role: m.Role, Of: m.Of, Type: m.Type, Width: m.Width, Height: m.Height, Duration: m.Duration, Title: m.Title,
		File: m.File, Size: m.Size,
	}
}

// texts are the texts of a value: itself, or those in its list. Empty ones are
// what steps leave that made nothing.
func texts(v any) []string {
	var list []string
	switch v := v.(type) {
	case string:
		if v != "" {
			list = append(list, v)
		}
	case []any:
		for _, item := range v {
			list = append(list, texts(item)...)
		}
	case []string:
		for _, item := range v {
			list = append(list, texts(item)...)
		}
	}
	return list
}
