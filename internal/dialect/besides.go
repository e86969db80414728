package dialect

import (
	"slices"
	"strconv"
	"strings"

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

// asides are what upstreams say about an answer, and not in it: how a filter has rated it, by
// what it was served. A client that does not hear of it has the same answer.
var asides = map[string]bool{
	"safetyRatings": true, "promptFeedback": true, "avgLogprobs": true, "modelStatus": true, // Google's
	"content_filter_results": true, "prompt_filter_results": true, "content_filter_offsets": true, // Azure's
	"diagnostics": true, "context_management": true, // Anthropic's
	"metadata": true,                        // the client's own words, or SGLang's about itself
	"usage":    true, "usageMetadata": true, // counters that only one server has
}

// Others are what an answer has and no other API, by its names.
type Others struct {
	names []string
	told  int // how many of them
}

// Learn notes a name, once.
func (o *Others) Learn(name string) {
	const most, longest = 16, 64
	if name == "" || len(o.names) >= most || slices.Contains(o.names, name) {
		return
	}
	if name = strings.Clone(label.Clean(name, longest)); !slices.Contains(o.names, name) {
		o.names = append(o.names, name)
	}
}

// See notes the name of a member, if it says anything.
func (o *Others) See(name string, v jsonscan.Value) {
	if Tells(v) {
		o.Learn(name)
	}
}

// Count notes the counters of a usage that are not among the known ones, if they count anything:
// a server's own, by which it may bill. Times and rates, which are no whole numbers, are none.
func (o *Others) Count(within string, usage jsonscan.Value, known ...string) {
	if o == nil {
		return
	}
	for key, v := range usage.Members() {
		if n, whole := v.Int(); whole && n > 0 && !slices.Contains(known, key.Name) {
			o.Learn(within + "." + key.Name)
		}
	}
}

// Tell are the losses that were not told yet.
func (o *Others) Tell() (list []chat.Loss) {
	for _, name := range o.names[o.told:] {
		verb := chat.Dropped
		if first, _, _ := strings.Cut(name, "."); asides[first] {
			verb = chat.Ignored
		}
		list = append(list, chat.Lost(chat.FieldAnswer, verb, name))
	}
	o.told = len(o.names)
	return list
}

// Tells reports whether a member that is not known says anything: null, false, 0 and what is
// empty do not, nor what holds nothing else.
func Tells(v jsonscan.Value) bool { return tells(v, 0) }

func tells(v jsonscan.Value, depth int) bool {
	const deepest = 4
	switch v.Kind() {
	case jsonscan.String:
		return v.View() != ""
	case jsonscan.Number:
		n, _ := v.Float()
		return n != 0
	case jsonscan.True:
		return true
	case jsonscan.Object:
		for _, inner := range v.Members() {
			if depth == deepest || tells(inner, depth+1) {
				return true
			}
		}
	case jsonscan.Array:
		for _, inner := range v.Elements() {
			if depth == deepest || tells(inner, depth+1) {
				return true
			}
		}
	}
	return false
}

// Quoted tells a client whose API names sources, and does not quote them, that so many were.
func Quoted(sources int) []chat.Loss {
	if sources == 0 {
		return nil
	}
	return []chat.Loss{chat.Lost(chat.FieldAnswer, chat.Ignored, "quotes of "+strconv.Itoa(sources)+" sources")}
}

// EndedAt tells a client whose API has no place for it at which of its stop sequences an answer
// ended: by its number, because what a client says is in no record.
func EndedAt(req *chat.Request, s *chat.Stop) []chat.Loss {
	if s.Reason != chat.StopSequence || s.Sequence == "" {
		return nil
	}
	which := "a stop sequence"
	if talk, err := req.Conversation(); err == nil {
		if i := slices.Index(talk.Sampling.Stop, s.Sequence); i >= 0 {
			which = "stop sequence " + strconv.Itoa(i+1)
		}
	}
	return []chat.Loss{chat.Lost(chat.FieldAnswer, chat.Ignored, "it ended at "+which)}
}

// plainEnds are the words for ends that say no more than what is common to all APIs.
var plainEnds = map[string]bool{
	"": true, "stop": true, "length": true, "max_tokens": true, "MAX_TOKENS": true, "content_filter": true, "refusal": true, "SAFETY": true,
	"pause_turn": true, "CONTINUATION": true, // it was not made to go on, which is told
}

// EndedWith tells a client whose API has fewer words for it why an answer was cut off or refused.
func EndedWith(s *chat.Stop) []chat.Loss {
	if s.Reason != chat.Refused && s.Reason != chat.MaxTokens {
		return nil
	}
	word := s.Raw
	if plainEnds[word] {
		word = s.Category
	}
	if plainEnds[word] || strings.Contains(s.Explanation, word) {
		return nil
	}
	return []chat.Loss{chat.Lost(chat.FieldAnswer, chat.Ignored, "it ended with "+label.Clean(word, 64))}
}

// Unspoken tells a client that an answer is nothing but thoughts, which it did not ask to read: it
// gets an empty one, as the authors' own services give it, and knows of no other reason.
func Unspoken(req *chat.Request, a *chat.Answer) []chat.Loss {
	talk, err := req.Conversation()
	if err != nil || len(a.Parts) == 0 || talk.Thinking != nil && talk.Thinking.Show != nil && *talk.Thinking.Show {
		return nil
	}
	if slices.ContainsFunc(a.Parts, func(p chat.Part) bool { return p.Kind != chat.Thought && p.Kind != chat.Redacted }) {
		return nil
	}
	return []chat.Loss{chat.Lost(chat.FieldAnswer, chat.Dropped, "it is nothing but thoughts, which were not asked for")}
}
