package limits

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/limit"
)

// How much a page shows.
const (
	mostLimits   = 200
	mostSubjects = 100
	mostPast     = 24
)

type limitsPage struct {
	Form  limitForm
	Open  bool   // the form is shown unfolded
	Told  string // what was just done
	Rows  []limitRow
	Whole bool // these are all
	Sums  bool // the visitor may look whether the sums agree

	Unsettled bool // the visitor may settle generations
}

// limitRow is a limit as the list shows it.
type limitRow struct {
	page.LimitBar

	Everywhere bool // it is about all workspaces
	Locked     bool // only administrators change it
}

func (c *Room) showLimits(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	told := map[string]string{"deleted": "The limit is gone. Servers follow within a second."}[r.URL.Query().Get("done")]
	return c.limitsPage(w, r, v, http.StatusOK, limitsPage{Form: newForm(v), Told: told})
}

func (c *Room) createLimit(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	form := readForm(r.PostForm, v)
	l, err := form.limit(v.Session.Workspace)
	if err == nil {
		if l, err = c.Limits.Create(r.Context(), v.Principal(), l); err == nil {
			return c.Redirect(w, r, "/console/limits/"+l.ID+"?done=made")
		}
	}
	if field, sentence, ok := page.FieldProblem(err); ok {
		form.Problems = map[string]string{field: sentence}
		return c.limitsPage(w, r, v, http.StatusUnprocessableEntity, limitsPage{Form: form, Open: true})
	}
	return err
}

func (c *Room) limitsPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p limitsPage) error {
	list, err := c.Limits.Overview(r.Context(), v.Principal(), v.Session.Workspace, mostLimits)
	if err != nil {
		return err
	}
	names, err := page.KeyNames(r.Context(), c.Access, v)
	if err != nil {
		return err
	}
	for _, st := range list {
		p.Rows = append(p.Rows, limitRow{c.LimitBar(st, names), st.Limit.Workspace == "", st.Limit.Locked})
	}
	p.Unsettled = v.Role.Covers(page.Owner) && c.Has("unsettled")
	p.Whole, p.Sums = len(list) < mostLimits, v.User.Admin && c.Has("money")
	return c.Render(w, r, status, "limits", page.View{Title: "Limits", Active: "limits", Visitor: &v, Data: p})
}

type limitPage struct {
	Limit limit.Limit
	Text  string
	Told  string
	Edit  bool // the visitor may change it
	Form  limitForm
	Bars  []page.LimitBar
	Whole bool         // all subjects are shown
	Of    *page.Moment // the past window that is shown; nil: this one
	Past  []pastRow
	Facts [][2]string
}

// pastRow is a window that has ended.
type pastRow struct {
	page.LimitBar

	Link string // to who took how much in it; "" where there is one subject only
}

func (c *Room) showLimit(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	told := map[string]string{"made": "Made. It counts on every server within a second.", "saved": "Saved. It counts on every server within a second."}
	return c.limitPage(w, r, v, http.StatusOK, limitPage{Told: told[r.URL.Query().Get("done")]})
}

func (c *Room) changeLimit(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	l, _, err := c.Limits.StandingsAt(r.Context(), v.Principal(), r.PathValue("id"), c.Now(), 1)
	if err != nil {
		return err
	}
	form := readForm(r.PostForm, v)
	form.fix(&l)
	next, err := form.limit(l.Workspace)
	if err == nil {
		next.ID = l.ID
		if _, err = c.Limits.Change(r.Context(), v.Principal(), next); err == nil {
			return c.Redirect(w, r, "/console/limits/"+l.ID+"?done=saved")
		}
	}
	if field, sentence, ok := page.FieldProblem(err); ok {
		form.Problems = map[string]string{field: sentence}
		return c.limitPage(w, r, v, http.StatusUnprocessableEntity, limitPage{Form: form})
	}
	return err
}

func (c *Room) deleteLimit(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.Done(w, r, c.Limits.Delete(r.Context(), v.Principal(), r.PathValue("id")), "/console/limits?done=deleted")
}

func (c *Room) limitPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p limitPage) error {
	at := c.Now()
	if until, err := strconv.ParseInt(r.URL.Query().Get("until"), 10, 64); err == nil && until > 0 {
		at = time.UnixMilli(until - 1)
		p.Of = c.At(time.UnixMilli(until))
	}
	l, list, err := c.Limits.StandingsAt(r.Context(), v.Principal(), r.PathValue("id"), at, mostSubjects)
	if err != nil {
		return err
	}
	past, err := c.Limits.Past(r.Context(), &l, mostPast)
	if err != nil {
		return err
	}
	names, err := page.KeyNames(r.Context(), c.Access, v)
	if err != nil {
		return err
	}
	p.Limit, p.Text, p.Facts, p.Whole = l, l.Text(), factsOf(&l), len(list) < mostSubjects
	p.Edit = v.User.Admin || v.Role.Covers(page.Owner) && l.Workspace == v.Session.Workspace && !l.Locked
	if p.Form.Problems == nil {
		p.Form = formOf(&l, v)
	}
	for _, st := range list {
		p.Bars = append(p.Bars, c.LimitBar(st, names))
	}
	for _, st := range past {
		row := pastRow{LimitBar: c.LimitBar(st, names)}
		if st.Subject != "" {
			row.Link = "/console/limits/" + url.PathEscape(l.ID) + "?until=" + strconv.FormatInt(st.End.UnixMilli(), 10)
		}
		p.Past = append(p.Past, row)
	}
	return c.Render(w, r, status, "limit", page.View{Title: l.Name, Active: "limits", Visitor: &v, Data: p})
}
