package page

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"stele/internal/access"
	"stele/internal/chat"
	"stele/internal/media"
	"stele/internal/meter"
	"stele/internal/price"
)

// RequestRow is a request as the table shows it.
type RequestRow struct {
	ID, Request   string
	At            *Moment
	Clock         string
	Status        int
	Tone          string // of the badge
	Code          string
	Model         string
	Served        string // provider/target
	Key, KeyID    string
	Input, Output string
	Tokens        bool
	Cost          string
	Took, First   string
	Stream        bool
	Tries         int
	Dropped       int
	Kind          string // of what is no chat
}

// RequestRow is a record as tables show it; names are those of keys.
func (f *Frame) RequestRow(r *meter.Record, names map[string]string) RequestRow {
	row := RequestRow{
		ID: r.ID, Request: r.Request, At: f.At(r.At), Clock: r.At.UTC().Format("2 Jan, 15:04:05"), Status: r.Status, Tone: statusTone(r.Status),
		Code: r.Code, Model: r.Model, Served: serverOf(r), Key: KeyName(r.Key, names), KeyID: r.Key,
		Input: FormatShort(r.Input + r.CacheRead + r.CacheWrite), Output: FormatShort(r.Output + r.Reasoning), Took: FormatDuration(r.Took),
		Stream: r.Stream, Tries: r.Tries, Dropped: len(ReadLosses(r.Dropped)), Kind: kindOf(r),
	}
	row.Tokens = r.Input+r.CacheRead+r.CacheWrite+r.Output+r.Reasoning > 0
	if r.Priced {
		row.Cost = price.Amount(r.Nano).Rounded()
	}
	if r.FirstByte > 0 {
		row.First = FormatDuration(r.FirstByte)
	}
	return row
}

// serverOf is who answered, as provider/target.
func serverOf(r *meter.Record) string {
	if r.Provider == "" || r.Target == "" {
		return r.Provider
	}
	return r.Provider + "/" + r.Target
}

// kindOf is what a record is of that is no chat; "" for chat.
func kindOf(r *meter.Record) string {
	return map[string]string{"generations": "generation", "apps": "app"}[r.Route]
}

func statusTone(status int) string {
	switch {
	case status >= 500:
		return "bad"
	case status >= 400:
		return "warn"
	}
	return "good"
}

// ChangedField is what a translation did to a field.
type ChangedField struct{ What, Verb, Tone, Note string }

// ReadLosses reads X-Stele-Dropped as a record keeps it.
func ReadLosses(dropped string) []ChangedField {
	var list []ChangedField
	for entry := range strings.SplitSeq(dropped, ", ") {
		parts := strings.SplitN(entry, "; ", 3)
		if len(parts) < 2 {
			continue
		}
		l := ChangedField{What: unescape(parts[0]), Verb: parts[1], Tone: LossTone(chat.Verb(parts[1]))}
		if l.Verb == "truncated" {
			l.What = "and more"
		}
		if len(parts) == 3 {
			l.Note = unescape(parts[2])
		}
		list = append(list, l)
	}
	return list
}

// LossTone is the tone of a badge for what was done to a field: how much it matters.
func LossTone(done chat.Verb) string {
	return map[chat.Verb]string{chat.Dropped: "bad", chat.Approximated: "warn", chat.Added: "warn"}[done]
}

func unescape(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// MadeAt is where a generation is shown, or the run of an app, if there is such a room.
func (f *Frame) MadeAt(id, app string) string {
	switch {
	case app != "" && f.Has("apps"):
		return "/console/apps/" + url.PathEscape(app) + "/runs/" + url.PathEscape(id)
	case app == "" && f.Has("studio"):
		return "/console/studio/" + url.PathEscape(id)
	}
	return ""
}

// KeyNames are the names of the workspace's keys, ended ones too, by their ids.
func KeyNames(ctx context.Context, from *access.Service, v access.Visitor) (map[string]string, error) {
	return from.KeyNames(ctx, v.Principal(), v.Session.Workspace)
}

// KeyName is what a key is called; what was asked for without one came from the console.
func KeyName(id string, names map[string]string) string {
	if id == "" {
		return "Console"
	}
	return cmp.Or(names[id], id)
}

// StateTone is the tone of a badge for the state of a generation.
func StateTone(s media.State) string {
	return cmp.Or(map[media.State]string{media.Success: "good", media.Failed: "bad", media.Canceled: "warn"}[s], "cool")
}
