package console

import (
	"embed"

	"stele/internal/console/account"
	"stele/internal/console/apps"
	"stele/internal/console/aside"
	"stele/internal/console/audit"
	"stele/internal/console/keys"
	"stele/internal/console/limits"
	"stele/internal/console/models"
	"stele/internal/console/names"
	"stele/internal/console/nodes"
	"stele/internal/console/page"
	"stele/internal/console/people"
	"stele/internal/console/playground"
	"stele/internal/console/prices"
	"stele/internal/console/providers"
	"stele/internal/console/reference"
	"stele/internal/console/start"
	"stele/internal/console/studio"
	"stele/internal/console/usage"
	"stele/internal/console/webhooks"
)

// rooms are all that there are. Those without what they stand on are absent.
type rooms struct {
	start      start.Room
	usage      usage.Room
	keys       keys.Room
	limits     limits.Room
	webhooks   webhooks.Room
	people     people.Room
	account    account.Room
	audit      audit.Room
	aside      aside.Room
	playground playground.Room
	apps       apps.Room
	studio     studio.Room
	models     models.Room
	names      names.Room
	prices     prices.Room
	providers  providers.Room
	nodes      nodes.Room
	reference  *reference.Room
}

//go:embed templates
var files embed.FS

// roomFiles are the templates and static files of the console and of every room.
func roomFiles() []page.Files {
	return []page.Files{
		files, start.Files, usage.Files, keys.Files, people.Files, account.Files, audit.Files, aside.Files, playground.Files, apps.Files, studio.Files,
		models.Files, names.Files, prices.Files, providers.Files, nodes.Files, reference.Files, limits.Files, webhooks.Files,
	}
}

// absentRooms are the rooms that are not there, by the first word of their path after /console/.
func absentRooms(o *Options) map[string]bool {
	return map[string]bool{
		"oidc":       o.SignOn == nil,
		"playground": o.Playground == nil,
		"studio":     o.Studio == nil,
		"apps":       o.Apps == nil,
		"providers":  o.Supply == nil,
		"models":     o.Supply == nil,
		"prices":     o.Supply == nil,
		"names":      o.Names == nil,
		"nodes":      o.Fleet == nil,
		"usage":      o.Usage == nil,
		"requests":   o.Requests == nil,
		"aside":      o.Asides == nil,
		"limits":     o.Limits == nil,
		"credits":    o.Limits == nil,
		"unsettled":  o.Settler == nil,
		"notices":    o.Limits == nil,
		"webhooks":   o.Endpoints == nil,
		"money":      o.VerifyMoney == nil || o.Bills == nil,
	}
}

// furnish gives each room what it stands on.
func (c *Console) furnish(o *Options) {
	f := c.Frame
	c.rooms = rooms{
		start:      start.Room{Frame: f, Access: o.Access, Start: o.Start, Usage: o.Usage, Requests: o.Requests, Health: o.Health, Asides: o.Asides, Limits: o.Limits},
		usage:      usage.Room{Frame: f, Access: o.Access, Usage: o.Usage, Requests: o.Requests, Limits: o.Limits, Captures: o.Captures, Share: o.Share},
		keys:       keys.Room{Frame: f, Access: o.Access, Limits: o.Limits},
		limits:     limits.Room{Frame: f, Access: o.Access, Limits: o.Limits, Verify: o.VerifyMoney, Bills: o.Bills, Supply: o.Supply, Settler: o.Settler},
		webhooks:   webhooks.Room{Frame: f, Endpoints: o.Endpoints},
		people:     people.Room{Frame: f, Access: o.Access},
		account:    account.Room{Frame: f, Access: o.Access, SignOut: c.signOut},
		audit:      audit.Room{Frame: f, Access: o.Access, Lags: o.AuditLags},
		aside:      aside.Room{Frame: f, Tasks: o.Asides},
		playground: playground.Room{Frame: f, Options: orZero(o.Playground)},
		apps:       apps.Room{Frame: f, Options: orZero(o.Apps), Access: o.Access},
		studio:     studio.Room{Frame: f, Options: orZero(o.Studio), Access: o.Access},
		models:     models.Room{Frame: f, Supply: o.Supply},
		names:      names.Room{Frame: f, Options: orZero(o.Names), Access: o.Access},
		prices:     prices.Room{Frame: f, Supply: o.Supply},
		providers:  providers.Room{Frame: f, Supply: o.Supply},
		nodes:      nodes.Room{Frame: f, Fleet: o.Fleet, Here: o.Node},
		reference:  reference.New(f, o.Document, c.visitorOrNil, c.visit),
	}
	if o.SignOn != nil {
		c.account.SignOn = o.SignOn.Name
	}
}

// orZero gives what a room stands on; of one that is absent nothing is asked.
func orZero[T any](options *T) (o T) {
	if options != nil {
		o = *options
	}
	return o
}

// What the rooms stand on, for those who build it.
type (
	Start        = start.Options //nolint:revive // the comment is that of all
	Playground   = playground.Options
	Studio       = studio.Options
	Apps         = apps.Options
	Asides       = aside.Asides
	Names        = names.Options
	AuditLag     = audit.Lag
	Bills        = limits.Bills
	Settler      = limits.Settler
	Supply       = page.Supply
	HealthSource = page.HealthSource
)

// Dialect is what requests of the playground are recorded as.
const Dialect = playground.Dialect
