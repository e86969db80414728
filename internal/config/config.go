// Package config turns the configuration file, the environment and the flags into
// one Config value, or into a list of everything that is wrong with them. Only
// assembly copies from it into each constructor; supply reads what it offers. It does not know
// what a provider or a model does; the kinds of provider are handed to it.
package config

import (
	"net"
	"net/netip"
	"time"

	"stele/internal/manifest"
)

// Config is everything an operator may set. Fields with a yaml tag may stand in
// the file under that name; the others are what Load found out.
type Config struct {
	File    string         // the file that was read; "" if there is none
	ModTime time.Time      // when it was last changed; zero if there is none
	Lines   map[string]int // where File has its providers and models, by "provider " or "model " and the name

	Listen          string        `yaml:"listen"`
	Data            string        `yaml:"data"`
	DatabaseURL     Secret        `yaml:"database_url"` // "": SQLite inside Data
	DatabaseURLFile string        `yaml:"database_url_file"`
	BlobURL         Secret        `yaml:"blob_url"` // "": inside Data
	BlobURLFile     string        `yaml:"blob_url_file"`
	PublicURL       string        `yaml:"public_url"`      // without a slash at the end; "": see Public
	MasterKeyFile   string        `yaml:"master_key_file"` // "": made inside Data
	LogFormat       string        `yaml:"log_format"`      // text, json; "": text on a terminal
	LogLevel        string        `yaml:"log_level"`       // debug, info, warn, error
	Drain           time.Duration `yaml:"drain"`
	TrustedProxies  Networks      `yaml:"trusted_proxies"`

	TLS     TLS           `yaml:"tls"`
	HSTS    time.Duration `yaml:"hsts"` // where PublicURL is https; 0: browsers are not told
	Console Console       `yaml:"console"`
	Metrics Metrics       `yaml:"metrics"`
	Admin   Admin         `yaml:"admin"`
	Auth    Auth          `yaml:"auth"`
	OIDC    OIDC          `yaml:"oidc"`

	Providers Providers    `yaml:"providers"` // in the order of the file
	Detected  []Detected   // what the environment switched on
	Models    Models       `yaml:"models"` // in the order of the file
	Names     []Name       // those of the models section that lead to another
	Prices    TargetPrices `yaml:"prices"`

	MediaModels     []string `yaml:"media_models"`
	MediaModelFiles []string // what MediaModels matched, sorted
	Apps            []string `yaml:"apps"`
	AppFiles        []string // what Apps matched, sorted

	Stream        Stream    `yaml:"stream"`
	Files         Files     `yaml:"files"`
	Limits        Limits    `yaml:"limits"`
	CreditsPerUSD float64   `yaml:"credits_per_usd"`
	Retention     Retention `yaml:"retention"`
	Egress        Egress    `yaml:"egress"`
	Capture       Capture   `yaml:"capture"`
	Audit         Audit     `yaml:"audit"`
	Mail          Mail      `yaml:"mail"`
	Telemetry     Telemetry `yaml:"telemetry"`
}

// TLS names the certificate to serve with. Both are set or neither.
type TLS struct {
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
}

// On reports whether Stele serves TLS itself.
func (t TLS) On() bool { return t.CertFile != "" }

// Console says where and to whom pages are shown.
type Console struct {
	Listen    string   `yaml:"listen"`     // "": where everything else is
	PublicURL string   `yaml:"public_url"` // "": made from Listen
	Allow     Networks `yaml:"allow"`      // none: every address
}

// Metrics says where Prometheus may ask, nowhere if Listen is empty, and what it
// must bring.
type Metrics struct {
	Listen    string `yaml:"listen"`
	Token     Secret `yaml:"token"` // "": nothing
	TokenFile string `yaml:"token_file"`
}

// Files is about what is kept for clients.
type Files struct {
	URLLife time.Duration `yaml:"url_life"` // of a signed address
}

// Admin is the administrator to make at the first start. Both parts are set or
// neither.
type Admin struct {
	Email        string `yaml:"email"`
	PasswordFile string `yaml:"password_file"`
	Password     Secret // what PasswordFile holds
}

// Auth says which credentials are taken.
type Auth struct {
	AcceptGoogHeader bool `yaml:"accept_goog_header"`
	AllowDevelopment bool `yaml:"allow_development"`

	RequireSecondFactor string      `yaml:"require_second_factor"` // none, administrators, everyone; "": none
	SSOOnly             bool        `yaml:"sso_only"`              // the identity provider is the only way into the console
	Session             AuthSession `yaml:"session"`
}

// AuthSession says how long people stay signed in to the console. What is 0 has the
// default of package access.
type AuthSession struct {
	Idle      time.Duration `yaml:"idle"`       // unused for this long it ends; 0: 24h
	Life      time.Duration `yaml:"life"`       // and at this age; 0: 14 days
	PerPerson int           `yaml:"per_person"` // as many at once; 0: 20
}

// Stream is about answers in pieces.
type Stream struct {
	KeepAlive time.Duration `yaml:"keep_alive"`
	// Of chats with an Idempotency-Key:
	Linger time.Duration `yaml:"linger"` // how long one goes on without its client
	Kept   manifest.Size `yaml:"kept"`   // how much of its answer is kept at most
}

// Limits bound what one request may bring, one key may start, and one client may
// take of a listener.
type Limits struct {
	JSONBody              manifest.Size `yaml:"json_body"`
	Image                 manifest.Size `yaml:"image"`
	Video                 manifest.Size `yaml:"video"`
	Audio                 manifest.Size `yaml:"audio"`
	Document              manifest.Size `yaml:"document"`
	UnfinishedGenerations int           `yaml:"unfinished_generations"`
	Attachments           manifest.Size `yaml:"attachments"`           // of one chat request, as they are sent
	Memory                manifest.Size `yaml:"memory"`                // in flight, of all callers; 0: a part of what there is
	MemoryPerWorkspace    manifest.Size `yaml:"memory_per_workspace"`  // 0: enough for the largest request
	MemoryPerKey          manifest.Size `yaml:"memory_per_key"`        // 0: enough for the largest request
	StoragePerWorkspace   manifest.Size `yaml:"storage_per_workspace"` // on disk: files and rows; 0: a part of what is free

	OpenChats int `yaml:"open_chats"` // of one key
	OpenWaits int `yaml:"open_waits"` // of one key

	Connections           int           `yaml:"connections"`             // 0: what the system's open files allow
	ConnectionsPerAddress int           `yaml:"connections_per_address"` // 0: half of them
	IdleConnection        time.Duration `yaml:"idle_connection"`
	HeaderTime            time.Duration `yaml:"header_time"`
	HeaderSize            manifest.Size `yaml:"header_size"`
	Headers               int           `yaml:"headers"`
	BodyStall             time.Duration `yaml:"body_stall"`
	BodyRate              manifest.Size `yaml:"body_rate"` // a second
	WriteStall            time.Duration `yaml:"write_stall"`
}

// Retention is how long things are kept.
type Retention struct {
	Files    time.Duration `yaml:"files"`
	Outputs  time.Duration `yaml:"outputs"`
	Requests time.Duration `yaml:"requests"`
	Usage    time.Duration `yaml:"usage"` // of what each day used
	Audit    time.Duration `yaml:"audit"` // 0: for ever
}

// Audit says where the audit log is sent on to as it is written.
type Audit struct {
	File      string `yaml:"file"` // JSON lines are added to it; "": to none
	URL       string `yaml:"url"`  // JSON lines are posted to it; "": to none
	Token     Secret `yaml:"token"`
	TokenFile string `yaml:"token_file"`
}

// Mail says which server sends mail, none if URL is empty, and from whom it is.
type Mail struct {
	URL     Secret `yaml:"url"` // smtps://user:password@host
	URLFile string `yaml:"url_file"`
	From    string `yaml:"from"`
}

// On reports whether mail is sent.
func (m Mail) On() bool { return m.URL != "" }

// Capture is about keeping what is said in chat, for owners to read.
type Capture struct {
	Bodies bool          `yaml:"bodies"`
	Budget manifest.Size `yaml:"budget"` // of all that is kept; the oldest go first
	Keep   time.Duration `yaml:"keep"`
}

// Egress is about what leaves the machine.
type Egress struct {
	FetchInputs  bool     `yaml:"fetch_inputs"`
	AllowPrivate Networks `yaml:"allow_private"`
	CAFile       string   `yaml:"ca_file"` // certificates to trust besides the system's
}

// Public returns the URL under which clients reach Stele, without a slash at the
// end: PublicURL, or one made from the address it really listens on.
func (c *Config) Public(listening string) string { return c.address(c.PublicURL, listening) }

// ConsolePublic returns the URL under which people reach the console: Public, unless
// it has a listener of its own.
func (c *Config) ConsolePublic(listening, console string) string {
	if c.Console.Listen == "" {
		return c.Public(listening)
	}
	return c.address(c.Console.PublicURL, console)
}

func (c *Config) address(named, listening string) string {
	if named != "" {
		return named
	}
	scheme := "http://"
	if c.TLS.On() {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(listening)
	if err != nil {
		return scheme + listening
	}
	if addr, err := netip.ParseAddr(host); host == "" || err == nil && addr.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + net.JoinHostPort(host, port)
}
