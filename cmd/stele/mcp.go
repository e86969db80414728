package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/config"
	"stele/internal/toolbox"
)

// agents is the server of tools as the command line asks for it.
type agents struct {
	remote

	keyFile, listen, out string
	roots                []string
	models               toolbox.Defaults
	made                 bool // the key was made for this
}

func (p *program) mcp() *cobra.Command {
	a := agents{remote: remote{lifetime: bridgeKeyTime}}
	c := &cobra.Command{
		Use: "mcp", Short: "Give agents the server's media models, apps, files and models as tools (MCP)", Args: cobra.NoArgs,
		Long: "Serve the Model Context Protocol on this machine, for agents such as Claude Code, Cursor, Zed and VS Code:\n" +
			"they make pictures, clips and speech, run apps, upload files and ask other models of a Stele server, with your key.\n\n" +
			"An agent starts it and speaks over standard input and output. With --http it listens on loopback instead, at /mcp;\n" +
			"clients must send STELE_MCP_TOKEN as a bearer token where that is set.\n\n" +
			"The server is --url or STELE_URL, the key --key-file, STELE_API_KEY or --key. With --data or --config of a server on this machine\n" +
			"both are found, and a key is made for the time it runs. A stele.yaml in the working directory is not read: agents work in folders\n" +
			"that others wrote.\n\n" +
			"Files are read only below --root, and only those that the agent names. What is made is saved below --out, never over another file.",
		Example: "  claude mcp add stele --env STELE_URL=https://ai.example.com --env STELE_API_KEY=sk_live_… -- stele mcp\n" +
			"  stele mcp --data stele-data --http 127.0.0.1:8091",
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return a.run(c, p) }
	f := c.Flags()
	f.StringVar(&a.key, "key", "", "API key (default $STELE_API_KEY)")
	f.StringVar(&a.keyFile, "key-file", "", "file with the API key")
	f.StringVar(&a.url, "url", "", "address of the server (default $STELE_URL, else http://127.0.0.1:8080)")
	f.StringVar(&a.listen, "http", "", "listen on this loopback address instead, such as 127.0.0.1:8091")
	f.StringVar(&a.out, "out", ".", "folder to save in what was made")
	f.StringArrayVar(&a.roots, "root", []string{"."}, "folder below which files may be read; may be repeated")
	f.StringVar(&a.models.Image, "image-model", "", "model of generate_image where the agent names none (default: the built-in studio)")
	f.StringVar(&a.models.Video, "video-model", "", "model of generate_video where the agent names none")
	f.StringVar(&a.models.Speech, "speech-model", "", "model of generate_speech where the agent names none")
	return c
}

func (a *agents) run(c *cobra.Command, p *program) error {
	done, err := a.find(c, p)
	if err != nil {
		return err
	}
	defer done()
	ctx := c.Context()
	server := a.server()
	server.Fresh = a.made
	box, err := toolbox.New(toolbox.Options{Server: server, Version: versionText(), Roots: a.roots, Out: a.out, Models: a.models})
	if err != nil {
		return err
	}
	defer box.Close()
	if a.listen == "" {
		return box.Serve(ctx, c.InOrStdin(), c.OutOrStdout())
	}
	l, err := toolbox.Listen(ctx, a.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "stele mcp serves at http://%s/mcp with the server %s\n", l.Addr(), a.url)
	return box.ServeHTTP(ctx, l, p.getenv("STELE_MCP_TOKEN"))
}

// find finds the server and a key for it, and nothing by chance: the working directory
// is wherever the agent works.
func (a *agents) find(c *cobra.Command, p *program) (done func(), err error) {
	sources := p.sources(p.world)
	sources.Named = true
	cfg, err := config.Load(sources)
	if err != nil {
		return nil, err
	}
	a.url = cmp.Or(a.url, p.getenv("STELE_URL"))
	switch {
	case a.keyFile != "":
		secret, err := os.ReadFile(a.keyFile)
		if err != nil {
			return nil, err
		}
		a.key = strings.TrimSpace(string(secret))
	case a.key != "" || p.getenv("STELE_API_KEY") != "":
	case !p.isInstalled():
		return nil, errors.New("there is no API key: set STELE_API_KEY, or name a server on this machine with --data or --config")
	default:
		a.made = true
	}
	return a.open(c, p.world, cfg, access.Groups())
}

// isInstalled reports whether a server of this machine was named.
func (p *program) isInstalled() bool {
	return p.flags.config != "" || p.valueOf("data") != nil || p.valueOf("database-url") != nil ||
		p.getenv("STELE_CONFIG") != "" || p.getenv("STELE_DATA") != "" || p.getenv("STELE_DATABASE_URL") != ""
}
