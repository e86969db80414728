package modules

import (
	"slices"
	"testing"
)

func TestNamesTheLicenceOfAText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Permission is hereby granted, free of charge,\n to any person obtaining a copy of": {"MIT"},
		"Redistribution and use in source and binary forms, with or without":                {"BSD-2-Clause"},
		"Redistribution and use in source and binary\nforms … Neither the name of Google":   {"BSD-3-Clause"},
		"                    Apache License\n               Version 2.0, January 2004":      {"Apache-2.0"},
		"Mozilla Public License Version 2.0 … means either the GNU General Public License":  {"MPL-2.0"},
		"GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3 … the GNU General Public License":     {"LGPL", "GPL"},
		"GNU AFFERO GENERAL PUBLIC LICENSE":                                                 {"AGPL"},
		"You may look at it, but not use it.":                                               {"unknown"},
	} {
		if got := classify(text); !slices.Equal(got, want) {
			t.Errorf("classify(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestRefusesWhatMayNotBeLinked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path     string
		licences []string
		refused  bool
	}{
		{"example.org/a", []string{"MIT", "Apache-2.0"}, false},
		{"example.org/a", []string{"MIT", "LGPL"}, true},
		{"example.org/a", []string{"MPL-2.0"}, true},
		{"github.com/riverqueue/river", []string{"MPL-2.0"}, false},
		{"example.org/a", []string{"unknown"}, true},
		{"example.org/a", nil, true},
	} {
		if why := Refuse(c.path, c.licences); (why != "") != c.refused {
			t.Errorf("Refuse(%s, %v) = %q, want refused: %v", c.path, c.licences, why, c.refused)
		}
	}
}

func TestFindsAModuleInThePages(t *testing.T) {
	t.Parallel()
	pages := "Migrations by `github.com/pressly/goose/v3`. See github.com/tidwall/gjson/x and github.com/a/b."
	for path, want := range map[string]bool{
		"github.com/pressly/goose/v3": true,
		"github.com/pressly/goose":    true,
		"github.com/tidwall/gjson":    true,
		"github.com/tidwall/gj":       false,
		"github.com/a/b":              true,
		"hub.com/a/b":                 false,
	} {
		if got := mentions(pages, path); got != want {
			t.Errorf("mentions(%s) = %v, want %v", path, got, want)
		}
	}
}
