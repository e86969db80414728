// Command speed is the two processes that Stele's figures are measured against:
// an upstream that answers as fast as it can, and a bare reverse proxy that is as
// good as one can be made. Its benchmarks start both and take the figures.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("speed", flag.ContinueOnError)
	target := flags.String("proxy", "", "be a bare reverse proxy to this address; otherwise be the upstream")
	authority := flags.String("ca", "", "the upstream serves TLS and HTTP/2 and writes its certificate here; the proxy trusts it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: upstream()} //nolint:gosec // its only clients are the benchmark's
	scheme := "http"
	if *target != "" {
		server.Handler, err = proxy(*target, *authority)
	} else if *authority != "" {
		scheme = "https"
		server.TLSConfig, err = certify(*authority)
	}
	if err != nil {
		return err
	}
	fmt.Println(scheme + "://" + listener.Addr().String()) // the parent reads where we are
	if server.TLSConfig != nil {
		err = server.ServeTLS(listener, "", "")
	} else {
		err = server.Serve(listener)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
