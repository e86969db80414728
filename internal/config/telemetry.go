package config

import (
	"strings"
	"time"

	"stele/internal/manifest"
)

// Telemetry says where traces and metrics are sent.
type Telemetry struct {
	OTLP OTLP `yaml:"otlp"`
}

// OTLP is a collector of OpenTelemetry, over HTTP; none if Endpoint is empty.
type OTLP struct {
	Endpoint    string        `yaml:"endpoint"` // without /v1/traces
	Headers     Secret        `yaml:"headers"`  // name=value,name=value
	HeadersFile string        `yaml:"headers_file"`
	Sample      float64       `yaml:"sample"`  // the part of traces that begin here and are recorded
	Every       time.Duration `yaml:"every"`   // how often metrics are sent
	Content     bool          `yaml:"content"` // spans carry what capture keeps
}

// On reports whether anything is sent.
func (o OTLP) On() bool { return o.Endpoint != "" }

func (c *checker) checkTelemetry() {
	o, at := &c.cfg.Telemetry.OTLP, func(name string) manifest.Path { return manifest.At("telemetry", "otlp", name) }
	o.Endpoint = strings.TrimRight(o.Endpoint, "/")
	headers := pick(at("headers"), at("headers_file"), o.HeadersFile)
	switch {
	case o.Endpoint != "" && !isBaseURL(o.Endpoint):
		c.report(at("endpoint"), badURL)
	case strings.HasSuffix(o.Endpoint, "/v1/traces"), strings.HasSuffix(o.Endpoint, "/v1/metrics"):
		c.report(at("endpoint"), "is where /v1/traces and /v1/metrics are added: leave them out")
	}
	if o.Headers != "" && o.Endpoint == "" {
		c.report(headers, "needs telemetry.otlp.endpoint as well")
	}
	for pair := range strings.SplitSeq(o.Headers.Reveal(), ",") {
		if name, _, ok := strings.Cut(pair, "="); o.Headers != "" && (!ok || strings.TrimSpace(name) == "") {
			c.report(headers, "expected name=value,name=value")
			break
		}
	}
	if o.Sample < 0 || o.Sample > 1 {
		c.report(at("sample"), "must be from 0 to 1")
	}
	if o.Every < time.Second {
		c.report(at("every"), "must be 1s or more")
	}
	if o.Content && !c.cfg.Capture.Bodies {
		c.report(at("content"), "needs capture.bodies as well: what may not be kept is not sent either")
	}
}
