package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
)

// sources is all that the book is made of.
type sources struct {
	catwalk map[string][]catwalk.Model
	genai   map[string][]genaiModel
	own     []own
	facts   []fact
	known   []difference
	seen    map[string]bool // differences that were found, as "kind: line"
}

// own is what was looked up by hand. It stands before both sources.
type own struct {
	Kind    string   `json:"kind"`
	Source  string   `json:"source"`
	Checked string   `json:"checked"`
	Models  []*model `json:"models"`
}

// difference is why prices differ and whose were taken.
type difference struct {
	Kind  string   `json:"kind"`
	Why   string   `json:"why"`
	Taken string   `json:"taken"` // genai or catwalk
	Lines []string `json:"lines"` // "model class catwalk's genai's"
}

func readSources(folder string) (*sources, error) {
	s := &sources{catwalk: make(map[string][]catwalk.Model), genai: make(map[string][]genaiModel), seen: make(map[string]bool)}
	for _, p := range embedded.GetAll() {
		s.catwalk[string(p.ID)] = p.Models
	}
	var genai []struct {
		ID     string       `json:"id"`
		Models []genaiModel `json:"models"`
	}
	for name, to := range map[string]any{"genai-prices.json": &genai, "own.json": &s.own, "facts.json": &s.facts, "differences.json": &s.known} {
		src, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(src, to); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, p := range genai {
		s.genai[p.ID] = p.Models
	}
	return s, nil
}

// differs notes a difference and reports whether catwalk's price is to be taken.
func (s *sources) differs(kind, line string) bool {
	s.seen[kind+": "+line] = true
	for _, d := range s.known {
		if d.Kind == kind && slices.Contains(d.Lines, line) {
			return d.Taken == "catwalk"
		}
	}
	return false
}

// unexplained is an error that names differences without a reason, and reasons without
// a difference.
func (s *sources) unexplained() error {
	listed := make(map[string]bool)
	for _, d := range s.known {
		if d.Why == "" || d.Taken != "genai" && d.Taken != "catwalk" {
			return fmt.Errorf("differences.json: a group of %s has no reason, or does not say what was taken", d.Kind)
		}
		for _, line := range d.Lines {
			listed[d.Kind+": "+line] = true
		}
	}
	var wrong []string
	for line := range s.seen {
		if !listed[line] {
			wrong = append(wrong, "not in differences.json: "+line)
		}
	}
	for line := range listed {
		if !s.seen[line] {
			wrong = append(wrong, "in differences.json, but no difference: "+line)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	return fmt.Errorf("%s", strings.Join(wrong, "\n"))
}
