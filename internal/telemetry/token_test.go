package telemetry_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stele/internal/telemetry"
)

// TestMetricsAreShownForTheirToken knocks with it, without it, and with others.
func TestMetricsAreShownForTheirToken(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef"
	m := telemetry.NewMetrics("test")
	for _, c := range []struct {
		token  string
		sent   []string
		status int
	}{
		{"", nil, 200},
		{"", []string{"Bearer x"}, 200},
		{token, nil, 401},
		{token, []string{"Bearer " + token}, 200},
		{token, []string{"bearer  " + token}, 200},
		{token, []string{"Bearer " + token + "0"}, 401},
		{token, []string{"Bearer " + token[1:]}, 401},
		{token, []string{"Bearer "}, 401},
		{token, []string{"Basic " + token}, 401},
		{token, []string{token}, 401},
		{token, []string{"Bearer x", "Bearer " + token}, 401},
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody)
		r.Header["Authorization"] = c.sent
		w := httptest.NewRecorder()
		m.Handler(func() string { return c.token }).ServeHTTP(w, r)
		if w.Code != c.status || (w.Code == 401) != (w.Header().Get("WWW-Authenticate") != "") || strings.Contains(w.Body.String(), "stele_build_info") != (c.status == 200) {
			t.Errorf("%+v: %d %.50s", c, w.Code, w.Body)
		}
	}
}
