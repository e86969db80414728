// Package app is the library of apps: recipes that turn several steps into one
// call with a few plain inputs, and the runs of them. It must not know HTTP, SQL
// or providers.
package app

import (
	"cmp"
	"time"

	"stele/internal/manifest"
	"stele/internal/media"
)

// Recipe is an app as its file declares it.
type Recipe struct {
	ID          string        `yaml:"app"`
	Name        string        `yaml:"name"`
	Description string        `yaml:"description"`
	Version     int           `yaml:"version"`
	MediaType   string        `yaml:"media_type"`
	Deadline    time.Duration `yaml:"deadline"` // of a whole run
	Inputs      []Input       `yaml:"inputs"`
	Steps       []Step        `yaml:"steps"`
	Result      Result        `yaml:"result"`

	Origin Origin // where it is from

	source string
	order  []int // of Steps, so that each comes after those it needs
	result results
	doc    *manifest.Doc
}

// Origin is where an app is from.
type Origin string

// The origins.
const (
	FromProgram Origin = "built in"
	FromFile    Origin = "file"
	FromConsole Origin = "console"
)

// Source is the text of the app's file.
func (r *Recipe) Source() string { return r.source }

// Input is a value that the caller of the app may give.
type Input struct {
	media.Parameter

	Media string `yaml:"media"` // image, video or audio: the texts name files of this kind
}

// Step is one thing to do. It is exactly one of Chat, Generate and File.
type Step struct {
	ID       string        `yaml:"id"`
	After    []string      `yaml:"after"`    // steps that must have ended, beside those it speaks of
	When     string        `yaml:"when"`     // an expression; the step is left out where it is false
	Each     string        `yaml:"each"`     // an expression for a list; the step is done for each item
	Parallel int           `yaml:"parallel"` // items at the same time
	Most     int           `yaml:"most"`     // items at all
	Retries  int           `yaml:"retries"`
	Optional bool          `yaml:"optional"` // its failure is not the run's
	Timeout  time.Duration `yaml:"timeout"`
	Chat     *Chat         `yaml:"chat"`
	Generate *Generate     `yaml:"generate"`
	File     *File         `yaml:"file"`

	needs []int // by place in the recipe
	when  *template
	each  *template
	parts map[string]*template
	says  *kind // what a chat answers, where it has a schema
}

// Chat is a question to a chat model.
type Chat struct {
	Model       string         `yaml:"model"`
	System      string         `yaml:"system"`
	Prompt      string         `yaml:"prompt"`
	Files       any            `yaml:"files"`  // a file or a list of files to look at
	Schema      map[string]any `yaml:"schema"` // JSON Schema of the answer
	MaxTokens   int            `yaml:"max_tokens"`
	Temperature *float64       `yaml:"temperature"`
}

// Generate is an order to a media model: the fields of a generation request.
type Generate struct {
	Model string         `yaml:"model"`
	Mode  string         `yaml:"mode"`
	With  map[string]any `yaml:"with"`
}

// File is something done to files: exactly one of Fetch, Convert and Compose.
type File struct {
	Fetch   string `yaml:"fetch"` // an address to copy into this installation
	Media   string `yaml:"media"` // of Fetch: what must be there
	Convert any    `yaml:"convert"`
	Compose any    `yaml:"compose"`
	Format  string `yaml:"format"` // of Convert and Compose: png, jpeg or webp
	Layout  string `yaml:"layout"` // of Compose: grid, row, column or side_by_side
	Gap     *int   `yaml:"gap"`    // of Compose
}

// Result is what a run gives back.
type Result struct {
	Images any `yaml:"images"`
	Videos any `yaml:"videos"`
	Audios any `yaml:"audios"`
	Texts  any `yaml:"texts"`
	Data   any `yaml:"data"`
}

const (
	usualDeadline = 30 * time.Minute
	usualMost     = 16
	largestMost   = 100
	usualParallel = 4
	mostParallel  = 16
	mostSteps     = 50
	mostInputs    = 100
	longestFile   = 256 << 10 // bytes of an app's text
	mostRetries   = 5
	// composer is the model behind Convert and Compose.
	composer     = "stele/canvas"
	composerMode = "image_to_image"
)

// Parameters are the inputs as lists and checks see them.
func (r *Recipe) Parameters() []media.Parameter {
	list := make([]media.Parameter, len(r.Inputs))
	for i, in := range r.Inputs {
		list[i] = in.Parameter
	}
	return list
}

// parallel is how many items of a step may be on their way.
func (s *Step) parallel() int { return cmp.Or(s.Parallel, usualParallel) }

func (s *Step) most() int { return cmp.Or(s.Most, usualMost) }

// generates is the generation that a step asks for, nil where it asks for none.
func (s *Step) generates() *Generate {
	switch f := s.File; {
	case s.Generate != nil:
		return s.Generate
	case f != nil && f.Convert != nil:
		return f.order(f.Convert)
	case f != nil && f.Compose != nil:
		g := f.order(f.Compose)
		g.With["compose"] = cmp.Or(f.Layout, "grid")
		if f.Gap != nil {
			g.With["gap"] = int64(*f.Gap)
		}
		return g
	}
	return nil
}

func (f *File) order(pictures any) *Generate {
	g := &Generate{Model: composer, Mode: composerMode, With: map[string]any{"image_urls": pictures}}
	if f.Format != "" {
		g.With["output_format"] = f.Format
	}
	return g
}

// last is the model and mode of the step that ends the work.
func (r *Recipe) last() (model, mode string) {
	for _, i := range r.order {
		if g := r.Steps[i].generates(); g != nil {
			model, mode = g.Model, g.Mode
		} else if c := r.Steps[i].Chat; c != nil && mode == "" {
			model = c.Model
		}
	}
	mode = cmp.Or(mode, "chat")
	return model, mode
}

// Models lists the models that a run asks, media models and chat models.
func (r *Recipe) Models() (makers, talkers []string) {
	for i := range r.Steps {
		if g := r.Steps[i].generates(); g != nil {
			makers = append(makers, g.Model)
		}
		if c := r.Steps[i].Chat; c != nil {
			talkers = append(talkers, c.Model)
		}
	}
	return makers, talkers
}
