package doctor

import (
	"context"
	"fmt"

	"stele/internal/access"
)

func lookSecondFactor(_ context.Context, p *patient) []Finding {
	if p.Config.Auth.SSOOnly {
		return nil // the identity provider asks for it
	}
	if need := p.Config.Auth.RequireSecondFactor; need != "" && need != "none" {
		return nil
	}
	return one(Warning, "set auth.require_second_factor to administrators or everyone", "a password alone opens the console")
}

func lookAdministrators(_ context.Context, p *patient) []Finding {
	if p.figures.BareAdmins == 0 || p.Config.Auth.SSOOnly {
		return nil
	}
	return one(Warning, "let them add a passkey or a code on their account page", "%d with a password and no second factor", p.figures.BareAdmins)
}

func lookKeys(ctx context.Context, p *patient) []Finding {
	list, err := p.house.Access.Keys(ctx, access.CommandLine(access.DefaultWorkspace), "")
	if err != nil {
		return one(Bad, "look at the database's own log", "the keys cannot be read: %v", err)
	}
	var never []string
	for _, k := range list {
		if k.Environment == access.Production && k.RevokedAt.IsZero() && k.End().IsZero() && k.Idle == 0 && !k.Suspended {
			never = append(never, fmt.Sprintf("%s (%s)", k.Name, k.ID))
		}
	}
	if len(never) == 0 {
		return nil
	}
	return one(Warning, "give new ones --expires, or workspaces a longest life: stele workspaces policy", "%d production keys never end: %s", len(never), joinList(never))
}

func lookDevelopmentKeys(_ context.Context, p *patient) []Finding {
	if !p.Config.Auth.AllowDevelopment || !p.usesTLS() && !isOpen(p.Config.Listen) {
		return nil
	}
	return one(Note, "set auth.allow_development to false where only production is served", "development keys work on this server")
}
