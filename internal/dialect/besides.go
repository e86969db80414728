package dialect

import (
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
	"stele/internal/label"
)

// LossesBeside tells of the members that parts of an answer have beside what the common
// conversation knows, by their names: no other dialect has a place for them.
func LossesBeside(r *chat.WholeReply) (list []chat.Loss) {
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
	"perf_metrics": true, "prompt_progress": true, // how fast it went: Fireworks's, llama.cpp's
	"token_id": true, "channel": true, // of which tokens it was made: Together's, Groq's
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

// TakeLosses returns the losses that were not told yet.
func (o *Others) TakeLosses() (list []chat.Loss) {
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

// deepest is how far values are looked into.
const deepest = 4

func tells(v jsonscan.Value, depth int) bool {
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

// Asks reports whether a field of a request wants anything: null, empty texts, lists and objects
// do not, nor what holds nothing else. Unlike what Tells is about, 0 and false are values.
func Asks(v jsonscan.Value) bool { return asks(v, 0) }

func asks(v jsonscan.Value, depth int) bool {
	switch v.Kind() {
	case jsonscan.Missing, jsonscan.Null:
		return false
	case jsonscan.String:
		return v.View() != ""
	case jsonscan.Object:
		for _, inner := range v.Members() {
			if depth == deepest || asks(inner, depth+1) {
				return true
			}
		}
		return false
	case jsonscan.Array:
		for _, inner := range v.Elements() {
			if depth == deepest || asks(inner, depth+1) {
				return true
			}
		}
		return false
	}
	return true
}

// IsEmptyList reports whether a value is [], which some languages write for an object without members.
func IsEmptyList(v jsonscan.Value) bool { return v.Kind() == jsonscan.Array && v.Len() == 0 }

// LossOfQuotes tells a client whose API names sources, and does not quote them, that so many were.
func LossOfQuotes(sources int) []chat.Loss {
	if sources == 0 {
		return nil
	}
	return []chat.Loss{chat.Lost(chat.FieldAnswer, chat.Ignored, "quotes of "+strconv.Itoa(sources)+" sources")}
}

// LossOfStopSequence tells a client whose API has no place for it at which of its stop sequences an answer
// ended: by its number, because what a client says is in no record.
func LossOfStopSequence(req *chat.Request, s *chat.Stop) []chat.Loss {
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

// LossOfStopReason tells a client whose API has fewer words for it why an answer was cut off or refused.
func LossOfStopReason(s *chat.Stop) []chat.Loss {
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

// LossOfThoughts tells a client that an answer is nothing but thoughts, which it did not ask to read: it
// gets an empty one, as the authors' own services give it, and knows of no other reason.
func LossOfThoughts(req *chat.Request, a *chat.Answer) []chat.Loss {
	talk, err := req.Conversation()
	if err != nil || len(a.Parts) == 0 || talk.Thinking != nil && talk.Thinking.Show != nil && *talk.Thinking.Show {
		return nil
	}
	if slices.ContainsFunc(a.Parts, func(p chat.Part) bool { return p.Kind != chat.Thought && p.Kind != chat.Redacted }) {
		return nil
	}
	return []chat.Loss{chat.Lost(chat.FieldAnswer, chat.Dropped, "it is nothing but thoughts, which were not asked for")}
}
