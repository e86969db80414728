package audit

import (
	"net/http"
	"strconv"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
)

const (
	auditBite = 500    // entries that are read at once
	auditMost = 50_000 // entries of one download
)

// downloadAudit writes what the filters let through, a bite at a time.
func (c *Room) downloadAudit(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	_, filter, err := readAuditForm(r.URL.Query())
	if err != nil {
		return err
	}
	filter.Limit = auditBite
	entries, err := c.Access.Audit(r.Context(), v.Principal(), filter)
	if err != nil {
		return err
	}
	out := page.StartCSV(w, "audit-"+v.Session.Workspace)
	_ = out.Write([]string{"time", "who", "actor", "action", "target", "detail", "id", "changes", "seq", "hash"})
	for written := 0; len(entries) > 0; {
		for _, e := range entries {
			_ = out.Write([]string{
				e.At.UTC().Format(time.RFC3339), page.Cell(whoDid(e)), page.Cell(e.Actor), page.Cell(e.Action), page.Cell(e.Target), page.Cell(e.Detail), e.ID,
				page.Cell(ChangeWords(e.Changes)), strconv.FormatInt(e.Seq, 10), e.Hash,
			})
		}
		out.Flush()
		last := entries[len(entries)-1]
		filter.Before = access.Mark{At: last.At, ID: last.ID}
		if written += len(entries); len(entries) < auditBite || written >= auditMost || out.Error() != nil {
			return nil //nolint:nilerr // a client that is gone needs no answer
		}
		if entries, err = c.Access.Audit(r.Context(), v.Principal(), filter); err != nil {
			panic(http.ErrAbortHandler) // the answer has begun: it must not look whole
		}
	}
	out.Flush()
	return nil
}
