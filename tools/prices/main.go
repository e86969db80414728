// Command prices writes the price book that is part of Stele: internal/price/book, one
// file for each provider kind.
//
// Its sources are charm.land/catwalk, a module of tools/go.mod; @pydantic/genai-prices,
// of which genai-prices.json is a snapshot (snapshot.mjs takes it); and what is written
// down by hand in facts.json and own.json, where neither knows. Where both sources have
// a price and they differ, differences.json says which was taken and why; a difference
// that is not in it is an error.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", "../internal/price/book", "folder of the book")
	flag.Parse()
	if err := run("prices", *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder, out string) error {
	books, err := makeBooks(folder)
	if err != nil {
		return err
	}
	for kind, text := range books {
		if err := os.WriteFile(filepath.Join(out, kind+".json"), text, 0o644); err != nil { //nolint:gosec // it is source
			return err
		}
	}
	return nil
}

// makeBooks makes the text of each kind's file.
func makeBooks(folder string) (map[string][]byte, error) {
	s, err := readSources(folder)
	if err != nil {
		return nil, err
	}
	books := make(map[string][]byte)
	for _, k := range kinds {
		book, err := s.book(k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		if books[k.name], err = book.text(); err != nil {
			return nil, err
		}
	}
	return books, s.unexplained()
}

// book is a kind's file. The fields are those of price.bookFile.
type book struct {
	Also    []string `json:"also,omitempty"`
	Sources []source `json:"sources"`
	Models  []*model `json:"models"`
}

type source struct {
	Name    string `json:"name"`
	Checked string `json:"checked"`
}

type model struct {
	Names   []string `json:"n"`
	Prices  []priced `json:"p,omitempty"`
	Window  int64    `json:"w,omitempty"`
	Output  int64    `json:"o,omitempty"`
	Takes   []string `json:"in,omitempty"`
	Gives   []string `json:"out,omitempty"`
	Can     []string `json:"can,omitempty"`
	Retires string   `json:"ends,omitempty"`
	Next    string   `json:"next,omitempty"`
	Source  int      `json:"s,omitempty"`
}

type priced struct {
	Text  string   `json:"t"`
	From  string   `json:"from,omitempty"`
	Hours []string `json:"hours,omitempty"`
}

// text is the file with a line for each model, so that changes can be read.
func (b *book) text() ([]byte, error) {
	head, err := json.Marshal(struct {
		Also    []string `json:"also,omitempty"`
		Sources []source `json:"sources"`
	}{b.Also, b.Sources})
	if err != nil {
		return nil, err
	}
	out := append(head[:len(head)-1], ",\"models\":[\n"...)
	for i, m := range b.Models {
		var line bytes.Buffer
		to := json.NewEncoder(&line)
		to.SetEscapeHTML(false)
		if err := to.Encode(m); err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ",\n"...)
		}
		out = append(out, bytes.TrimSpace(line.Bytes())...)
	}
	return append(out, "\n]}\n"...), nil
}
