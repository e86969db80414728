package price

import "strings"

// readings are the names that a model may be listed by, the most exact first: as it
// is, without the path before it, without a region, without what follows it: a date,
// a version, a variant.
func readings(model string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if !yield(model) {
			return
		}
		for _, name := range [...]string{model, base(model), withoutRegion(base(model))} {
			for rest := name; ; {
				if rest != model && !yield(rest) {
					return
				}
				shorter := withoutDate(rest)
				if shorter == rest {
					break
				}
				rest = shorter
			}
		}
	}
}

// base is the name without a path: models/gemini-…, accounts/…/models/…, arn:…/….
func base(model string) string { return model[strings.LastIndexByte(model, '/')+1:] }

// withoutRegion gives the name without the region it is served from, at Amazon's:
// us.anthropic.claude-….
func withoutRegion(model string) string {
	place, rest, ok := strings.Cut(model, ".")
	if !ok {
		return model
	}
	switch place {
	case "us", "eu", "apac", "global", "jp", "au", "ca", "sa", "us-gov":
		return rest
	}
	return model
}

// withoutDate gives the name without its last part, if that only says which issue of the
// model it is: -2025-08-07, -20250807, @20250807, -001, -latest, -v1, :0, :nitro. What is
// free or fine-tuned (ft:…) has another price, and stays.
func withoutDate(model string) string {
	if i := strings.LastIndexByte(model, ':'); i > 0 && !strings.HasPrefix(model[i:], ":free") && model[:i] != "ft" {
		return model[:i]
	}
	if i := strings.LastIndexByte(model, '@'); i > 0 {
		return model[:i]
	}
	if n := len(model); n > 11 && hasForm(model[n-11:], "-0000-00-00") {
		return model[:n-11]
	}
	i := strings.LastIndexByte(model, '-')
	if i <= 0 {
		return model
	}
	switch last := model[i:]; {
	case last == "-latest", hasForm(last, "-v0"), hasForm(last, "-00000000"), hasForm(last, "-000") && strings.HasPrefix(last, "-00"):
		return model[:i]
	}
	return model
}

// hasForm reports whether text has the form of another: a digit where it has 0.
func hasForm(text, form string) bool {
	if len(text) != len(form) {
		return false
	}
	for i := range len(form) {
		if digit := text[i] >= '0' && text[i] <= '9'; digit != (form[i] == '0') || !digit && text[i] != form[i] {
			return false
		}
	}
	return true
}
