package console

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
)

const (
	auditBite = 500    // entries that are read at once
	auditMost = 50_000 // entries of one download
)

// downloadAudit writes what the filters let through, a bite at a time.
func (c *Console) downloadAudit(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	_, filter, err := readAuditForm(r.URL.Query())
	if err != nil {
		return err
	}
	filter.Limit = auditBite
	entries, err := c.access.Audit(r.Context(), v.Principal(), filter)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="audit-`+v.Session.Workspace+`.csv"`)
	out := csv.NewWriter(w)
	_ = out.Write([]string{"time", "who", "actor", "action", "target", "detail", "id", "changes", "seq", "hash"})
	for written := 0; len(entries) > 0; {
		for _, e := range entries {
			_ = out.Write([]string{
				e.At.UTC().Format(time.RFC3339), harmless(whoDid(e)), harmless(e.Actor), harmless(e.Action), harmless(e.Target), harmless(e.Detail), e.ID,
				harmless(ChangeWords(e.Changes)), strconv.FormatInt(e.Seq, 10), e.Hash,
			})
		}
		out.Flush()
		last := entries[len(entries)-1]
		filter.Before = access.Mark{At: last.At, ID: last.ID}
		if written += len(entries); len(entries) < auditBite || written >= auditMost || out.Error() != nil {
			return nil //nolint:nilerr // a client that is gone needs no answer
		}
		if entries, err = c.access.Audit(r.Context(), v.Principal(), filter); err != nil {
			panic(http.ErrAbortHandler) // the answer has begun: it must not look whole
		}
	}
	out.Flush()
	return nil
}

// harmless keeps a spreadsheet from taking a name for a formula.
func harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
