package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/config"
	"stele/internal/fault"
	"stele/internal/provider"
	"stele/internal/relay"
	"stele/internal/supply"
)

// talker is one conversation from a terminal with a model of a running server.
type talker struct {
	reach

	model, dialect string
	upstream       *provider.Chat
	price          catalog.Price
	out            io.Writer
	talk           chat.Conversation
}

func newChat(w world, f *flags) *cobra.Command {
	var t talker
	var system string
	c := &cobra.Command{
		Use: "chat [PROMPT]", Short: "Talk to a model of the running server",
		Long: "Talk to a model of the running server, streaming.\n" +
			"The prompt is the argument, what is piped in, or both; without either every line you type is a turn.\n" +
			"Without --key or STELE_API_KEY a key is made for the length of the conversation.",
		Example: "  stele chat --model stele/sandbox 'What can you do?'\n  git diff | stele chat --system 'Review this change.'",
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := f.load(w)
			if err != nil {
				return err
			}
			done, err := t.open(c.Context(), w, cfg, "stele chat", access.GroupChat)
			if err != nil {
				return err
			}
			defer done()
			if err := t.speak(cfg); err != nil {
				return err
			}
			t.out = c.OutOrStdout()
			if system != "" {
				t.talk.System = []chat.Part{{Kind: chat.Text, Text: system}}
			}
			return t.converse(c.Context(), strings.Join(args, " "), c.InOrStdin())
		},
	}
	c.Flags().StringVar(&t.model, "model", relay.Sandbox, "the model's public id")
	c.Flags().StringVar(&t.dialect, "dialect", "openai", "openai, anthropic or gemini: how the server is spoken to")
	c.Flags().StringVar(&system, "system", "", "what the model is told first")
	t.flags(c)
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
	for _, m := range supply.ChatModels(cfg) {
		if m.ID == t.model {
			t.price = m.Price
		}
	}
	return nil
}

// converse has one turn with what was given, or a turn for every line typed.
func (t *talker) converse(ctx context.Context, prompt string, in io.Reader) error {
	typed := false
	if f, ok := in.(*os.File); ok {
		info, err := f.Stat()
		typed = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
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
		return err
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

// ask sends the conversation. A key that was just made may need a moment to be known.
func (t *talker) ask(ctx context.Context) (*chat.Reply, error) {
	talk := t.talk.Clone()
	req := chat.NewRequest(t.model, true, chat.Origin{}, func() (*chat.Conversation, error) { return talk, nil })
	limits := catalog.Timeouts{FirstByte: 2 * time.Minute, Gap: 2 * time.Minute, Total: time.Hour}
	for try := 0; ; try++ {
		reply, err := t.upstream.Do(ctx, req, relay.Target{Model: t.model, Timeouts: limits})
		if e, ok := errors.AsType[*fault.Error](err); !ok || e.Details["credentials"] == nil || try == 10 {
			return reply, err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (t *talker) cost(u chat.Usage) string {
	if t.model == relay.Sandbox {
		return "free"
	}
	nano, known := t.price.Cost(u)
	if !known {
		return "price unknown"
	}
	return fmt.Sprintf("$%.6f", float64(nano)/1e9)
}
