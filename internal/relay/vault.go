package relay

import (
	"stele/internal/catalog"
	"stele/internal/chat"
)

// Vault keeps reasoning signatures for clients whose dialect cannot carry them.
type Vault struct{}

// NewVault makes an empty vault.
func NewVault() *Vault { return &Vault{} }

func (v *Vault) target(string, *chat.Request) *catalog.Target { return nil }

func (v *Vault) restore(_ string, req *chat.Request, _ catalog.Target) *chat.Request { return req }

func (v *Vault) keep(string, *chat.Request, catalog.Target, *chat.Reply) {}

// pinned is the model with the held target first, so that a loop of tool calls
// stays where its signatures are good.
func pinned(m *catalog.Model, held *catalog.Target) *catalog.Model {
	if held == nil {
		return m
	}
	for i, t := range m.Targets {
		if t.Provider == held.Provider && t.Model == held.Model {
			first := *m
			first.Balance = false
			first.Targets = append([]catalog.Target{t}, append(append([]catalog.Target(nil), m.Targets[:i]...), m.Targets[i+1:]...)...)
			return &first
		}
	}
	return m
}
