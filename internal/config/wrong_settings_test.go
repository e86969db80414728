package config_test

import "testing"

func TestRefusesWrongSettings(t *testing.T) {
	t.Parallel()
	testWrong(t, map[string]wrong{
		"not YAML":             {text: "listen: [", want: `stele.yaml:1:9: not valid YAML: sequence end token ']' not found`},
		"unknown field":        {text: "listn: :80", want: `stele.yaml:1:1: unknown field "listn"; did you mean "listen"?`},
		"config in the file":   {text: "config: x.yaml", want: `stele.yaml:1:1: unknown field "config"`},
		"log is no section":    {text: "log: {format: json}", want: `stele.yaml:1:1: unknown field "log"`},
		"set twice":            {text: "data: a\ndata: b", want: "stele.yaml:2:1: data: set twice, first on line 1"},
		"unset variable":       {text: "public_url: ${WHERE}", want: "stele.yaml:1:13: public_url: the environment variable WHERE is not set"},
		"empty variable":       {text: "data: ${WHERE}", env: map[string]string{"WHERE": ""}, want: "stele.yaml:1:7: data: the environment variable WHERE is not set"},
		"listen without port":  {text: "listen: 127.0.0.1", want: "stele.yaml:1:9: listen: expected host:port, such as 127.0.0.1:8080 or :8080"},
		"listen is a URL":      {text: "listen: http://127.0.0.1:80", want: "stele.yaml:1:9: listen: expected host:port, such as 127.0.0.1:8080 or :8080"},
		"port too large":       {text: "listen: :65536", want: "stele.yaml:1:9: listen: expected host:port, such as 127.0.0.1:8080 or :8080"},
		"metrics address":      {text: "metrics: {listen: nine}", want: "stele.yaml:1:19: metrics.listen: expected host:port, such as 127.0.0.1:9090"},
		"metrics on the same":  {text: "listen: :80\nmetrics: {listen: ':80'}", want: "stele.yaml:2:19: metrics.listen: must differ from listen"},
		"public URL relative":  {text: "public_url: stele.example.com", want: "stele.yaml:1:13: public_url: must be a whole http:// or https:// URL, without user, query or fragment"},
		"public URL scheme":    {text: "public_url: ftp://a", want: "stele.yaml:1:13: public_url: must be a whole http:// or https:// URL, without user, query or fragment"},
		"public URL query":     {text: "public_url: https://a/?b=c", want: "stele.yaml:1:13: public_url: must be a whole http:// or https:// URL, without user, query or fragment"},
		"empty data":           {text: "data: ''", want: "stele.yaml:1:7: data: must not be empty"},
		"database":             {text: "database_url: mysql://u:hunter2@h/d", want: "stele.yaml:1:15: database_url: must begin with postgres://; leave it out for SQLite in the data folder"},
		"database, odd":        {text: "database_url: 'postgres://u:hunter2@h:x/%zz'", want: "stele.yaml:1:15: database_url: must begin with postgres://; leave it out for SQLite in the data folder"},
		"database file":        {text: "database_url_file: secret", want: "stele.yaml:1:20: database_url_file: must begin with postgres://; leave it out for SQLite in the data folder"},
		"database twice":       {text: "database_url: postgres://h/d\ndatabase_url_file: dsn", want: "stele.yaml:2:20: database_url_file: database_url is set as well; only one of them can count"},
		"database file gone":   {text: "database_url_file: gone", want: "stele.yaml:1:20: database_url_file: cannot read gone: no such file or directory"},
		"blob":                 {text: "blob_url: bucket", want: "stele.yaml:1:11: blob_url: must be a URL such as s3://bucket?endpoint=…; leave it out for the data folder"},
		"master key gone":      {text: "master_key_file: gone", want: "stele.yaml:1:18: master_key_file: cannot read gone: no such file or directory"},
		"master key, folder":   {text: "master_key_file: media", want: "stele.yaml:1:18: master_key_file: cannot read media: it is a folder"},
		"log format":           {text: "log_format: jsn", want: `stele.yaml:1:13: log_format: "jsn" is none of text, json; did you mean "json"?`},
		"log level":            {text: "log_level: loud", want: `stele.yaml:1:12: log_level: "loud" is none of debug, info, warn, error`},
		"certificate alone":    {text: "tls: {cert_file: secret}", want: "stele.yaml:1:18: tls.cert_file: needs tls.key_file as well"},
		"key alone":            {text: "tls: {key_file: secret}", want: "stele.yaml:1:17: tls.key_file: needs tls.cert_file as well"},
		"certificate gone":     {text: "tls:\n  cert_file: gone\n  key_file: secret", want: "stele.yaml:2:14: tls.cert_file: cannot read gone: no such file or directory"},
		"proxies":              {text: "trusted_proxies: [10.0.0.1, 10.0.0.1/8, all, 7]", want: "stele.yaml:1:29: trusted_proxies[1]: the address has bits beyond its range; write 10.0.0.0/8\nstele.yaml:1:41: trusted_proxies[2]: expected an address such as 10.1.2.3 or a range such as 10.0.0.0/8\nstele.yaml:1:46: trusted_proxies[3]: expected text, found a whole number; put it in quotes"},
		"private":              {text: "egress: {allow_private: 10.0.0.0/8}", want: "stele.yaml:1:25: egress.allow_private: expected a list, found text"},
		"authority gone":       {text: "egress: {ca_file: gone}", want: "stele.yaml:1:19: egress.ca_file: cannot read gone: no such file or directory"},
		"admin without word":   {text: "admin: {email: a@example.com}", want: "stele.yaml:1:16: admin.email: needs admin.password_file (STELE_ADMIN_PASSWORD_FILE) as well"},
		"admin without name":   {text: "admin: {password_file: secret}", want: "stele.yaml:1:24: admin.password_file: needs admin.email (STELE_ADMIN_EMAIL) as well"},
		"admin's address":      {text: "admin:\n  email: me\n  password_file: empty", want: "stele.yaml:2:10: admin.email: expected an e-mail address\nstele.yaml:3:18: admin.password_file: cannot read empty: it is empty"},
		"password in the file": {text: "admin: {password: x}", want: `stele.yaml:1:9: unknown field "password" in admin`},
		"oidc alone":           {text: "oidc: {client_id: x, scopes: [a]}", want: "stele.yaml:1:19: oidc.client_id: needs oidc.issuer as well\nstele.yaml:1:22: oidc.scopes: needs oidc.issuer as well"},
		"oidc in the clear":    {text: "oidc: {issuer: 'http://id.example.com', client_id: x}", want: "stele.yaml:1:16: oidc.issuer: must begin with https://; whoever is between could become anybody"},
		"oidc without client":  {text: "oidc: {issuer: 'https://id.example.com'}", want: "stele.yaml:1:16: oidc.issuer: needs oidc.client_id as well"},
		"oidc role":            {text: "oidc:\n  issuer: https://id.example.com\n  client_id: x\n  default_role: administrator", want: `stele.yaml:4:17: oidc.default_role: "administrator" is none of viewer, member, owner`},
		"oidc domains":         {text: "oidc:\n  issuer: https://id.example.com\n  client_id: x\n  allowed_domains: ['@example.com', example.org]", want: "stele.yaml:4:21: oidc.allowed_domains[0]: expected what stands after the @ of an address, such as example.com"},
		"oidc secret twice":    {text: "oidc:\n  issuer: https://id.example.com\n  client_id: x\n  client_secret: a\n  client_secret_file: secret", want: "stele.yaml:5:23: oidc.client_secret_file: oidc.client_secret is set as well; only one of them can count"},
		"drain":                {text: "drain: -1s", want: "stele.yaml:1:8: drain: must be more than 0"},
		"keep alive":           {text: "stream: {keep_alive: 15}", want: "stele.yaml:1:22: stream.keep_alive: expected a duration such as 30s or 720h"},
		"limits":               {text: "limits: {json_body: 0, image: 3 apples, unfinished_generations: -1}", want: "stele.yaml:1:21: limits.json_body: must be more than 0\nstele.yaml:1:31: limits.image: expected a size such as 32MB, 1GB or 65536\nstele.yaml:1:65: limits.unfinished_generations: must be more than 0"},
		"credits":              {text: "credits_per_usd: 0", want: "stele.yaml:1:18: credits_per_usd: must be more than 0"},
		"retention":            {text: "retention: {files: 0s, outputs: 30d}", want: "stele.yaml:1:20: retention.files: must be more than 0\nstele.yaml:1:33: retention.outputs: expected a duration such as 30s or 720h"},
		"media gone":           {text: "media_models: [./media/a.yaml, ./media/none.yaml]", want: "stele.yaml:1:32: media_models[1]: cannot read media/none.yaml: no such file or directory"},
		"media, folder":        {text: "media_models: [media]", want: "stele.yaml:1:16: media_models[0]: media is a folder; write media/*.yaml"},
		"apps, pattern":        {text: "apps: ['a[', 'x/**/y.yaml', '']", want: "stele.yaml:1:8: apps[0]: not a valid pattern\nstele.yaml:1:14: apps[1]: ** is not supported; name each folder\nstele.yaml:1:29: apps[2]: must not be empty"},
		"auth":                 {text: "auth: {allow_development: on}", want: "stele.yaml:1:27: auth.allow_development: expected true or false, found text"},
	})
}

func TestRefusesWrongVariablesAndFlags(t *testing.T) {
	t.Parallel()
	testWrong(t, map[string]wrong{
		"listen":        {env: map[string]string{"STELE_LISTEN": "here"}, want: "STELE_LISTEN: expected host:port, such as 127.0.0.1:8080 or :8080"},
		"format":        {env: map[string]string{"STELE_LOG_FORMAT": "xml"}, want: `STELE_LOG_FORMAT: "xml" is none of text, json`},
		"database":      {env: map[string]string{"STELE_DATABASE_URL": "redis://:hunter2@h"}, want: "STELE_DATABASE_URL: must begin with postgres://; leave it out for SQLite in the data folder"},
		"database file": {env: map[string]string{"STELE_DATABASE_URL_FILE": "/nowhere/dsn"}, want: "STELE_DATABASE_URL_FILE: cannot read /nowhere/dsn: no such file or directory"},
		"both":          {env: map[string]string{"STELE_BLOB_URL": "s3://b", "STELE_BLOB_URL_FILE": "/x"}, want: "STELE_BLOB_URL_FILE: blob_url is set as well; only one of them can count"},
		"admin":         {env: map[string]string{"STELE_ADMIN_EMAIL": "a@example.com"}, want: "STELE_ADMIN_EMAIL: needs admin.password_file (STELE_ADMIN_PASSWORD_FILE) as well"},
		"address":       {env: map[string]string{"OLLAMA_HOST": "ftp://h"}, want: "OLLAMA_HOST: must be a whole http:// or https:// URL, without user, query or fragment"},
		"port":          {env: map[string]string{"OLLAMA_HOST": "h:99999"}, want: "OLLAMA_HOST: must be a whole http:// or https:// URL, without user, query or fragment"},
		"file and environment": {
			text: "listen: x\nlog_format: y\ndrain: 0s\n",
			env:  map[string]string{"STELE_LISTEN": "here"},
			want: `STELE_LISTEN: expected host:port, such as 127.0.0.1:8080 or :8080
			stele.yaml:2:13: log_format: "y" is none of text, json
			stele.yaml:3:8: drain: must be more than 0`,
		},
	})
}
