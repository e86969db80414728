package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/client"
	"stele/internal/config"
	"stele/internal/fault"
	"stele/internal/price"
	"stele/internal/provider"
	"stele/internal/relay"
	"stele/internal/supply"
)

// talker is one conversation from a terminal with a model of a running server.
type talker struct {
	remote

	model, dialect string
	upstream       *provider.Chat
	price          *price.Price // nil: it is not known
	out            io.Writer
	talk           chat.Conversation
}

func (p *program) chat() *cobra.Command {
	var t talker
	var system string
	c := p.onServer(&cobra.Command{
		Use: "chat [PROMPT]", Short: "Talk to a model of the running server",
		Long: "Talk to a model of the running server, streaming.\n" +
			"The prompt is the argument, what is piped in, or both; without either every line you type is a turn.\n" +
			"Without --key or STELE_API_KEY a key is made for the length of the conversation.",
		Example: "  stele chat --model stele/sandbox 'What can you do?'\n  git diff | stele chat --system 'Review this change.'",
	}, &t.remote, func(c *cobra.Command, cfg *config.Config, args []string) error {
		if err := t.speak(cfg); err != nil {
			return err
		}
		t.out = c.OutOrStdout()
		if system != "" {
			t.talk.System = []chat.Part{{Kind: chat.Text, Text: system}}
		}
		return t.converse(c.Context(), strings.Join(args, " "), c.InOrStdin())
	}, access.GroupChat)
	c.Flags().StringVar(&t.model, "model", catalog.Sandbox, "the model's public id")
	c.Flags().StringVar(&t.dialect, "dialect", "openai", "openai, anthropic or gemini: how the server is spoken to")
	c.Flags().StringVar(&system, "system", "", "what the model is told first")
	return c
}

// speak makes the client of the dialect that was chosen.
func (t *talker) speak(cfg *config.Config) error {
	codec, ok := assembly.Dialects()[t.dialect]
	if !ok {
		return fmt.Errorf("there is no dialect %q: choose openai, anthropic or gemini", t.dialect)
	}
	base := t.url + "/api"
	if t.dialect == "openai" {
		base += "/v1"
	}
	// Our own server takes a Bearer key in every dialect.
	account := provider.Account{Name: "stele", Kind: provider.Kind{Name: t.dialect, Dialect: t.dialect}, BaseURL: base, Key: t.key}
	t.upstream = provider.NewChat(account, codec, t.client)
	offered := catalog.New()
	err := offered.Replace(catalog.Contents{Models: supply.ChatModels(cfg), Open: supply.OpenProviders(cfg), Prices: supply.Prices(cfg, assembly.Kinds())})
	if err != nil {
		return err
	}
	if m, err := offered.Model(t.model, access.Scope{}); err == nil && len(m.Targets) > 0 {
		t.price = offered.Price(m, m.Targets[0], time.Now()).Price
	}
	return nil
}

// converse has one turn with what was given, or a turn for every line typed.
func (t *talker) converse(ctx context.Context, prompt string, in io.Reader) error {
	typed := terminal(in)
	if !typed {
		piped, err := io.ReadAll(io.LimitReader(in, 32<<20))
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		if text := strings.TrimRight(string(piped), "\n"); text != "" {
			prompt = strings.TrimLeft(prompt+"\n\n"+text, "\n")
		}
	}
	if prompt != "" || !typed {
		return t.turn(ctx, prompt)
	}
	lines := bufio.NewScanner(in)
	for {
		fmt.Fprint(t.out, "> ")
		if !lines.Scan() {
			return lines.Err()
		}
		if line := strings.TrimSpace(lines.Text()); line != "" {
			if err := t.turn(ctx, line); err != nil {
				return err
			}
		}
	}
}

// turn says something and prints the answer as it comes.
func (t *talker) turn(ctx context.Context, prompt string) error {
	t.talk.Messages = append(t.talk.Messages, chat.Message{Role: chat.User, Parts: []chat.Part{{Kind: chat.Text, Text: prompt}}})
	start := time.Now()
	reply, err := t.ask(ctx)
	if err != nil {
		return t.asOfServer(err)
	}
	defer reply.Close()
	var said strings.Builder
	var usage chat.Usage
	for chunk, err := range reply.Stream {
		if err != nil {
			fmt.Fprintln(t.out)
			return err
		}
		for _, e := range chunk.Events {
			if e.Kind == chat.Delta && (e.Part.Kind == chat.Text || e.Part.Kind == chat.Refusal) {
				said.WriteString(e.Part.Text)
				fmt.Fprint(t.out, e.Part.Text)
			}
			if e.Kind == chat.Finish {
				usage = e.Usage
			}
		}
	}
	t.talk.Messages = append(t.talk.Messages, chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.Text, Text: said.String()}}})
	fmt.Fprintf(t.out, "\n\n%d tokens in, %d out, %s, %.1f s\n", usage.Prompt(), usage.Completion(), t.cost(usage), time.Since(start).Seconds())
	return nil
}

// ask sends the conversation.
func (t *talker) ask(ctx context.Context) (reply *chat.Reply, err error) {
	talk := t.talk.Clone()
	req := chat.NewRequest(t.model, true, chat.Origin{}, func() (*chat.Conversation, error) { return talk, nil })
	limits := catalog.Timeouts{FirstByte: 2 * time.Minute, Gap: 2 * time.Minute, Total: time.Hour}
	err = client.RetryUntilKnown(ctx, func() (again bool, err error) {
		reply, err = t.upstream.Do(ctx, req, relay.Target{Model: t.model, Timeouts: limits})
		e, ok := errors.AsType[*fault.Error](err)
		return ok && e.Credentials, err
	})
	return reply, err
}

// asOfServer tells a failure as that of the server, which is no provider to who talks to it.
func (t *talker) asOfServer(err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	switch {
	case ok && e.Unreached:
		return fmt.Errorf("reach the server at %s: %w", t.url, e.Err)
	case ok && e.Code == fault.ModelNotFound:
		return fmt.Errorf("the server has no model %q, or this key does not open it", t.model)
	}
	return err
}

func (t *talker) cost(u chat.Usage) string {
	if t.model == catalog.Sandbox {
		return "free"
	}
	if t.price == nil {
		return "price unknown"
	}
	return price.Rate(t.price.Sheet, catalog.UsageOf(u), u.Tier).Exact()
}
