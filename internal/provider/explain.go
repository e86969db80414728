package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"stele/internal/fault"
	"stele/internal/guard"
	"stele/internal/jsonscan"
)

// Explain says to an operator in plain words why a call could not be made. It
// never repeats credentials.
func Explain(ctx context.Context, err error) string {
	if refused, ok := errors.AsType[*guard.Refused](err); ok {
		return "Stele does not call this address: " + refused.Reason + "."
	}
	if why := explainTLS(err); why != "" {
		return why
	}
	dns, noHost := errors.AsType[*net.DNSError](err)
	switch {
	case noHost && dns.IsNotFound:
		return "There is no host called " + dns.Name + ". Check the base URL."
	case noHost:
		return "The name " + dns.Name + " could not be looked up. Check the machine's DNS."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Nothing listens at this address. Check the host and the port, and that the server runs."
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "There is no way from here to this address."
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "The connection was cut before an answer came."
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) || isTimeout(err):
		return "No answer came in time."
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Message
	}
	return "The call failed: " + lastPart(err) + "."
}

func explainTLS(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "The certificate is of an authority that this machine does not trust. Add it with egress.ca_file."
	}
	if name, ok := errors.AsType[x509.HostnameError](err); ok {
		return "The certificate is for another host than " + name.Host + "."
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return "The certificate has expired, or the clock of this machine is wrong."
		}
		return "The certificate is not valid."
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || strings.Contains(errorText(err), "server gave HTTP response to HTTPS client") {
		return "The server does not speak TLS at this port. Is it http:// rather than https://?"
	}
	if strings.Contains(errorText(err), "tls: ") {
		return "No TLS connection could be made: " + lastPart(err) + "."
	}
	return ""
}

func isTimeout(err error) bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && t.Timeout()
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// lastPart is what an error says in the end, without the addresses before it.
func lastPart(err error) string {
	text := errorText(err)
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}

// WordsOf is what an upstream said for people in the cause of a failure: the message
// in its JSON rather than all of it.
func WordsOf(cause string) string {
	if rest, ok := strings.CutPrefix(cause, "upstream answered "); ok {
		_, cause, _ = strings.Cut(rest, ": ")
	}
	cause = strings.TrimSpace(strings.TrimPrefix(cause, "upstream: "))
	if root, err := jsonscan.Parse([]byte(cause), jsonscan.Lenient); err == nil {
		if root.Kind() == jsonscan.Array {
			root = root.Index(0)
		}
		for _, place := range [][]string{{"error", "message"}, {"message"}, {"error"}, {"detail"}} {
			if text := root.Get(place...).View(); text != "" {
				cause = text
				break
			}
		}
	}
	const most = 300
	if len(cause) > most {
		cause = strings.ToValidUTF8(cause[:most], "") + "…"
	}
	if strings.HasPrefix(cause, "<") {
		return "" // a page for a browser
	}
	return cause
}
