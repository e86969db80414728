package telemetry

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretsStayOutOfTheLog(t *testing.T) {
	t.Parallel()
	const key, hook = "sk_live_0123456789abcdef", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	for _, format := range []string{"json", "text"} {
		var b strings.Builder
		log := NewLog(&b, format, slog.LevelInfo)
		log.LogAttrs(t.Context(), slog.LevelInfo, "request", slog.String("path", "/x/"+key), slog.Any("error", errors.New("bad "+hook)),
			slog.Group("g", slog.Any("list", []string{key})))
		log.LogAttrs(t.Context(), slog.LevelDebug, "hidden")
		got := b.String()
		if strings.Contains(got, "0123456789") || strings.Contains(got, "MfKQ") || strings.Count(got, "••••") != 3 {
			t.Errorf("%s: %s", format, got)
		}
		if strings.Contains(got, "hidden") {
			t.Errorf("%s: debug is shown", format)
		}
	}
}
