package page

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"time"
)

// StartCSV begins an answer that a browser saves as a file.
func StartCSV(w http.ResponseWriter, name string) *csv.Writer {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	return csv.NewWriter(w)
}

// Number is a count as programs read it.
func Number(n int64) string { return strconv.FormatInt(n, 10) }

// Seconds is a duration as programs read it.
func Seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
