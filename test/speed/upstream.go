package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

const (
	frames = 100 // of text, in a stream
	pace   = 10 * time.Millisecond
)

// upstream answers like OpenAI's API. It looks at nothing but "stream", and "user"
// for how: "hold" stops after the first frame, "pace" takes its time between them.
func upstream() http.Handler {
	stream, whole := streamed(), whole()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if !asks(body, `"stream":true`) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(whole)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		hold, paced := asks(body, `"user":"hold"`), asks(body, `"user":"pace"`)
		control := http.NewResponseController(w)
		for _, frame := range stream {
			if _, err := w.Write(frame); err != nil || control.Flush() != nil {
				return
			}
			if hold {
				<-r.Context().Done()
				return
			}
			if paced {
				time.Sleep(pace)
			}
		}
	})
}

// asks looks at the end of a request, where the benchmark says what it wants.
func asks(body []byte, what string) bool {
	return bytes.Contains(body[max(0, len(body)-1000):], []byte(what))
}

func streamed() [][]byte {
	const head = `data: {"id":"chatcmpl-abcdefghijklmnopqrstuvwxyz","object":"chat.completion.chunk","created":1763200000,"model":"gpt-4.1-2025-04-14","service_tier":"default","system_fingerprint":"fp_0123456789",`
	list := [][]byte{[]byte(head + `"choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n")}
	for i := range frames {
		list = append(list, fmt.Appendf(nil, head+`"choices":[{"index":0,"delta":{"content":" word%d"},"logprobs":null,"finish_reason":null}],"usage":null}`+"\n\n", i))
	}
	return append(list,
		[]byte(head+`"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}`+"\n\n"),
		[]byte(head+`"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":100,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`+"\n\n"),
		[]byte("data: [DONE]\n\n"))
}

func whole() []byte {
	return []byte(`{"id":"chatcmpl-abcdefghijklmnopqrstuvwxyz","object":"chat.completion","created":1763200000,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"message":{"role":"assistant","content":"` +
		strings.Repeat("Some words of an answer. ", 40) + `","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":200,"total_tokens":220,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}},"service_tier":"default","system_fingerprint":"fp_0123456789"}`)
}

// certify makes a certificate for this machine and writes it where those who are
// to trust it read it.
func certify(file string) (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	err = os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		NextProtos:   []string{"h2"}, MinVersion: tls.VersionTLS12,
	}, err
}
