package main

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/bridge"
	"stele/internal/config"
	"stele/internal/fault"
	"stele/internal/telemetry"
)

// bridgeKeyTime is how long a key works that was made for a bridge, should the bridge
// not give it back.
const bridgeKeyTime = 30 * 24 * time.Hour

// bridging is a bridge as the command line asks for it.
type bridging struct {
	remote

	address string
	at      net.Listener
	keyFile string
	keep    string
	memory  int // MB
}

func (p *program) bridge() *cobra.Command {
	t := bridging{remote: remote{lifetime: bridgeKeyTime}}
	c := p.onServer(&cobra.Command{
		Use: "bridge", Short: "Speak the Responses API on this machine, for clients like Codex", Args: cobra.NoArgs,
		Long: "Serve on this machine's loopback what the server itself does not speak, with your key:\n" +
			"OpenAI's Responses API (Codex, the OpenAI Agents SDK and AI SDK by default), token counts for\n" +
			"Anthropic's and Google's clients by estimate, and single models. All else is passed on.\n\n" +
			"Clients take http://127.0.0.1:8090/v1 (OpenAI) or http://127.0.0.1:8090 (Anthropic, Google) as base URL\n" +
			"and any text as key. The bridge answers programs of this machine only, and no page in a browser.\n" +
			"Without --key, --key-file or STELE_API_KEY a key is made for as long as the bridge runs.",
		Example: "  stele bridge --url https://stele.example.com --key-file ~/.stele-key\n  stele bridge --keep ~/.stele-responses",
	}, &t.remote, func(c *cobra.Command, _ *config.Config, _ []string) error { return p.serveBridge(c, &t) },
		access.GroupChat, access.GroupModels, access.GroupFiles, access.GroupMedia, access.GroupApps)
	// Before a key is made for it.
	c.PreRunE = func(*cobra.Command, []string) (err error) {
		if t.at, err = bridge.Listen(t.address); err != nil {
			return err
		}
		return t.readKey()
	}
	c.Flags().StringVar(&t.address, "address", "127.0.0.1:8090", "loopback address to serve on")
	c.Flags().StringVar(&t.keyFile, "key-file", "", "file with the API key")
	c.Flags().StringVar(&t.keep, "keep", "", "folder for responses that later ones may refer to (default: memory only)")
	c.Flags().IntVar(&t.memory, "memory", 256, "MB of responses to keep in memory")
	return c
}

// readKey reads the key from its file.
func (t *bridging) readKey() error {
	if t.keyFile == "" {
		return nil
	}
	raw, err := os.ReadFile(t.keyFile)
	if err != nil {
		return fmt.Errorf("read the key: %w", err)
	}
	if t.key = strings.TrimSpace(string(raw)); t.key == "" {
		return fmt.Errorf("there is no key in %s", t.keyFile)
	}
	return nil
}

// serveBridge serves until it is told to end. What is wrong with the server or the key
// is told at once; a server may still come.
func (p *program) serveBridge(c *cobra.Command, t *bridging) error {
	defer t.at.Close()
	kept, err := bridge.NewKept(t.memory<<20, t.keep)
	if err != nil {
		return fmt.Errorf("open the folder of responses: %w", err)
	}
	b := bridge.New(bridge.Options{
		Server: t.url, Key: t.key, Client: t.client, Kept: kept,
		Log: telemetry.NewLog(p.stderr, p.process().LogFormat, slog.LevelInfo),
	})
	base := "http://" + t.at.Addr().String()
	fmt.Fprintf(c.OutOrStdout(), "The bridge to %s serves at %s\n  OpenAI's clients       %[2]s/v1\n  Anthropic's, Google's  %[2]s\n", t.url, base)
	if err := b.Check(c.Context()); err != nil {
		fmt.Fprintln(p.stderr, "stele:", fault.From(err).Message)
	}
	return b.Serve(c.Context(), t.at)
}
