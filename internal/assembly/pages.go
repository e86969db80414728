package assembly

import (
	"context"
	"net/http"
	"net/url"
	"time"

	openapi "stele/api"
	"stele/docs/pictures"
	"stele/internal/console"
)

// openPages makes the console and gives each of its rooms what it stands on.
func (n *node) openPages() (http.Handler, error) {
	files, generations, audit := n.media.files, n.media.generations, n.Store.InsertEntry
	return console.New(console.Options{
		Access: n.Access, PublicURL: func() *url.URL { return n.pagesURL }, APIURL: func() *url.URL { return n.public },
		Document: openapi.Document(), Version: n.Version, Log: n.log,
		SignOn: n.signOn(),
		Playground: &console.Playground{
			Chat: n.relay, Models: n.catalog, Files: files, Audit: audit,
			KeepAlive: func() time.Duration { return n.runtime.config().Stream.KeepAlive },
		},
		Apps: &console.Apps{
			Runner: n.runner, Editor: n.editor, Tasks: generations, Books: n.Store, Files: files, Models: n.catalog, Audit: audit, Pictures: pictures.Files(),
		},
		Studio: &console.Studio{
			Generations: generations, Files: files, Catalog: n.catalog, Replay: n.media.replay, Audit: audit,
		},
		Names:  &console.Names{Supply: n.supply, Models: n.catalog, Missing: n.Store},
		Supply: n.supply, Health: n.supply, Memory: n.runtime.memory,
		Start: &console.Start{Models: n.catalog, Media: n.catalog, Tasks: n.Store},
		Usage: n.Store, Requests: n.Store, Captures: n.capture != nil, Share: n.share,
		AuditLags: n.auditLags,
		Asides:    asides{n.media},
		Limits:    n.Limits(), VerifyMoney: n.VerifyMoney, Bills: n.Store, Settler: generations,
		Endpoints: n.endpoints(),
		Fleet:     n.Store, Node: n.media.node,
	})
}

// auditLags is what the console shows of where the audit log is sent on to.
func (n *node) auditLags(ctx context.Context) ([]console.AuditLag, error) {
	lags, err := n.forwarder.Lags(ctx)
	var list []console.AuditLag
	for _, l := range lags {
		list = append(list, console.AuditLag(l))
	}
	return list, err
}
