package assistant

import (
	"context"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Asker is somebody whose answers the owner wants to see. One of its fields is set.
type Asker struct {
	Host  string // the name of a program of the owner's
	Token string // the jti of a token
}

// Preview returns what an asker would be given for a question now, and what the answer lacks.
// The asker is given nothing, so that neither the journal of readings nor the audit log notes
// it. Only the owner in person may call it. It fails as the asker's own question would.
func (s *Service) Preview(ctx context.Context, c memory.Caller, as Asker, q memory.Query) ([]memory.Hit, []memory.Warning, error) {
	if err := s.kernel.MayOwn("recall", c); err != nil {
		return nil, nil, err
	}
	who := memory.Caller{Owner: c.Owner, Role: memory.Agent, Agent: as.Host}
	var err error
	if as.Token != "" {
		who, err = vault.Bearer(ctx, s.kernel, c, as.Token)
	} else {
		err = s.AdmitHost(ctx, who)
	}
	if err != nil {
		return nil, nil, err
	}
	return vault.Preview(ctx, s.kernel, who, q)
}
