package config

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"stele/internal/manifest"
)

const fileSuffix = "_file"

// checkOptions reports options that the kind does not have, reads those that are
// in files or variables and reports those that are missing. Afterwards Options
// has no names of files.
func (c *checker) checkOptions(at manifest.Path, p *Provider, kind *Kind) {
	var known []string
	for _, o := range kind.Options {
		known = append(known, o.Name)
		if o.Secret {
			known = append(known, o.Name+fileSuffix)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Options)) {
		switch {
		case len(known) == 0:
			c.report(at.Add(name), "the kind %q has no options", kind.Name)
		case !slices.Contains(known, name):
			c.report(at.Add(name), "the kind %q has no option %q%s", kind.Name, name, manifest.DidYouMean(name, known))
		case p.Options[name] == "":
			c.report(at.Add(name), "must not be empty; leave it out")
		}
	}
	for _, missing := range c.fillOptions(at, p, kind) {
		c.report(at.Add(missing.Name), "missing; the kind %q needs it%s", kind.Name, c.hint(missing))
	}
}

// hint says where else an option may come from.
func (c *checker) hint(o Option) string {
	var places []string
	if o.Secret && !c.alone {
		places = append(places, o.Name+fileSuffix)
	}
	if !c.alone {
		places = append(places, o.Env...)
	}
	if o.FileEnv != "" && !c.alone {
		places = append(places, o.FileEnv)
	}
	text := ""
	if o.Keyless {
		text = " where there is no api_key"
	}
	if len(places) > 0 {
		text += " (or " + strings.Join(places, ", ") + ")"
	}
	return text
}

// fillOptions finds the value of every option of the kind and returns those that
// are needed and have none. Credentials come from one place: where the file has
// any of them, or a key, no variable is asked for the others.
func (c *checker) fillOptions(at manifest.Path, p *Provider, kind *Kind) (missing []Option) {
	if len(kind.Options) == 0 {
		return nil
	}
	given := p.Options
	own := p.APIKey != ""
	for _, o := range kind.Options {
		own = own || o.Secret && (given[o.Name] != "" || given[o.Name+fileSuffix] != "")
	}
	p.Options = nil
	for _, o := range kind.Options {
		value := given[o.Name]
		if file := given[o.Name+fileSuffix].Reveal(); o.Secret && file != "" {
			if value != "" {
				c.report(at.Add(o.Name+fileSuffix), "%s is set as well; only one of them can count", at.Add(o.Name))
				continue
			}
			value = c.readOption(at.Add(o.Name+fileSuffix), file, o)
			if value == "" {
				continue // it was reported
			}
		}
		if value == "" && !(o.Secret && own) {
			value = c.optionFromEnv(o)
		}
		value = cmp.Or(value, Secret(o.Default))
		if value != "" {
			if p.Options == nil {
				p.Options = make(map[string]Secret)
			}
			p.Options[o.Name] = value
		} else if o.Needed || o.Keyless && p.APIKey == "" {
			missing = append(missing, o)
		}
	}
	return missing
}

// readOption reads an option out of the file that the configuration names.
func (c *checker) readOption(at manifest.Path, file string, o Option) Secret {
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(c.cfg.File), file)
	}
	text, err := readOption(file, o)
	if err != nil {
		c.report(at, "cannot read %s: %s", file, reason(err))
	}
	return Secret(text)
}

// optionFromEnv asks the variables that an option may be in.
func (c *checker) optionFromEnv(o Option) Secret {
	for _, name := range o.Env {
		if value := c.getenv(name); value != "" {
			return Secret(value)
		}
	}
	if o.FileEnv == "" || c.getenv(o.FileEnv) == "" {
		return ""
	}
	text, err := readOption(c.getenv(o.FileEnv), o)
	if err != nil {
		c.outside = append(c.outside, manifest.Problem{File: o.FileEnv, Message: "cannot read the file: " + reason(err)})
	}
	return Secret(text)
}

func readOption(file string, o Option) (string, error) {
	if o.Text {
		return readText(file)
	}
	return readLine(file)
}
