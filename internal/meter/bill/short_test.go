package bill

import (
	"runtime"
	"strings"
	"testing"
)

// A short export of very many empty rows or cells takes no more than a few times its size.
func TestShortExportsTakeLittle(t *testing.T) { //nolint:paralleltest // it looks at what all take
	for name, text := range map[string]string{
		"buckets": `{"data":[{}` + strings.Repeat(",{}", 1<<20) + `]}`,
		"results": `{"data":[{"starting_at":"2025-08-01T00:00:00Z","results":[{}` + strings.Repeat(",{}", 900_000) + `]}]}`,
		"pages":   `[{}` + strings.Repeat(",{}", 1<<20) + `]`,
		"cells":   strings.Repeat(",", 4<<20) + "\n",
		"lines":   "amount_value,start_time,line_item\n" + strings.Repeat("\n", 4<<20),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = Read(strings.NewReader(text)) // what comes of it is another test's
		runtime.ReadMemStats(&after)
		if grown := after.HeapSys - min(before.HeapSys, after.HeapSys); grown > 32*uint64(len(text)) {
			t.Errorf("%s: %d MB for %d MB", name, grown>>20, len(text)>>20)
		}
	}
}
