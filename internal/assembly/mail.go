package assembly

import (
	"stele/internal/config"
	"stele/internal/guard"
	"stele/internal/mail"
	"stele/internal/webhook"
)

// openMail makes what sends mail; nil where the configuration names no server.
func openMail(cfg *config.Config, getenv func(string) string) (webhook.Mailer, error) {
	if !cfg.Mail.On() {
		return nil, nil
	}
	options, err := egressOptions(cfg, getenv)
	if err != nil {
		return nil, err
	}
	return mail.New(mail.Options{URL: cfg.Mail.URL.Reveal(), From: cfg.Mail.From, Roots: options.RootCAs, Dial: guard.Dialer(options)})
}
