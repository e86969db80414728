package api

import (
	"net/http"
	"time"

	"stele/internal/catalog"
	"stele/internal/dialect"
	anthropicdialect "stele/internal/dialect/anthropic"
	geminidialect "stele/internal/dialect/gemini"
	openaidialect "stele/internal/dialect/openai"
)

// listModels lists the chat models that the key opens, in the shape the client speaks; with
// ?id= the one that answers to this id.
func (d *Door) listModels(w http.ResponseWriter, c call) error {
	family := anyOfThree.of(c.Request)
	write := d.writeModels
	if c.URL.Query().Has("id") {
		write = d.writeModel
	}
	body, err := write(family, c)
	if err == nil {
		err = c.holdFor(body)
	}
	if err != nil {
		return err
	}
	family.write(w, c.Request, http.StatusOK, body)
	return nil
}

func (d *Door) writeModels(f family, c call) ([]byte, error) {
	list := modelList{door: d, contents: d.Catalog.Contents(), now: time.Now()}
	for i, m := range list.contents.EachModel(c.who.Scope) {
		list.places, list.models, list.ids = append(list.places, i), append(list.models, m), append(list.ids, m.ID)
	}
	return list.write(f, c)
}

// writeModel writes a list of the model that a chat with this id would get, under this id:
// names lead to models that lists do not have under them. Where there is none the list is empty.
func (d *Door) writeModel(f family, c call) ([]byte, error) {
	id := c.URL.Query().Get("id")
	encode, whole := listing(f)
	var entries [][]byte
	if m, err := d.Relay.Model(c.who, id); err == nil {
		told := d.describe(m, time.Now())
		told.ID = id
		one, err := encode(told)
		if err != nil {
			return nil, err
		}
		entries = append(entries, one)
	}
	if f.name == anthropic.name {
		return anthropicdialect.Codec{}.ListModels(entries, []string{id}[:len(entries)], false), nil
	}
	return whole(entries), nil
}

// listing is how a family writes a model, and how it lists them on one page.
func listing(f family) (encode func(*dialect.Model) ([]byte, error), whole func([][]byte) []byte) {
	switch f.name {
	case anthropic.name: // its pages have their ids too
		return anthropicdialect.Codec{}.EncodeModel, nil
	case gemini.name:
		return geminidialect.Codec{}.EncodeModel, geminidialect.Codec{}.ListModels
	}
	return openaidialect.Codec{}.EncodeModel, openaidialect.Codec{}.ListModels
}

// modelList is the chat models that a caller may see, by their places in the contents.
type modelList struct {
	door     *Door
	contents *catalog.Contents
	now      time.Time
	places   []int
	models   []*catalog.Model
	ids      []string
}

// write writes the list, or the page of it that is asked for.
func (l *modelList) write(f family, c call) ([]byte, error) {
	if f.name != anthropic.name {
		encode, whole := listing(f)
		entries, err := l.entries(f.name, anthropicdialect.Page{To: len(l.ids)}, encode)
		return whole(entries), err
	}
	codec := anthropicdialect.Codec{}
	page, err := codec.PageModels(l.ids, c.URL.Query())
	if err != nil {
		return nil, err
	}
	entries, err := l.entries(f.name, page, codec.EncodeModel)
	return codec.ListModels(entries, l.ids[page.From:page.To], page.More), err
}

// entries are the models of a page, written as encode does it.
func (l *modelList) entries(shape string, page anthropicdialect.Page, encode func(*dialect.Model) ([]byte, error)) ([][]byte, error) {
	edition, list := l.door.written.edition(l.contents, l.now), make([][]byte, 0, page.To-page.From)
	for i := page.From; i < page.To; i++ {
		m, at := l.models[i], entry{shape: shape, place: l.places[i]}
		if m != &l.contents.Models[l.places[i]] {
			at.narrowed = providers(m)
		}
		one, err := edition.entry(at, func() ([]byte, error) { return encode(l.door.describe(m, l.now)) })
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// describe is what lists say of a model.
func (d *Door) describe(m *catalog.Model, now time.Time) *dialect.Model {
	facts := d.Catalog.Traits(m, now)
	return &dialect.Model{
		ID: m.ID, Name: m.Name, Description: m.Description, Owner: m.Owner, Created: m.Created, Tags: m.Tags,
		Capabilities: facts.Abilities, Traits: facts.Traits, Price: facts.Price,
		Deprecated: facts.End.Known, Retires: facts.End.On, Successor: facts.End.Next,
	}
}

// providers names those of a model's targets.
func providers(m *catalog.Model) string {
	var text []byte
	for _, t := range m.Targets {
		text = append(append(text, t.Provider...), ' ')
	}
	return string(text)
}
