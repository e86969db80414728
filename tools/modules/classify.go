package modules

import (
	"regexp"
	"slices"
	"strings"
)

// The licences that may be linked into the binary. MPL-2.0 asks for more than a notice, so it is allowed by name only.
var (
	allowed = []string{
		"MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC", "0BSD", "Unlicense", "CC0-1.0", "public domain",
	}
	mpl = regexp.MustCompile(`^github\.com/riverqueue/`)
)

// sign is a passage that only a text of that licence has, in lower case with single spaces.
type sign struct {
	licence string
	passage *regexp.Regexp
}

var signs = []sign{
	{"MIT", regexp.MustCompile(`permission is hereby granted, free of charge, to any person obtaining a copy`)},
	{"ISC", regexp.MustCompile(`permission to use, copy, modify, and(/or)? distribute this software for any purpose with or without fee is hereby granted, provided that`)},
	{"0BSD", regexp.MustCompile(`permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted\.`)},
	{"BSD-3-Clause", regexp.MustCompile(`redistribution and use in source and binary forms.*(neither the names? of|may not be used to endorse or promote)`)},
	{"Apache-2.0", regexp.MustCompile(`apache license,? version 2\.0`)},
	{"MPL-2.0", regexp.MustCompile(`mozilla public license,? (version|v\.) ?2\.0`)},
	{"Unlicense", regexp.MustCompile(`this is free and unencumbered software released into the public domain`)},
	{"CC0-1.0", regexp.MustCompile(`cc0 1\.0 universal`)},
	{"public domain", regexp.MustCompile(`sqlite has been dedicated to the public domain`)},
	{"AGPL", regexp.MustCompile(`gnu affero general public license`)},
	{"LGPL", regexp.MustCompile(`gnu (lesser|library) general public license`)},
	{"GPL", regexp.MustCompile(`gnu general public license`)},
}

var (
	bsd    = regexp.MustCompile(`redistribution and use in source and binary forms`)
	spaces = regexp.MustCompile(`[\s*#>=_-]+`)
)

// classify names every licence whose text, or notice, is in the file: a file may hold several. It is {"unknown"} when none
// is recognised.
func classify(text string) []string {
	text = spaces.ReplaceAllString(strings.ToLower(text), " ")
	var found []string
	for _, s := range signs {
		if s.passage.MatchString(text) {
			found = append(found, s.licence)
		}
	}
	if bsd.MatchString(text) && !slices.Contains(found, "BSD-3-Clause") {
		found = append(found, "BSD-2-Clause")
	}
	if slices.Contains(found, "MPL-2.0") { // its section 1.12 speaks of the GNU licences without being one
		found = slices.DeleteFunc(found, func(l string) bool { return strings.HasSuffix(l, "GPL") })
	}
	if len(found) == 0 {
		return []string{"unknown"}
	}
	return found
}

// Refuse says why a module with these licences may not be linked; it is empty if it may.
func Refuse(path string, licences []string) string {
	if len(licences) == 0 {
		return "no licence file"
	}
	var wrong []string
	for _, l := range licences {
		if slices.Contains(allowed, l) || l == "MPL-2.0" && mpl.MatchString(path) {
			continue
		}
		wrong = append(wrong, l)
	}
	return strings.Join(wrong, ", ")
}
