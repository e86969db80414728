// Command stele is the whole platform in one program: it serves the API and the
// console, and its other commands manage what they serve.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"stele/internal/fault"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal must end a drain that takes too long.
	context.AfterFunc(ctx, stop)
	w := world{getenv: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	if err := run(ctx, os.Args[1:], w); err != nil {
		os.Exit(1) //nolint:gocritic // the signal handler may die with the process
	}
}

// world is what the program sees of the process it runs in.
type world struct {
	getenv func(string) string
	dir    string // where stele.yaml is looked for; "" is the working directory
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// run runs one command. An error has been told to the person when it returns.
func run(ctx context.Context, args []string, w world) error {
	p := &program{world: w}
	root := p.newRoot()
	root.SetArgs(args)
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = p.unknown
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		fmt.Fprintln(w.stderr, "stele:", f.Message)
	} else if err != nil && !errors.Is(err, errTold) {
		fmt.Fprintln(w.stderr, "stele:", err)
	}
	return err
}

// errTold says that whatever went wrong is on the screen already.
var errTold = errors.New("already told")

func (p *program) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "stele",
		Short: "One API key, three chat dialects, and media as durable generations",
		Long: "Stele is a self-hosted AI API platform in one program.\n" +
			"Without a command it serves: the API under /api/, the console under /console/.",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          p.serve,
	}
	p.add(root.PersistentFlags())
	root.AddCommand(
		&cobra.Command{Use: "serve", Short: "Serve the API and the console (the default)", Args: cobra.NoArgs, RunE: p.serve},
		p.chat(), p.connect(), p.bridge(), p.mcp(), p.generate(), p.generations(), p.apps(), p.files(), p.webhooks(), p.limits(), p.credits(), p.money(), p.providers(),
		p.models(), p.prices(), p.keys(), p.users(), p.workspaces(), p.configuration(), p.masterKey(), p.audit(),
		p.backup(), p.restore(), p.move(), p.upgrade(), p.nodes(), p.doctor(), p.healthcheck(), showVersion(),
	)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetHelpFunc(p.helpOrRefuse(root.HelpFunc()))
	root.SetHelpCommand(help())
	root.SetFlagErrorFunc(refuseFlag)
	checkArguments(root)
	return root
}
