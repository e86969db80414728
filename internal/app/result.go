package app

import (
	"context"
	"reflect"

	"github.com/expr-lang/expr/types"
	"github.com/go-json-experiment/json"

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

func (c check) result(env types.Map, ids map[string]int) {
	r, at := &c.recipe.Result, manifest.At("result")
	sc := &sight{doc: c.Doc, env: env, steps: ids, names: c.names(ids), needs: make(map[int]bool)}
	if r.Images == nil && r.Videos == nil && r.Audios == nil && r.Texts == nil && r.Data == nil {
		c.Problem(at, "an app needs a result: images, videos, audios, texts or data")
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
	env := run.env()
	var list []media.Output
	for _, t := range run.recipe.result.files {
		v, err := t.value(env)
		if err != nil {
			return nil, err
		}
		for _, id := range texts(v) {
			if list, err = r.addFile(ctx, run, list, id); err != nil {
				return nil, err
			}
		}
	}
	v, err := run.recipe.result.texts.value(env)
	if err != nil {
		return nil, err
	}
	for _, text := range texts(v) {
		list = append(list, media.Output{Kind: "text", Text: text})
	}
	if v, err = run.recipe.result.data.value(env); err != nil || v == nil {
		return list, err
	}
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return append(list, media.Output{Kind: "data", Data: data}), nil
}

// addFile adds a file, and what belongs to it.
func (r *Runner) addFile(ctx context.Context, run *run, list []media.Output, id string) ([]media.Output, error) {
	for _, outputs := range run.made() {
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
