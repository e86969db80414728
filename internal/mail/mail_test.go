package mail_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"

	"stele/internal/guard"
	"stele/internal/mail"
	"stele/internal/webhook"
)

// postOffice is a mail server that keeps what it is given.
type postOffice struct {
	t        *testing.T
	listener net.Listener
	cert     tls.Certificate
	roots    *x509.CertPool
	implicit bool
	startTLS bool
	refuse   string // what it says to recipients; "" for welcome

	mu      sync.Mutex // guards all below
	letters []string
	auth    []string
	secure  bool // the last letter came over TLS
}

func openPost(t *testing.T, setup func(*postOffice)) *postOffice {
	t.Helper()
	maker := httptest.NewTLSServer(nil) // for its certificate
	t.Cleanup(maker.Close)
	p := &postOffice{t: t, cert: maker.TLS.Certificates[0], roots: x509.NewCertPool()}
	p.roots.AddCert(maker.Certificate())
	setup(p)
	var err error
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		for {
			conn, err := p.listener.Accept()
			if err != nil {
				return
			}
			done.Go(func() { p.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = p.listener.Close()
		done.Wait()
	})
	return p
}

func (p *postOffice) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

func (p *postOffice) serve(raw net.Conn) {
	secure := p.implicit
	if p.implicit {
		raw = tls.Server(raw, &tls.Config{Certificates: []tls.Certificate{p.cert}})
	}
	defer func() { _ = raw.Close() }()
	text := textproto.NewConn(raw)
	say := func(line string) { _ = text.PrintfLine("%s", line) }
	say("220 post office")
	for {
		line, err := text.ReadLine()
		if err != nil {
			return
		}
		word, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(word) {
		case "EHLO":
			say("250-post office")
			if p.startTLS && !secure {
				say("250-STARTTLS")
			}
			say("250 AUTH PLAIN")
		case "STARTTLS":
			say("220 go on")
			raw = tls.Server(raw, &tls.Config{Certificates: []tls.Certificate{p.cert}})
			text, secure = textproto.NewConn(raw), true
		case "AUTH":
			p.mu.Lock()
			p.auth = append(p.auth, rest)
			p.mu.Unlock()
			say("235 welcome")
		case "RCPT":
			if p.refuse != "" {
				say(p.refuse)
			} else {
				say("250 ok")
			}
		case "DATA":
			say("354 go on")
			letter, err := io.ReadAll(text.DotReader())
			if err != nil {
				return
			}
			p.mu.Lock()
			p.letters, p.secure = append(p.letters, string(letter)), secure
			p.mu.Unlock()
			say("250 kept")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (p *postOffice) sender(address string) *mail.Sender {
	p.t.Helper()
	s, err := mail.New(mail.Options{URL: address, From: "Stele <stele@example.com>", Roots: p.roots, Dial: guard.Dialer(guard.Options{})})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

var letter = webhook.Mail{ID: "msg_1", To: "ops@example.com", Subject: "80 % of büdget", Text: "Four fifths are used.\n"}

func TestMailArrivesOverTLS(t *testing.T) {
	t.Parallel()
	for scheme, setup := range map[string]func(*postOffice){
		"smtp":  func(p *postOffice) { p.startTLS = true },
		"smtps": func(p *postOffice) { p.implicit = true },
	} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			p := openPost(t, setup)
			s := p.sender(scheme + "://stele:s3cret@127.0.0.1:" + strconv.Itoa(p.port()))
			for range 2 {
				if err := s.Send(t.Context(), letter); err != nil {
					t.Fatal(err)
				}
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if len(p.letters) != 2 || !p.secure || len(p.auth) != 2 {
				t.Fatalf("%d letters, over TLS: %t, logins %v", len(p.letters), p.secure, p.auth)
			}
			for _, part := range []string{"To: <ops@example.com>", "From: \"Stele\" <stele@example.com>", "Message-ID: <msg_1@127.0.0.1>", "Four fifths are used.", "Auto-Submitted: auto-generated"} {
				if !strings.Contains(p.letters[1], part) {
					t.Errorf("the letter lacks %q:\n%s", part, p.letters[1])
				}
			}
		})
	}
}

func TestNoPasswordGoesInTheClear(t *testing.T) {
	t.Parallel()
	p := openPost(t, func(*postOffice) {})
	port := strconv.Itoa(p.port())
	if err := p.sender("smtp://stele:s3cret@127.0.0.1:"+port).Send(t.Context(), letter); err == nil {
		t.Error("mail was sent without TLS")
	}
	if err := p.sender("smtp://127.0.0.1:"+port+"?tls=off").Send(t.Context(), letter); err != nil {
		t.Error(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.auth) != 0 || len(p.letters) != 1 || p.secure {
		t.Errorf("%d letters, logins %v", len(p.letters), p.auth)
	}
}

func TestWhatIsRefusedForGoodIsToldApart(t *testing.T) {
	t.Parallel()
	for answer, final := range map[string]bool{"550 no such mailbox": true, "451 come back later": false} {
		p := openPost(t, func(p *postOffice) { p.refuse = answer })
		err := p.sender("smtp://127.0.0.1:"+strconv.Itoa(p.port())+"?tls=off").Send(t.Context(), letter)
		if err == nil || errors.Is(err, webhook.ErrRefused) != final {
			t.Errorf("%s: %v", answer, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	p := openPost(t, func(*postOffice) {})
	if err := p.sender("smtp://127.0.0.1:"+strconv.Itoa(p.port())+"?tls=off").Send(ended, letter); err == nil || errors.Is(err, webhook.ErrRefused) {
		t.Errorf("after its time: %v", err)
	}
}

func TestAnAddressThatCannotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "smtp.example.com", "https://example.com", "smtp://", "smtps://a:b@example.com?tls=off", "smtp://a:b@example.com?tls=off", "smtp://example.com:0", "smtp://example.com/inbox", "smtp://a:s3cret@exa mple.com"} {
		_, err := mail.New(mail.Options{URL: address, From: "stele@example.com"})
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := mail.New(mail.Options{URL: "smtp://example.com", From: "nobody"}); err == nil {
		t.Error("a sender without a mailbox was taken")
	}
}

// A server that goes on answering is not listened to until memory or time are used up.
func TestAnEndlessAnswerIsNotReadToItsEnd(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	said := make(chan int)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		line, n := []byte("220-"+strings.Repeat("word ", 200)+"\r\n"), 0
		for ; n < 256<<20; n += len(line) {
			if _, err := conn.Write(line); err != nil {
				break
			}
		}
		said <- n
	}()
	p := &postOffice{t: t}
	err = p.sender("smtp://127.0.0.1:"+strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)+"?tls=off").Send(t.Context(), letter)
	if n := <-said; err == nil || n > 32<<20 { // what lies in the system's buffers is said, too
		t.Errorf("%d MB were said: %v", n>>20, err)
	}
}
