package postgres

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Table rates: the token buckets of callers, for all servers.
//
//	owner, payer  key; payer as its index key, see short
//	tokens        how many are left
//	taken         how many the last call took
//	at            the time for which tokens is right
//
// The servers give the time, and their clocks may differ: a bucket never goes back in
// time. Now and then a call removes the buckets unused for a day; they were full.

const (
	sweepRates = 256            // one of so many calls removes old buckets
	oldRate    = 24 * time.Hour // age at which an unused bucket is removed
)

// Take takes tokens out of a bucket, in one round trip, see [store.Limiter].
func (s *Store) Take(ctx context.Context, owner memory.DID, payer string, want, burst int, rate float64) (got int, wait time.Duration, err error) {
	if want <= 0 {
		return 0, 0, ctx.Err()
	}
	var taken, left float64
	for attempt := 0; ; attempt++ {
		taken, left, err = s.takeOnce(ctx, idOf(owner), short(payer), float64(want), float64(burst), rate)
		if err == nil || !s.retry(ctx, attempt, err) {
			break
		}
	}
	if err != nil {
		return 0, 0, (&ownerTx{ctx: ctx}).refused(err)
	}
	if got = int(taken); got == 0 {
		wait = until(1-left, rate)
	}
	return got, wait, nil
}

// until returns how long the missing tokens take to arrive.
func until(missing, rate float64) time.Duration {
	if seconds := missing / rate; rate > 0 && seconds < math.MaxInt64/1e9 {
		return time.Duration(math.Ceil(seconds * 1e9))
	}
	return math.MaxInt64
}

// takeOnce takes tokens, and now and then removes old buckets. Its error is the
// driver's, or says that the store cannot be used.
func (s *Store) takeOnce(ctx context.Context, id ownerID, payer string, want, burst, rate float64) (taken, left float64, err error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return 0, 0, err
	}
	t := &tx{conn: conn, store: s}
	defer t.end()
	now := time.Now()
	var v version
	steps := []step{
		{text: beginUpdate}, {text: setOwner + id.String() + "'"}, {text: asynchronous},
		{name: schemaStatement, read: v.read},
		{name: takeStatement, args: [][]byte{id[:], []byte(payer), real(burst), whole(now.UnixMicro()), real(want), real(rate / 1e6)},
			read: func(raw [][]byte) error {
				taken, left = realOf(raw[0]), realOf(raw[1])
				return nil
			}},
	}
	if rand.N(sweepRates) == 0 {
		steps = append(steps, step{name: sweepStatement, args: [][]byte{id[:], whole(now.Add(-oldRate).UnixMicro())}})
	}
	if err := t.pipe(ctx, "take", append(steps, step{text: commit})...); err != nil {
		return 0, 0, t.cause
	}
	return taken, left, v.acceptable(s.schema)
}

func real(f float64) []byte { return whole(int64(math.Float64bits(f))) }

func whole(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func realOf(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) }

// takeTokens refills a bucket for the time passed, up to burst, $3. Then it takes the
// tokens asked for, $5, or all that are left.
const (
	takeTokens = `INSERT INTO rates AS r (owner, payer, tokens, at, taken)
		VALUES ($1, $2, $3::float8 - least($5::float8, floor($3::float8)), $4, least($5::float8, floor($3::float8)))
		ON CONFLICT (owner, payer) DO UPDATE SET
			taken = least($5::float8, floor(` + filled + `)),
			tokens = ` + filled + ` - least($5::float8, floor(` + filled + `)),
			at = greatest(r.at, excluded.at)
		RETURNING taken, tokens`
	filled    = `least($3::float8, r.tokens + greatest(0, excluded.at - r.at) * $6::float8)`
	dropRates = `DELETE FROM rates WHERE owner = $1 AND at < $2`
)
