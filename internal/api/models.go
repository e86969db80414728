package api

import (
	"net/http"
	"time"

	"stele/internal/dialect"
	anthropicdialect "stele/internal/dialect/anthropic"
	openaidialect "stele/internal/dialect/openai"
)

// listModels lists the chat models that the key opens, in the shape the client speaks.
func (d *Door) listModels(w http.ResponseWriter, c call) error {
	now := time.Now()
	var models []dialect.Model
	for _, m := range d.Catalog.Models(c.who.Scope) {
		facts := d.Catalog.Facts(&m, now)
		models = append(models, dialect.Model{
			ID: m.ID, Name: m.Name, Description: m.Description, Owner: m.Owner, Created: m.Created, Tags: m.Tags,
			Capabilities: facts.Abilities, Facts: facts.Facts, Price: facts.Price,
			Deprecated: facts.End.Known, Retires: facts.End.On, Successor: facts.End.Next,
		})
	}
	family := openAIOrAnthropic.of(c.Request)
	var body []byte
	var err error
	if family.name == anthropic.name {
		body, err = anthropicdialect.Codec{}.EncodeModels(models, c.URL.Query())
	} else {
		body, err = openaidialect.Codec{}.EncodeModels(models)
	}
	if err == nil {
		err = c.holdFor(body)
	}
	if err != nil {
		return err
	}
	family.write(w, c.Request, http.StatusOK, body)
	return nil
}
