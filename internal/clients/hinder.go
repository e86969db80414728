package clients

import (
	"os"
	"slices"

	"stele/internal/jsonscan"
)

// Hindrances are what a file has at its root with which the client does not go by these settings.
// Of a file that is not there or cannot be read there are none.
func (s Setting) Hindrances(file string) (list []Hindrance) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	for _, h := range s.Hinders {
		if s.has(string(text), h) {
			list = append(list, h)
		}
	}
	return list
}

func (s Setting) has(text string, h Hindrance) bool {
	if s.Form == TOML {
		return slices.ContainsFunc(sectionsOf(text)[0].statements, func(one string) bool { return keyOf(one) == h.Key })
	}
	root, err := jsonscan.Parse([]byte(withoutComments(text)), jsonscan.Strict)
	value := root.Get(h.Key)
	if err != nil || !value.Exists() {
		return false
	}
	for _, element := range value.Elements() {
		if name, _ := element.Text(); name == h.Unless {
			return false
		}
	}
	return true
}
