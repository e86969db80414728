package app

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/fault"
	"stele/internal/formula"
	"stele/internal/manifest"
	"stele/internal/media"
)

// LongestSource is how many bytes the text of an app may have.
const LongestSource = 48 << 10

// Check reads a text as the app of an id, and holds it against all models there are.
// The error is not the text's: too many are read just now, or the caller has gone.
func (e *Editor) Check(ctx context.Context, who access.Principal, id, source string) (r Recipe, problems manifest.Problems, err error) {
	if len(source) > LongestSource {
		return Recipe{}, manifest.Problems{{Message: fmt.Sprintf("an app has at most %d KB", LongestSource>>10)}}, nil
	}
	err = e.Pool.doForPerson(ctx, who.Workspace, func(*formula.Budget) error {
		r, problems = e.check(id, source)
		return nil
	})
	return r, problems, err
}

func (e *Editor) check(id, source string) (Recipe, manifest.Problems) {
	r, err := Read("app", []byte(source))
	if r.ID != "" && r.ID != id {
		r.doc.Report(manifest.At("app"), "must stay %q: duplicate the app to have another id", id)
		err = r.doc.Err()
	}
	if err == nil {
		r.checkTalkers(e.Catalog)
		_ = r.Check(func(id string) *media.Model { m, _ := e.Catalog.MediaModel(id); return m })
		err = r.doc.Err()
	}
	problems, _ := errors.AsType[manifest.Problems](err)
	return r, problems
}

// checkTalkers holds the chats of an app that was just read against the models there are.
func (r *Recipe) checkTalkers(c *catalog.Catalog) {
	for i := range r.Steps {
		if chat := r.Steps[i].Chat; chat != nil {
			if _, err := c.Model(chat.Model, access.Scope{}); err != nil {
				r.doc.Report(manifest.At("steps", i, "chat", "model"), "the chat model %q is not offered here", chat.Model)
			}
		}
	}
}

// line gives a function that sets a field of a text's root, where it is written as
// most people do: on a line of its own. Otherwise the text stays as it is. All that
// takes time is done before, with a sample of a value: the function may be called in a
// transaction.
func (e *Editor) line(ctx context.Context, who access.Principal, source, field, sample string) (set func(value string) string, err error) {
	set = func(value string) string { return withLine(source, field, value) }
	err = e.Pool.doForPerson(ctx, who.Workspace, func(*formula.Budget) error {
		if _, before := Read("app", []byte(source)); before != nil {
			return nil //nolint:nilerr // it stays as it is
		}
		if _, after := Read("app", []byte(set(sample))); after != nil {
			set = func(string) string { return source }
		}
		return nil
	})
	return set, err
}

func withLine(source, field, value string) string {
	line := regexp.MustCompile(`(?m)^` + field + `:.*$`)
	if at := line.FindStringIndex(source); at != nil {
		return source[:at[0]] + field + ": " + value + source[at[1]:]
	}
	if at := regexp.MustCompile(`(?m)^app:.*\n`).FindStringIndex(source); at != nil {
		return source[:at[1]] + field + ": " + value + "\n" + source[at[1]:]
	}
	return source
}

func checkStorable(source string) error {
	switch {
	case len(source) > LongestSource:
		return fault.New(fault.InvalidParameter, "An app has at most %d KB.", LongestSource>>10).Field("source")
	case !utf8.ValidString(source) || strings.Contains(source, "\x00"):
		return fault.New(fault.InvalidParameter, "The text has characters that are none.").Field("source")
	}
	return nil
}
