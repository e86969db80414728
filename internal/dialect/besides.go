package dialect

import (
	"slices"

	"stele/internal/chat"
	"stele/internal/jsonscan"
	"stele/internal/label"
)

// Besides tells of the members that parts of an answer have beside what the common
// conversation knows, by their names: no other dialect has a place for them.
func Besides(r *chat.Response) (list []chat.Loss) {
	const most, longest = 16, 64
	var names []string
	for i := range r.Answers {
		for j := range r.Answers[i].Parts {
			p := &r.Answers[i].Parts[j]
			if p.Kind == chat.Opaque || p.Raw == nil {
				continue
			}
			for key := range jsonscan.At(p.Raw, 0).Members() {
				if name := label.Clean(key.Name, longest); len(names) < most && !slices.Contains(names, name) {
					names = append(names, name)
					list = append(list, chat.Lost(chat.FieldAnswer, chat.Dropped, name))
				}
			}
		}
	}
	return list
}
