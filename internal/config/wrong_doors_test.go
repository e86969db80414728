package config_test

import "testing"

func TestRefusesWrongDoors(t *testing.T) {
	t.Parallel()
	testWrong(t, map[string]wrong{
		"console address":      {text: "console: {listen: nine}", want: "stele.yaml:1:19: console.listen: expected host:port, such as 127.0.0.1:8081"},
		"console on the same":  {text: "listen: :80\nconsole: {listen: ':80'}", want: "stele.yaml:2:19: console.listen: must differ from listen"},
		"metrics on console's": {text: "console: {listen: ':81'}\nmetrics: {listen: ':81'}", want: "stele.yaml:2:19: metrics.listen: must differ from console.listen"},
		"console URL":          {text: "console: {listen: ':81', public_url: console}", want: "stele.yaml:1:38: console.public_url: must be a whole http:// or https:// URL, without user, query or fragment"},
		"console URL alone":    {text: "console: {public_url: 'https://c.example.com'}", want: "stele.yaml:1:23: console.public_url: needs console.listen as well; without it the console is at public_url"},
		"console for nobody":   {text: "console: {allow: [everybody]}", want: "stele.yaml:1:19: console.allow[0]: expected an address such as 10.1.2.3 or a range such as 10.0.0.0/8"},
		"short token":          {text: "metrics: {token: hunter2}", want: "stele.yaml:1:18: metrics.token: must have at least 16 characters; openssl rand -hex 32 makes one"},
		"two tokens":           {text: "metrics: {token: 0123456789abcdef, token_file: secret}", want: "stele.yaml:1:48: metrics.token_file: metrics.token is set as well; only one of them can count"},
		"hsts":                 {text: "hsts: -1s", want: "stele.yaml:1:7: hsts: must be 0 or more"},
		"no stall":             {text: "limits: {body_stall: 0s}", want: "stele.yaml:1:22: limits.body_stall: must be more than 0"},
		"connections":          {text: "limits: {connections: -1}", want: "stele.yaml:1:23: limits.connections: must be more than 0; leave it out for what suits the machine"},
		"short life":           {text: "files: {url_life: 0s}", want: "stele.yaml:1:19: files.url_life: must be more than 0"},
	})
}
