// Package seen looks at a server as an operator's tools do: what it counts for Prometheus
// and what it tells an OpenTelemetry collector.
package seen

import (
	"os"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
