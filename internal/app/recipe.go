// Package app is the library of apps: recipes that turn several steps into one
// call with a few plain inputs. It must not know HTTP, SQL or providers.
package app

import (
	"regexp"
	"slices"

	"stele/internal/manifest"
	"stele/internal/media"
)

// Recipe is an app as its file declares it.
type Recipe struct {
	ID          string            `yaml:"id"`
	Name        string            `yaml:"name"`
	Description string            `yaml:"description"`
	MediaType   string            `yaml:"media_type"`
	Inputs      []media.Parameter `yaml:"inputs"`
}

var recipeID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// reserved are fields of every run's request, so no input may have their name.
var reserved = []string{"webhook_url", "dry_run"}

// Read reads an app file, strictly. The error is manifest.Problems.
func Read(file string, src []byte) (Recipe, error) {
	var r Recipe
	doc := manifest.Decode(file, src, &r, manifest.Options{})
	if !recipeID.MatchString(r.ID) {
		doc.Problem(manifest.At("id"), "an app's id is up to 64 lower-case letters, digits, - and _, and begins with a letter or digit")
	}
	if !slices.Contains(media.Types(), r.MediaType) {
		doc.Problem(manifest.At("media_type"), "%q is not one of %v%s", r.MediaType, media.Types(), manifest.DidYouMean(r.MediaType, media.Types()))
	}
	media.CheckParameters(doc, manifest.At("inputs"), r.Inputs)
	for i, p := range r.Inputs {
		if slices.Contains(reserved, p.Name) {
			doc.Problem(manifest.At("inputs", i, "name"), "%q is reserved for the request itself", p.Name)
		}
	}
	if r.Name == "" {
		r.Name = r.ID
	}
	return r, doc.Err()
}
