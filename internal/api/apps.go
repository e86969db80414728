package api

import (
	"net/http"
	"strconv"

	"stele/internal/app"
	"stele/internal/generation"
)

const (
	appsPerPage     = 20
	mostAppsPerPage = 100
)

// listApps lists a page of the apps.
func (d *Door) listApps(w http.ResponseWriter, c call) error {
	number := readClamped(c.URL.Query().Get("page"), 1, 1, 1<<30)
	limit := readClamped(c.URL.Query().Get("limit"), appsPerPage, 1, mostAppsPerPage)
	recipes, more := d.Apps.Page(c.who, number, limit)
	list := []wireApp{}
	for _, r := range recipes {
		list = append(list, toWireApp(r))
	}
	return page(w, c, struct {
		Data    []wireApp `json:"data"`
		HasMore bool      `json:"has_more"`
	}{list, more})
}

// showApp describes one app.
func (d *Door) showApp(w http.ResponseWriter, c call) error {
	r, err := d.Apps.Open(c.who, c.params["app"])
	if err != nil {
		return err
	}
	return data(w, c, toWireApp(r))
}

// createRun orders a run of an app.
func (d *Door) createRun(w http.ResponseWriter, c call) error {
	o, err := readOrder(c)
	if err != nil {
		return err
	}
	o.make = func(id string) (*generation.Task, error) {
		return d.Apps.CreateRead(c.Context(), c.who, id, app.Asked{App: c.params["app"], Fields: o.fields, Malformed: o.malformed, Within: o.within})
	}
	return d.create(w, c, o)
}

// readClamped reads a number that is brought into range rather than refused.
func readClamped(text string, standard, least, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return standard
	}
	return max(least, min(n, most))
}

func toWireApp(r app.Recipe) wireApp {
	out := wireApp{
		ID: r.ID, Slug: r.ID, Name: r.Name, Description: r.Description, MediaType: r.MediaType, Version: r.Version,
		InputParameters: toWireParameters(r.Parameters()),
	}
	for i, in := range r.Inputs {
		out.InputParameters[i].Media = in.Media
	}
	return out
}
