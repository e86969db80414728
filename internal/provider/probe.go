package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/relay"
)

// refusedCall is an answer that is no success. It reads as its status, because a
// list is asked for in the background and its refusals are only logged.
type refusedCall struct {
	status int
	why    *fault.Error
}

func (r *refusedCall) Error() string { return fmt.Sprintf("status %d", r.status) }

// Unwrap gives what the upstream said.
func (r *refusedCall) Unwrap() error { return r.why }

// Probe makes one cheap call: it asks for the list of models, or has a model that
// was named say a word.
func (c *Chat) Probe(ctx context.Context, model string) catalog.Trial {
	start := time.Now()
	var p catalog.Trial
	if c.Lists() {
		list, err := c.List(ctx)
		p.Did = fmt.Sprintf("listed %d models", len(list))
		if len(list) == 1 {
			p.Did = "listed one model"
		}
		for _, m := range list {
			p.Models = append(p.Models, m.ID)
		}
		return c.toTrial(ctx, p, start, err)
	}
	if model == "" {
		p.Problem = "This kind has no list of models that could be asked for. Name one of its models, and the test will speak to that."
		return p
	}
	p.Did = "answered as " + model
	// Some models take no less than this.
	few := int64(16)
	talk := &chat.Conversation{
		Messages: []chat.Message{{Role: chat.User, Parts: []chat.Part{{Kind: chat.Text, Text: "Say ok."}}}}, Sampling: chat.Sampling{MaxTokens: &few},
	}
	request := chat.NewRequest(model, false, chat.Origin{}, func() (*chat.Conversation, error) { return talk, nil })
	limits := catalog.Timeouts{FirstByte: time.Minute, Gap: time.Minute, Total: time.Minute} // ctx ends it sooner
	reply, err := c.askWhole(ctx, request, relay.Target{Model: model, Timeouts: limits}, attempt{})
	if reply != nil && reply.Close != nil {
		reply.Close()
	}
	return c.toTrial(ctx, p, start, err)
}

// toTrial puts what happened into words.
func (c *Chat) toTrial(ctx context.Context, p catalog.Trial, start time.Time, err error) catalog.Trial {
	p.Took = time.Since(start)
	if err == nil {
		p.Status = http.StatusOK
		return p
	}
	p.Err = c.hidePrivate(err)
	if refused, ok := errors.AsType[*refusedCall](err); ok {
		p.Status, p.Err = refused.status, c.hidePrivate(refused.why)
	}
	p.Problem = Explain(ctx, p.Err)
	if f, ok := errors.AsType[*fault.Error](p.Err); !ok {
		p.Err = fault.New(fault.UpstreamError, "%s", p.Problem).Because(err)
	} else if why := verdict(f, p.Status); why != "" {
		p.Problem = why
	}
	p.Problem = c.hide(p.Problem)
	return p
}

// verdict is what an answer of the upstream means for the operator.
func verdict(f *fault.Error, status int) string {
	said := strings.TrimSpace(f.Message)
	if f.Err != nil {
		said = WordsOf(f.Err.Error()) // what clients hear is in our words
	}
	if said != "" {
		said = " It said: " + said
	}
	at := ""
	if status != 0 {
		at = fmt.Sprintf(" (status %d)", status)
	}
	switch {
	case f.Credentials, status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "The provider refused the credentials" + at + ". Check the API key." + said
	case f.Code == fault.ModelNotFound:
		return "The provider does not know the model" + at + "." + said
	case f.Code == fault.RateLimited:
		return "The key works, but its limit or quota is used up" + at + "." + said
	case status == http.StatusNotFound:
		return "There is nothing at this address (status 404). Check the base URL: most end in /v1." + said
	case f.Code == fault.InvalidParameter:
		return "The provider answers, but did not take the test" + at + "." + said
	case status >= http.StatusInternalServerError:
		return "The provider has trouble of its own" + at + "." + said
	}
	return ""
}

// hide takes what is private out of a text.
func (c *Chat) hide(text string) string {
	for _, secret := range c.private {
		if secret == c.account.Key || !strings.Contains(c.account.BaseURL, secret) { // an operator may see the address
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	return text
}
