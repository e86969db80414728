package config

import (
	"time"

	"stele/internal/manifest"
)

// Default is the configuration of a start without file, environment or flags.
func Default() *Config {
	const month = 30 * 24 * time.Hour
	return &Config{
		Listen:   "127.0.0.1:8080",
		Data:     "stele-data",
		LogLevel: "info",
		Drain:    30 * time.Second,
		Auth:     Auth{AllowDevelopment: true},
		HSTS:     365 * 24 * time.Hour,
		Stream:   Stream{KeepAlive: 15 * time.Second, Linger: time.Minute, Kept: 8 * manifest.MB},
		Files:    Files{URLLife: 7 * 24 * time.Hour},
		Limits: Limits{
			JSONBody:              32 * manifest.MB,
			Image:                 30 * manifest.MB,
			Video:                 100 * manifest.MB,
			Audio:                 50 * manifest.MB,
			Document:              32 * manifest.MB,
			UnfinishedGenerations: 1000,
			Attachments:           72 * manifest.MB,
			OpenChats:             1000,
			OpenWaits:             1000,
			IdleConnection:        2 * time.Minute,
			HeaderTime:            10 * time.Second,
			HeaderSize:            32 * manifest.KB,
			Headers:               256,
			BodyStall:             30 * time.Second,
			BodyRate:              64,
			WriteStall:            40 * time.Second,
		},
		CreditsPerUSD: 100,
		Retention:     Retention{Files: month, Outputs: month, Requests: month, Usage: 400 * 24 * time.Hour},
		Egress:        Egress{FetchInputs: true},
		Capture:       Capture{Budget: 64 * manifest.MB, Keep: 24 * time.Hour},
		Telemetry:     Telemetry{OTLP: OTLP{Sample: 0.05, Every: time.Minute}},
	}
}

// DefaultModel is a model of which nothing is said but its id.
func DefaultModel(id string) Model {
	return Model{
		ID:       id,
		Strategy: Fallback,
		Retries:  2,
		Timeouts: Timeouts{FirstByte: 120 * time.Second, Gap: 120 * time.Second, Total: 30 * time.Minute},
	}
}
