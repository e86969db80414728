// Package clients knows the programs and libraries that people point at this server:
// what each must be told, where it keeps that, and which names it asks for by itself. One
// file describes one client; its page in the documentation, the console and the command
// line all come from it. It must not know how the server is called.
package clients

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"stele/internal/manifest"
)

//go:embed library/*.yaml
var library embed.FS

// Client is a program or a library that speaks to an AI API.
type Client struct {
	ID       string
	Name     string    `yaml:"name"`
	About    string    `yaml:"about"`
	Dialect  string    `yaml:"dialect"` // that it speaks: openai, anthropic, gemini
	Bridge   bool      `yaml:"bridge"`  // it needs stele bridge
	Page     string    `yaml:"page"`    // where its authors tell of its settings
	Install  string    `yaml:"install"`
	Settings []Setting `yaml:"settings"`
	Try      string    `yaml:"try"`     // a command that ends in an answer
	Asks     []Ask     `yaml:"asks"`    // names that it asks for by itself
	Outdone  []string  `yaml:"outdone"` // variables that it goes by rather than by its settings
	Notes    []string  `yaml:"notes"`
	Ran      Ran       `yaml:"ran"` // zero: it was not run
}

// Setting is something that a client must be told.
type Setting struct {
	File    string      `yaml:"file"`    // below the home folder; "": it is not kept in a file that can be written
	Title   string      `yaml:"title"`   // where it is told otherwise
	Form    Form        `yaml:"form"`    // of the file
	Moved   []Move      `yaml:"moved"`   // where the file is otherwise; the first that holds counts
	Beside  []string    `yaml:"beside"`  // other names of the file, by which the client goes rather than by this one
	Hinders []Hindrance `yaml:"hinders"` // what a person may have in it already
	Text    string      `yaml:"text"`    // a template over Values
}

// Hindrance is a key at the root of a file with which the client does not go by what else is there.
type Hindrance struct {
	Key    string `yaml:"key"`
	Unless string `yaml:"unless"` // a text in its list with which it hinders nothing
	Why    string `yaml:"why"`    // and what to do
}

// Ask is a name that a client asks for by itself.
type Ask struct {
	Name    string `yaml:"name"`
	Pattern string `yaml:"pattern"` // of it and of its successors
}

// Ran says which version was run against this server, and when.
type Ran struct {
	Version string `yaml:"version"`
	On      string `yaml:"on"`
}

// All are the clients, in the order of their ids.
var All = sync.OnceValue(func() []Client {
	list := make([]Client, 0, len(names()))
	for _, name := range names() {
		c, err := read(name)
		if err != nil {
			panic(err) // a test reads them all
		}
		list = append(list, c)
	}
	return list
})

// ByID finds a client.
func ByID(id string) (*Client, bool) {
	list := All()
	for i := range list {
		if list[i].ID == id {
			return &list[i], true
		}
	}
	return nil, false
}

// IDs are those of all clients, from the names of their files: every start of the program asks for them.
func IDs() (list []string) {
	for _, name := range names() {
		list = append(list, id(name))
	}
	return list
}

// Writes tells whether some of its settings are in files that can be written.
func (c *Client) Writes() bool {
	return slices.ContainsFunc(c.Settings, func(s Setting) bool { return s.File != "" })
}

// names are those of the files.
var names = sync.OnceValue(func() (list []string) {
	files, _ := library.ReadDir("library") // it is embedded
	for _, f := range files {
		list = append(list, f.Name())
	}
	return list
})

func id(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

func read(name string) (Client, error) {
	c := Client{ID: id(name)}
	text, err := library.ReadFile("library/" + name)
	if err != nil {
		return c, err
	}
	doc := manifest.Decode(name, text, &c, manifest.Options{})
	if err := doc.Err(); err != nil {
		return c, fmt.Errorf("read client: %w", err)
	}
	return c, nil
}
