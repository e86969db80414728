// Package mail sends mail through the operator's mail server. It must not know what a
// message is about, nor who reads it.
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"stele/internal/webhook"
)

// Options says where mail goes and from whom it is.
type Options struct {
	URL   string         // see readServer
	From  string         // Stele <stele@example.com>
	Roots *x509.CertPool // nil: the system's
	Dial  func(ctx context.Context, network, address string) (net.Conn, error)
}

// Sender sends mail, a connection for each. It is safe for concurrent use.
type Sender struct {
	Options

	server Server
}

// Server is a mail server.
type Server struct {
	Host           string
	Port           int
	User, Password string
	Implicit       bool // TLS from the first byte on
	Plain          bool // no TLS at all
}

const (
	longest  = 15 * time.Second // for all of it
	mostSaid = 64 << 10         // bytes of what the server says, certificates included
)

// readServer reads the address of a mail server: smtps://user:password@host:465 speaks
// TLS from the first byte on, smtp://user:password@host:587 begins it with STARTTLS and
// is refused without, smtp://host:25?tls=off sends in the clear and no password.
func readServer(text string) (s Server, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return s, errors.New("it is no URL") // the parser's own error would print the password
	}
	s.Host, s.Implicit, s.Plain = u.Hostname(), u.Scheme == "smtps", u.Query().Get("tls") == "off"
	s.User = u.User.Username()
	s.Password, _ = u.User.Password()
	s.Port = map[string]int{"smtps": 465, "smtp": 587}[u.Scheme]
	if port := u.Port(); port != "" && s.Port != 0 {
		s.Port, err = strconv.Atoi(port)
	}
	switch {
	case s.Port <= 0 || s.Port > 65535 || err != nil || s.Host == "" || u.Path != "" && u.Path != "/":
		return s, errors.New("it is written as smtps://user:password@host:465 or smtp://user:password@host:587")
	case s.Plain && (s.Implicit || s.User != ""):
		return s, errors.New("tls=off is for smtp:// without a user: a password is not sent in the clear")
	}
	return s, nil
}

// New makes a sender. Nothing is connected until something is sent.
func New(o Options) (*Sender, error) {
	server, err := readServer(o.URL)
	if err != nil {
		return nil, fmt.Errorf("mail.url: %w", err)
	}
	s := &Sender{Options: o, server: server}
	if err := gomail.NewMsg().From(o.From); err != nil {
		return nil, fmt.Errorf("mail.from: %w", err)
	}
	return s, nil
}

// Send sends a text to one mailbox. What the server refuses for good wraps
// webhook.ErrRefused.
func (s *Sender) Send(ctx context.Context, m webhook.Mail) error {
	msg := gomail.NewMsg()
	if err := msg.From(s.From); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := msg.To(m.To); err != nil {
		return fmt.Errorf("%w: %w", webhook.ErrRefused, err)
	}
	msg.Subject(m.Subject)
	msg.SetMessageIDWithValue(m.ID + "@" + s.server.Host) // the same at every attempt
	msg.SetDate()
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	line := &line{Sender: s}
	defer line.close()
	client, err := gomail.NewClient(s.server.Host, line.settings()...)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	err = client.DialAndSendWithContext(ctx, msg)
	if failed, ok := errors.AsType[*gomail.SendError](err); ok && !failed.IsTemp() && failed.ErrorCode() >= 500 {
		return fmt.Errorf("%w: %w", webhook.ErrRefused, err)
	}
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	return nil
}

// line is a connection to the mail server. The library leaves it open where the server
// cannot be spoken to.
type line struct {
	*Sender

	conn net.Conn
}

func (l *line) close() {
	if l.conn != nil {
		_ = l.conn.Close()
	}
}

func (l *line) settings() []gomail.Option {
	server := &l.server
	trust := &tls.Config{ServerName: server.Host, RootCAs: l.Roots, MinVersion: tls.VersionTLS12}
	policy := gomail.TLSMandatory
	switch {
	case server.Plain:
		policy = gomail.NoTLS
	case server.Implicit:
		policy = gomail.TLSOpportunistic // it is there already
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := l.Dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		l.conn = &brief{conn, mostSaid}
		if !server.Implicit {
			return l.conn, nil
		}
		secure := tls.Client(l.conn, trust)
		return secure, secure.HandshakeContext(ctx)
	}
	list := []gomail.Option{
		gomail.WithPort(server.Port), gomail.WithTimeout(longest), gomail.WithTLSConfig(trust), gomail.WithTLSPolicy(policy), gomail.WithDialContextFunc(dial),
	}
	if server.User != "" {
		list = append(list, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(server.User), gomail.WithPassword(server.Password))
	}
	return list
}

// brief is a connection that ends when the server has said too much: the library keeps
// whole answers, of however many lines.
type brief struct {
	net.Conn
	left int
}

func (b *brief) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the mail server said more than %d bytes", mostSaid)
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
