package config

// Immutable lists the settings that differ between two configurations and that a
// running server cannot take over; it must be started again for them. All others
// it can take while it runs.
func Immutable(old, next *Config) []string {
	var changed []string
	for _, s := range []struct {
		name string
		same bool
	}{
		{"listen", old.Listen == next.Listen},
		{"data", old.Data == next.Data},
		{"database_url", old.DatabaseURL == next.DatabaseURL},
		{"blob_url", old.BlobURL == next.BlobURL},
		{"public_url", old.PublicURL == next.PublicURL},
		{"master_key_file", old.MasterKeyFile == next.MasterKeyFile},
		{"log_format", old.LogFormat == next.LogFormat},
		{"tls", old.TLS == next.TLS},
		{"hsts", old.HSTS == next.HSTS},
		{"console.listen", old.Console.Listen == next.Console.Listen},
		{"console.public_url", old.Console.PublicURL == next.Console.PublicURL},
		{"metrics.listen", old.Metrics.Listen == next.Metrics.Listen},
		{"limits.idle_connection", old.Limits.IdleConnection == next.Limits.IdleConnection},
		{"limits.header_time", old.Limits.HeaderTime == next.Limits.HeaderTime},
		{"limits.header_size", old.Limits.HeaderSize == next.Limits.HeaderSize},
		{"admin", old.Admin == next.Admin},
		{"oidc", old.OIDC.same(next.OIDC)},
		{"egress.ca_file", old.Egress.CAFile == next.Egress.CAFile},
		{"mail", old.Mail == next.Mail},
		{"telemetry", old.Telemetry == next.Telemetry},
		{"capture.bodies", old.Capture.Bodies == next.Capture.Bodies},
	} {
		if !s.same {
			changed = append(changed, s.name)
		}
	}
	return changed
}
