package bridge

import (
	"errors"
	"strings"
	"unicode/utf8"

	"stele/internal/chat"
	"stele/internal/jsonscan"
	"stele/internal/uid"
)

// thoughtItem is a reasoning item that is open.
type thoughtItem struct {
	id   string
	at   int64
	text strings.Builder
	from int // of the details told so far, those before are not its own
}

// json is the item, with its words and with what its server wants back.
func (i *thoughtItem) json(words, content string) []byte {
	var w jsonscan.Writer
	w.Open(object).Key("id").Text(i.id).Key("type").Plain("reasoning").Key("summary").Open(array)
	if words != "" {
		w.Open(object).Key("type").Plain("summary_text").Key("text").Text(words).Close(object)
	}
	w.Close(array).Key("content").Open(array).Close(array) // Hugging Face's provider for the AI SDK refuses items without it
	if content != "" {
		w.Key("encrypted_content").Text(content)
	}
	return w.Close(object).Bytes()
}

// beginThought opens a reasoning item unless one is open.
func (a *answer) beginThought() error {
	if a.thought != nil {
		return nil
	}
	if err := a.close("completed"); err != nil {
		return err
	}
	a.thought = &thoughtItem{id: uid.New("rs"), at: a.at(), from: len(a.told.list)}
	return a.tellAdded(a.thought.at, a.thought.json("", ""))
}

// think tells words of a thought.
func (a *answer) think(words string) error {
	if words == "" {
		return nil
	}
	if err := a.beginThought(); err != nil {
		return err
	}
	i := a.thought
	if i.text.Len() == 0 {
		err := a.emit("response.reasoning_summary_part.added", func(w *jsonscan.Writer) {
			about(w, i.id, i.at).Key("summary_index").Int(0).Key("part").Open(object).Key("type").Plain("summary_text").Key("text").Text("").Close(object)
		})
		if err != nil {
			return err
		}
	}
	i.text.WriteString(words)
	return a.emit("response.reasoning_summary_text.delta", func(w *jsonscan.Writer) {
		about(w, i.id, i.at).Key("summary_index").Int(0).Key("delta").Text(words)
	})
}

// takeDetails takes over reasoning_details. New ones belong to the open thought, or begin one.
// A call whose arguments are still coming is not broken off for them.
func (a *answer) takeDetails() error {
	if a.call != nil && !a.call.whole {
		return nil
	}
	for _, v := range a.untold {
		if a.told.knows(v) {
			continue
		}
		if err := a.beginThought(); err != nil {
			return err
		}
		a.told.add(v, a.thought.from)
	}
	a.untold = a.untold[:0]
	return nil
}

func (a *answer) endThought(status string) error {
	i := a.thought
	if i == nil {
		return nil
	}
	a.thought = nil
	words := i.text.String()
	if status == "failed" {
		a.items = append(a.items, i.json(words, ""))
		return nil
	}
	if words != "" {
		err := a.emit("response.reasoning_summary_text.done", func(w *jsonscan.Writer) {
			about(w, i.id, i.at).Key("summary_index").Int(0).Key("text").Text(words)
		})
		if err != nil {
			return err
		}
		err = a.emit("response.reasoning_summary_part.done", func(w *jsonscan.Writer) {
			about(w, i.id, i.at).Key("summary_index").Int(0).Key("part").Open(object).Key("type").Plain("summary_text").Key("text").Text(words).Close(object)
		})
		if err != nil {
			return err
		}
	}
	return a.tellDone(i.at, i.json(words, sealedThoughts(a.told.json(i.from), nil)))
}

// messageItem is a message that is open. Its parts are words and refusals by turns.
type messageItem struct {
	id      string
	at      int64
	parts   []byte // those that are whole, as elements of a list
	index   int64  // of the open part
	refusal bool   // the open part is one
	text    strings.Builder
	before  int    // how many characters earlier messages of the answer have
	sources []byte // of the open part, as elements of a list
	count   int64  // of them
	likely  []byte // log-probabilities of the open part, likewise
}

func (i *messageItem) json(status string) []byte {
	var w jsonscan.Writer
	w.Open(object).Key("id").Text(i.id).Key("type").Plain("message").Key("status").Plain(status).Key("role").Plain("assistant")
	return w.Key("content").Open(array).Raw(i.parts).Close(array).Close(object).Bytes()
}

// part is the open part with some words.
func (i *messageItem) part(words string) []byte {
	var w jsonscan.Writer
	if i.refusal {
		return w.Open(object).Key("type").Plain("refusal").Key("refusal").Text(words).Close(object).Bytes()
	}
	w.Open(object).Key("type").Plain("output_text").Key("text").Text(words)
	return w.Key("annotations").Open(array).Raw(i.sources).Close(array).Key("logprobs").Open(array).Raw(i.likely).Close(array).Close(object).Bytes()
}

// say tells words of the answer, or of a refusal. Words may come with how likely each
// was, as the chat route tells it.
func (a *answer) say(words string, refusal bool, likely []byte) error {
	if words == "" {
		return nil
	}
	if err := a.beginWords(refusal); err != nil {
		return err
	}
	i := a.words
	i.text.WriteString(words)
	a.characters += utf8.RuneCountInString(words)
	event := "response.output_text.delta"
	if refusal {
		event = "response.refusal.delta"
	}
	var rated jsonscan.Writer
	if likely != nil {
		writeLikely(&rated, jsonscan.Root(likely).Get("content"))
		i.likely = joinElements(i.likely, rated.Bytes())
	}
	return a.emit(event, func(w *jsonscan.Writer) {
		about(w, i.id, i.at).Key("content_index").Int(i.index).Key("delta").Text(words)
		if !refusal {
			w.Key("logprobs").Open(array).Raw(rated.Bytes()).Close(array)
		}
	})
}

// writeLikely writes how likely tokens were, each with the lists that this API has and the chat
// route may leave out: its bytes, and what else it could have been.
func writeLikely(w *jsonscan.Writer, tokens jsonscan.Value) {
	for _, v := range tokens.Elements() {
		w.Open(object)
		copyMembers(w, v, "token", "logprob")
		w.Key("bytes").Open(array)
		w.WriteInside(v.Get("bytes"))
		w.Close(array).Key("top_logprobs").Open(array)
		writeLikely(w, v.Get("top_logprobs"))
		w.Close(array).Close(object)
	}
}

// beginWords opens a message, or in the open one a part, for words or for a refusal.
func (a *answer) beginWords(refusal bool) error {
	if i := a.words; i != nil {
		if i.refusal == refusal {
			return nil
		}
		err := a.endPart()
		i.index, i.refusal = i.index+1, refusal
		return errors.Join(err, a.beginPart())
	}
	if err := a.close("completed"); err != nil {
		return err
	}
	a.words = &messageItem{id: uid.New("msg"), at: a.at(), refusal: refusal, before: a.characters}
	return errors.Join(a.tellAdded(a.words.at, a.words.json("in_progress")), a.beginPart())
}

func (a *answer) beginPart() error {
	i := a.words
	return a.emit("response.content_part.added", func(w *jsonscan.Writer) {
		about(w, i.id, i.at).Key("content_index").Int(i.index).Key("part").Raw(i.part(""))
	})
}

func (a *answer) endPart() error {
	i := a.words
	words := i.text.String()
	event, member := "response.output_text.done", "text"
	if i.refusal {
		event, member = "response.refusal.done", "refusal"
	}
	err := a.emit(event, func(w *jsonscan.Writer) {
		about(w, i.id, i.at).Key("content_index").Int(i.index).Key(member).Text(words)
		if !i.refusal {
			w.Key("logprobs").Open(array).Raw(i.likely).Close(array)
		}
	})
	if err != nil {
		return err
	}
	part := i.part(words)
	err = a.emit("response.content_part.done", func(w *jsonscan.Writer) {
		about(w, i.id, i.at).Key("content_index").Int(i.index).Key("part").Raw(part)
	})
	i.parts = joinElements(i.parts, part)
	i.text.Reset()
	i.sources, i.count, i.likely = nil, 0, nil
	return err
}

func (a *answer) endWords(status string) error {
	i := a.words
	if i == nil {
		return nil
	}
	if status == "failed" { // clients keep what is told to be done, and ask again
		i.parts = joinElements(i.parts, i.part(i.text.String()))
		a.words, a.items = nil, append(a.items, i.json("incomplete"))
		return nil
	}
	err := a.endPart()
	a.words = nil
	return errors.Join(err, a.tellDone(i.at, i.json(status)))
}

// cite tells sources of the words that are open. The chat route counts characters from
// the beginning of the answer.
func (a *answer) cite(sources []chat.Citation) error {
	i := a.words
	for _, c := range sources {
		if c.URL == "" {
			a.sourceless++
			continue
		}
		everywhere := c.Start == 0 && c.End == 0 // it is of all that is said
		if i == nil || c.End < i.before && !everywhere {
			a.belated++
			continue
		}
		if everywhere {
			c.Start, c.End = i.before, a.characters
		}
		var w jsonscan.Writer
		w.Open(object).Key("type").Plain("url_citation").Key("start_index").Int(int64(max(0, c.Start-i.before))).Key("end_index").Int(int64(c.End - i.before))
		annotation := w.Key("url").Text(c.URL).Key("title").Text(c.Title).Close(object).Bytes()
		i.sources = joinElements(i.sources, annotation)
		err := a.emit("response.output_text.annotation.added", func(w *jsonscan.Writer) {
			about(w, i.id, i.at).Key("content_index").Int(i.index).Key("annotation_index").Int(i.count).Key("annotation").Raw(annotation)
		})
		if err != nil {
			return err
		}
		i.count++
	}
	return nil
}
