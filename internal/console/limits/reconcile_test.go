package limits_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console/consoletest"
	"stele/internal/meter"
)

// compare sends a bill as browsers do.
func compare(h *consoletest.House, provider, text string) *http.Response {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("provider", provider)
	if part, err := w.CreateFormFile("file", "bill.csv"); err == nil {
		_, _ = part.Write([]byte(text))
	}
	_ = w.Close()
	r := httptest.NewRequest(http.MethodPost, h.Base+"/console/money/reconcile", &form)
	return h.Send(r, consoletest.With("Content-Type", w.FormDataContentType()), consoletest.Browser)
}

func TestABillIsComparedAndItsDriftMarked(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithLimits)
	h.Save(h.Use(0, func(r *meter.Record) { r.Provider, r.Target, r.Nano = "main", "gpt-5-mini", 1_500_000_000 }))
	day := h.Clock().UTC().Format(time.DateOnly)
	const head = "start_time_iso,amount_value,amount_currency,line_item\n"
	res := compare(h, "main", head+day+"T00:00:00+00:00,1.25,usd,\"gpt-5-mini-2025-08-07, input\"\n")
	consoletest.WantStatus(t, res, 200)
	consoletest.WantText(t, consoletest.Body(t, res), "OpenAI costs of main: 1 row", "$1.25", "$1.50", "0.25</td>", "20.00%", "differs")

	res = compare(h, "main", "a,b\n1,2\n")
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "This is none of the exports that can be read")
	res = compare(h, "", head)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "Choose a provider.")

	h.Cookie, _ = h.AsKnown("owner@example.com", "default", access.Owner)
	consoletest.WantStatus(t, compare(h, "main", head), 403)
}
