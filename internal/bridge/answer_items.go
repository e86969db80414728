package bridge

import (
	"strings"

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
	w.Close(array).Key("encrypted_content")
	if content == "" {
		w.Null()
	} else {
		w.Text(content)
	}
	return w.Close(object).Bytes()
}

// thoughtBegin opens a reasoning item unless one is open.
func (a *answer) thoughtBegin() error {
	if a.thought != nil {
		return nil
	}
	if err := a.close("completed"); err != nil {
		return err
	}
	a.thought = &thoughtItem{id: uid.New("rs"), at: a.at(), from: len(a.told.list)}
	return a.added(a.thought.at, a.thought.json("", ""))
}

// think tells words of a thought.
func (a *answer) think(words string) error {
	if words == "" {
		return nil
	}
	if err := a.thoughtBegin(); err != nil {
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

// detail takes over reasoning_details. New ones belong to the open thought, or begin one.
func (a *answer) detail(list jsonscan.Value) error {
	for _, v := range list.Elements() {
		if a.told.knows(v) {
			continue
		}
		if err := a.thoughtBegin(); err != nil {
			return err
		}
		a.told.add(v, a.thought.from)
	}
	return nil
}

func (a *answer) thoughtEnd() error {
	i := a.thought
	if i == nil {
		return nil
	}
	a.thought = nil
	words := i.text.String()
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
	return a.done(i.at, i.json(words, sealedThoughts(a.told.json(i.from), nil)))
}

// messageItem is a message that is open. Its parts are words and refusals by turns.
type messageItem struct {
	id      string
	at      int64
	parts   []byte // those that are whole, as elements of a list
	index   int64  // of the open part
	refusal bool   // the open part is one
	text    strings.Builder
	sources []byte // of the open part, as elements of a list
	count   int64  // of them
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
	return w.Key("annotations").Open(array).Raw(i.sources).Close(array).Key("logprobs").Open(array).Close(array).Close(object).Bytes()
}

// say tells words of the answer, or of a refusal.
func (a *answer) say(words string, refusal bool) error {
	if words == "" {
		return nil
	}
	if i := a.words; i != nil && i.refusal != refusal {
		if err := a.partEnd(); err != nil {
			return err
		}
		i.index, i.refusal = i.index+1, refusal
		if err := a.partBegin(); err != nil {
			return err
		}
	}
	if a.words == nil {
		if err := a.close("completed"); err != nil {
			return err
		}
		a.words = &messageItem{id: uid.New("msg"), at: a.at(), refusal: refusal}
		if err := a.added(a.words.at, a.words.json("in_progress")); err != nil {
			return err
		}
		if err := a.partBegin(); err != nil {
			return err
		}
	}
	i := a.words
	i.text.WriteString(words)
	event := "response.output_text.delta"
	if refusal {
		event = "response.refusal.delta"
	}
	return a.emit(event, func(w *jsonscan.Writer) {
		about(w, i.id, i.at).Key("content_index").Int(i.index).Key("delta").Text(words)
		if !refusal {
			w.Key("logprobs").Open(array).Close(array)
		}
	})
}

func (a *answer) partBegin() error {
	i := a.words
	return a.emit("response.content_part.added", func(w *jsonscan.Writer) {
		about(w, i.id, i.at).Key("content_index").Int(i.index).Key("part").Raw(i.part(""))
	})
}

func (a *answer) partEnd() error {
	i := a.words
	words := i.text.String()
	event, member := "response.output_text.done", "text"
	if i.refusal {
		event, member = "response.refusal.done", "refusal"
	}
	err := a.emit(event, func(w *jsonscan.Writer) {
		about(w, i.id, i.at).Key("content_index").Int(i.index).Key(member).Text(words)
		if !i.refusal {
			w.Key("logprobs").Open(array).Close(array)
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
	i.sources, i.count = nil, 0
	return err
}

func (a *answer) wordsEnd(status string) error {
	i := a.words
	if i == nil {
		return nil
	}
	err := a.partEnd()
	a.words = nil
	if err != nil {
		return err
	}
	if status != "completed" {
		status = "incomplete"
	}
	return a.done(i.at, i.json(status))
}

// cite tells sources of the words that are open.
func (a *answer) cite(list jsonscan.Value) error {
	i := a.words
	for _, v := range list.Elements() {
		source := v.Get("url_citation")
		if i == nil || source.Kind() != object {
			continue
		}
		var w jsonscan.Writer
		w.Open(object).Key("type").Plain("url_citation")
		copyMembers(&w, source, "start_index", "end_index", "url", "title")
		annotation := w.Close(object).Bytes()
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
