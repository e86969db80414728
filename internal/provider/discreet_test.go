package provider

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
)

func TestErrorsTellNothingOfTheAccount(t *testing.T) {
	t.Parallel()
	c := NewChat(Account{Name: "a", Key: "very-secret", BaseURL: "http://10.1.2.3:8080/v1"}, openai.Codec{}, nil)
	const told = "very-secret is wrong at http://10.1.2.3:8080/v1/chat, that is 10.1.2.3:8080"
	err := c.hidePrivate(fault.New(fault.InvalidParameter, told).Because(errors.Join(io.ErrUnexpectedEOF, errors.New(told))))
	e := fault.From(err)
	for _, secret := range []string{"very-secret", "10.1.2.3"} {
		if strings.Contains(e.Message, secret) || strings.Contains(err.Error(), secret) {
			t.Errorf("it tells %s: %v", secret, err)
		}
	}
	if e.Code != fault.InvalidParameter || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("it is another error: %v", err)
	}
}

func TestErrorsAreInTheWordsOfTheContract(t *testing.T) {
	t.Parallel()
	c := NewChat(Account{}, openai.Codec{}, nil)
	for _, err := range []error{chat.BrokenError(chat.ErrCut), chat.BrokenError(chat.ErrHeld)} {
		if e := fault.From(c.hidePrivate(err)); e.Code != fault.UpstreamError || !errors.Is(e, err) {
			t.Errorf("%v is %v", err, e)
		}
	}
	if err := c.hidePrivate(context.Canceled); !errors.Is(err, context.Canceled) || fault.From(err).Code != fault.Internal {
		t.Errorf("a client that left is %v", err)
	}
}
