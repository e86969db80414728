package studio

import (
	"context"
	"net/http"
	"net/url"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/replay"
	"stele/internal/uid"
)

// makeGeneration orders what the form asks for, once for each form. A script is
// given the new tile; without one the browser goes to the new page.
func (c *Room) makeGeneration(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	t, err := c.orderOnce(r, v)
	if err != nil {
		if notTheirs(err) {
			return err
		}
		return c.refuseOrder(w, r, v, err)
	}
	if !isScripted(r) {
		return c.Redirect(w, r, "/console/studio/"+t.ID)
	}
	w.Header().Set("X-Form-Token", uid.Secret(16)) // the next order is another one
	return c.Fragment(w, r, http.StatusCreated, "studio", "tile", page.View{Visitor: &v, Data: c.tile(t)})
}

// isScripted tells a form that a script has sent.
func isScripted(r *http.Request) bool { return r.Header.Get("X-Requested-By") == "studio" }

// notTheirs reports whether an error is not one of the person at the form.
func notTheirs(err error) bool {
	return fault.From(err).Code.Status() >= http.StatusInternalServerError
}

// refuseOrder shows the form again with what is wrong beside its field.
func (c *Room) refuseOrder(w http.ResponseWriter, r *http.Request, v access.Visitor, problem error) error {
	status := fault.From(problem).Code.Status()
	if isScripted(r) {
		return page.WriteJSON(w, status, c.judge(r, problem))
	}
	models := c.Catalog.Media(studioPrincipal(v).Scope, "")
	if len(models) == 0 {
		return problem
	}
	model, operation := pickModel(models, r.PostForm.Get("model"), r.PostForm.Get("mode"))
	form := c.newStudioForm(models, model, operation)
	form.Token = r.PostForm.Get("form-token")
	c.refill(r, v, form, r.PostForm)
	form.blame(problem)
	return c.studioPage(w, r, v, status, studioPage{Form: form})
}

// readAsk reads the order in a form.
func (c *Room) readAsk(who access.Principal, sent url.Values) (media.Ask, error) {
	model, err := c.Catalog.OpenMediaModel(sent.Get("model"), who.Scope)
	if err != nil {
		return media.Ask{}, err
	}
	operation := model.Operation(sent.Get("mode"))
	if operation == nil {
		return media.Ask{}, fault.New(fault.ModeNotSupported, "The model %s has no mode %.64q.", model.ID, sent.Get("mode")).Field("mode")
	}
	return readOrder(model.ID, operation, sent)
}

// orderOnce orders what a form asks for. The same form with the same content is
// the same order, however often it comes; with another content it is another one.
func (c *Room) orderOnce(r *http.Request, v access.Visitor) (*generation.Task, error) {
	who := studioPrincipal(v)
	ask, err := c.readAsk(who, r.PostForm)
	if err != nil {
		return nil, err
	}
	token := r.PostForm.Get("form-token")
	if token == "" || len(token) > 64 {
		return c.Generations.Create(r.Context(), who, generation.NewID(), ask)
	}
	printed := replay.Fingerprint(r.PostForm.Encode())
	lock, err := c.Replay.Begin(r.Context(), replay.Request{
		Scope:       replay.Scope{Workspace: who.Workspace, Route: "/console/studio", Key: token + " " + printed[:32]},
		Fingerprint: printed, ID: generation.NewID(),
	})
	if err != nil {
		return nil, err
	}
	defer lock.Leave()
	if lock.Answer != nil {
		return c.Generations.Find(r.Context(), who.Workspace, "", string(lock.Answer.Body))
	}
	find := func(id string) (*generation.Task, error) {
		return c.Generations.Find(context.WithoutCancel(r.Context()), who.Workspace, "", id)
	}
	t, err := replay.DoOnce(lock, find, func(id string) (*generation.Task, error) {
		return c.Generations.Create(r.Context(), who, id, ask)
	})
	if err != nil {
		if !notTheirs(err) {
			_ = lock.Free(r.Context()) // nothing was made: the form may be sent again
		}
		return nil, err
	}
	_ = lock.Finish(r.Context(), replay.Answer{Status: http.StatusCreated, Type: "text/plain", Body: []byte(t.ID)}) // else the next request looks for it
	return t, nil
}

// estimate is what an order would cost, or why it cannot be made yet.
type estimate struct {
	Price   string `json:"price,omitzero"`
	Credits int64  `json:"credits,omitzero"`
	Field   string `json:"field,omitzero"`
	Code    string `json:"code,omitzero"`
	Message string `json:"message,omitzero"`
	Missing bool   `json:"missing,omitzero"` // only something that is not filled in yet
}

// priceGeneration tries an order out: nothing is made, nothing is kept.
func (c *Room) priceGeneration(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	who := studioPrincipal(v)
	ask, err := c.readAsk(who, r.PostForm)
	if err == nil {
		ask.DryRun = true
		var t *generation.Task
		if t, err = c.Generations.Create(r.Context(), who, generation.DryRun, ask); err == nil {
			return page.WriteJSON(w, http.StatusOK, estimate{Price: studioPrice(t.Nano), Credits: t.Credits})
		}
	}
	if notTheirs(err) {
		return err
	}
	return page.WriteJSON(w, http.StatusOK, c.judge(r, err))
}

// judge says what is wrong with an order, for a script.
func (c *Room) judge(r *http.Request, problem error) estimate {
	e := fault.From(problem)
	field, _ := e.Details["field"].(string)
	s := setting{Name: field}
	page.Note(r, e)
	return estimate{Field: field, Code: string(e.Code), Message: problemWords(e, &s), Missing: e.Code == fault.MissingParameter}
}
