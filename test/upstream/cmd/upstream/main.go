// Command upstream is an upstream for benchmarks: it answers every chat request
// with the same bytes, prepared before, so that it costs next to nothing. Nothing
// is checked; the servers that check are in package upstream.
//
//	upstream --dialect openai --listen 127.0.0.1:9001 --chunks 100 --per-write 1
//
// The first line it prints is its address.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

func run() error {
	listen := flag.String("listen", "127.0.0.1:0", "where to listen")
	dialect := flag.String("dialect", "openai", "openai, anthropic or gemini")
	chunks := flag.Int("chunks", 100, "deltas of text in a stream")
	delay := flag.Duration("delay", 0, "pause before every write of a stream but the first")
	perWrite := flag.Int("per-write", 1, "events of a stream in one write; 0 writes all at once")
	flag.Parse()

	can, err := prepare(*dialect, *chunks, *perWrite)
	if err != nil {
		return err
	}
	can.delay = *delay
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "http://"+listener.Addr().String())
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go can.accept(listener)
	<-stop
	return nil
}

// accept serves every connection until the process ends.
func (c *can) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			time.Sleep(10 * time.Millisecond) // out of files, mostly
			continue
		}
		go c.serve(conn)
	}
}
