package api

import (
	"net/http"
	"strconv"

	"stele/internal/app"
	"stele/internal/fault"
)

const (
	appsPerPage     = 20
	mostAppsPerPage = 100
)

// listApps lists a page of the apps.
func (d *Door) listApps(w http.ResponseWriter, c call) error {
	number := clamped(c.URL.Query().Get("page"), 1, 1, 1<<30)
	limit := clamped(c.URL.Query().Get("limit"), appsPerPage, 1, mostAppsPerPage)
	recipes, more := d.Apps.Page(number, limit)
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
	r, ok := d.Apps.ByID(c.place["app"])
	if !ok {
		return fault.New(fault.AppNotFound, "There is no app with this id.")
	}
	return data(w, c, toWireApp(r))
}

// clamped reads a number that is brought into range rather than refused.
func clamped(text string, standard, least, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return standard
	}
	return max(least, min(n, most))
}

func toWireApp(r app.Recipe) wireApp {
	return wireApp{
		ID: r.ID, Slug: r.ID, Name: r.Name, Description: r.Description, MediaType: r.MediaType,
		InputParameters: toWireParameters(r.Inputs),
	}
}
