package bridge

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/label"
)

// What is not carried is told in one place, whether it is of a request or of an answer: under the
// server's own header, behind the last event of a stream in its trailer, and in the log line. A
// response in the background has no answer that could say so, and says it itself.

// droppedHeader names what was not carried. What shows only at the end of a stream is in
// the trailer of that name, together with the rest.
const droppedHeader = "X-Stele-Dropped"

// mostNotes bounds it: proxies refuse long headers.
const mostNotes = 16

// lose notes something of the answer that this API has no place for.
func (o *request) lose(verb chat.Verb, what string) {
	if l := chat.Lost(chat.FieldAnswer, verb, what); !slices.Contains(o.lost, l) {
		o.lost = append(o.lost, l)
	}
}

// loseAtEnd notes what shows when the answer has ended: what its reader did not know, and why it ended where
// this API has no word for that.
func (a *answer) loseAtEnd(e *chat.Event) {
	if e.Stop.Strange() {
		a.lose(chat.Approximated, "it ended with "+e.Stop.Raw)
	}
	for _, l := range slices.Concat(e.Notes, dialect.LossOfStopReason(&e.Stop)) {
		if l.Note != moderation { // it is told
			a.lose(l.Verb, l.Note)
		}
	}
	if t := a.tier; t != "" && t != "standard" && !slices.Contains(tiers, t) {
		a.lose(chat.Ignored, "service_tier "+label.Clean(t, 64))
	}
	if a.sourceless > 0 {
		a.lose(chat.Dropped, strconv.Itoa(a.sourceless)+" sources that have no address")
	}
	if a.belated > 0 {
		a.lose(chat.Dropped, strconv.Itoa(a.belated)+" sources of words that are told already")
	}
}

// takeDropped takes over what the server says that it dropped: at the end of its stream all of it, once more.
func (o *request) takeDropped(from http.Header) {
	if list := from.Values(droppedHeader); len(list) > 0 {
		o.byServer = list
	}
}

// hearEnd reads what is behind the server's answer: a trailer is there when all before it was read.
func (o *request) hearEnd(answered *http.Response) {
	const most = 1 << 20
	_, _ = io.CopyN(io.Discard, answered.Body, most)
	o.takeDropped(answered.Trailer)
}

// notes are all losses in the server's form: its own, then those of the bridge.
func (o *request) notes() []string {
	list := slices.Clone(o.byServer)
	for _, note := range o.dropped[:min(len(o.dropped), mostNotes)] {
		path, why, _ := strings.Cut(note, ": ")
		list = append(list, entry(path, chat.Dropped, why))
	}
	for _, l := range o.lost[:min(len(o.lost), mostNotes)] {
		list = append(list, entry(l.Field, l.Verb, l.Note))
	}
	return list
}

func entry(path string, verb chat.Verb, why string) string {
	return plainPath.Replace(path) + "; " + string(verb) + "; " + strings.ReplaceAll(url.QueryEscape(why), "+", "%20")
}

// tellDropped says under a name what was not carried.
func (o *request) tellDropped(h http.Header, name string) {
	if list := o.notes(); len(list) > 0 {
		h.Set(name, strings.Join(list, ", "))
	}
}

// inWords is what the bridge itself did not carry, for the log.
func (o *request) inWords() []string {
	list := slices.Clone(o.dropped)
	for _, l := range o.lost {
		list = append(list, l.Field+": "+l.Note)
	}
	return list
}

// plainPath takes out of a path what a reader of the header would split at.
var plainPath = strings.NewReplacer(",", "%2C", ";", "%3B", "%", "%25", "\r", "%0D", "\n", "%0A")
