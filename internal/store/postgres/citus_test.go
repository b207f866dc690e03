package postgres

import (
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/store/storetest"
)

// TestStoreOnCitus holds a store on a cluster of Citus to what every store promises.
func TestStoreOnCitus(t *testing.T) {
	coordinator := pgtest.Cluster(t)
	storetest.Run(t, func(t testing.TB) store.Store {
		url := coordinator.Database(t)
		must(t, Init(t.Context(), url, Options{}))
		return &checked{Store: openSealed(t, url, secretOf), url: url, t: t}
	})
}
