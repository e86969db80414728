package clients

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Move is another place for what a client keeps below a folder: one that a variable names, or
// that of a system.
type Move struct {
	From string `yaml:"from"` // the usual folder, below the home folder; ".": that itself
	By   string `yaml:"by"`   // the variable
	On   string `yaml:"on"`   // the system, as Go calls it
	To   string `yaml:"to"`   // the folder of that system, below the home folder
}

// Path is where a person's client has a setting's file. What they have told the client with a
// variable holds here as well: it would not look into any other.
func (s Setting) Path(home, system string, getenv func(string) string) string {
	place := s.place(home, system, getenv)
	for _, name := range s.Beside {
		if other := filepath.Join(filepath.Dir(place), name); exists(other) {
			return other
		}
	}
	return place
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func (s Setting) place(home, system string, getenv func(string) string) string {
	for _, m := range s.Moved {
		folder := filepath.Join(home, filepath.FromSlash(m.To))
		if m.By != "" {
			folder = getenv(m.By)
			if rest, ok := strings.CutPrefix(folder, "~/"); ok {
				folder = filepath.Join(home, rest)
			}
		}
		if m.By != "" && folder != "" || m.On != "" && m.On == system {
			return filepath.Join(folder, filepath.FromSlash(m.rest(s.File)))
		}
	}
	return filepath.Join(home, filepath.FromSlash(s.File))
}

// rest is what of a file's path is below the folder.
func (m Move) rest(file string) string {
	if m.From == "." {
		return file
	}
	return strings.TrimPrefix(strings.TrimPrefix(file, m.From), "/")
}

// Elsewhere is one more place of a file, for people to read.
type Elsewhere struct {
	Path string
	When string
}

// Elsewhere are the places where a file is otherwise.
func (s Setting) Elsewhere() (list []Elsewhere) {
	for _, m := range s.Moved {
		if m.By != "" {
			list = append(list, Elsewhere{"$" + m.By + "/" + m.rest(s.File), "where " + m.By + " is set"})
			continue
		}
		if at := path.Join(m.To, m.rest(s.File)); at != s.File {
			list = append(list, Elsewhere{"~/" + at, "on " + systems[m.On]})
		}
	}
	for _, name := range s.Beside {
		list = append(list, Elsewhere{"~/" + path.Join(path.Dir(s.File), name), "where that is there already"})
	}
	return list
}

// systems are the names of those that a move may be on.
var systems = map[string]string{"darwin": "macOS"}

// Outdoes are variables of an environment that the client goes by rather than by these settings of
// its: those that it prefers, and those that its file of variables does not replace.
func (c *Client) Outdoes(settings []Setting, getenv func(string) string) (names []string) {
	for _, name := range c.Outdone {
		if getenv(name) != "" {
			names = append(names, name)
		}
	}
	for _, s := range settings {
		if s.Form != Env {
			continue
		}
		for line := range strings.Lines(s.Text) {
			name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), "=")
			if have := getenv(name); have != "" && have != value {
				names = append(names, name)
			}
		}
	}
	return names
}
