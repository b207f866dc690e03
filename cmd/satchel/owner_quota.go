package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

type ownerQuotaCmd struct {
	Who string `arg:"" name:"owner" help:"The owner, by DID or label."`
	quotaFlags
}

// Run changes how much an owner may keep. What is there already stays.
func (c *ownerQuotaCmd) Run(a *app) error {
	quota, err := c.quota()
	if err != nil {
		return err
	}
	return a.with(signing, func(o *opened) error {
		owner, err := o.meant(a.ctx, c.Who)
		if err != nil {
			return err
		}
		if err := o.SetQuota(a.ctx, o.operator(), owner, quota); err != nil {
			return err
		}
		if a.json {
			return a.emit(map[string]any{"owner": owner, "quota": quotaOut{quota.Records, quota.Bytes}})
		}
		a.print("%s may keep %s", owner, allowance(quota))
		return nil
	})
}

// allowance says a quota in words.
func allowance(q store.Quota) string {
	switch {
	case q == store.Quota{}:
		return "as much as there is room for"
	case q.Bytes == 0:
		return plural(int(q.Records), "memory", "memories")
	case q.Records == 0:
		return size(q.Bytes).String()
	}
	return plural(int(q.Records), "memory", "memories") + " and " + size(q.Bytes).String()
}

// size is a number of bytes on the command line: 1000, 64K, 200M, 2G or 1T, in
// powers of 1024.
type size int64

var sizeForm = regexp.MustCompile(`^([0-9]{1,18})([KMGT]?)(?:i?B)?$`)

// UnmarshalText reads what was typed.
func (s *size) UnmarshalText(text []byte) error {
	m := sizeForm.FindStringSubmatch(string(text))
	if m == nil {
		return fmt.Errorf("not a number of bytes; write 1000000, 200M or 2G")
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	unit := map[string]int64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}[m[2]]
	if err != nil || n > math.MaxInt64/unit {
		return fmt.Errorf("more bytes than can be counted")
	}
	*s = size(n * unit)
	return nil
}

// String writes a number of bytes for people.
func (s size) String() string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	n, i := float64(s), 0
	for n >= 1024 && i < len(units)-1 {
		n, i = n/1024, i+1
	}
	if i == 0 || n == math.Trunc(n) {
		return fmt.Sprintf("%.0f %s", n, units[i])
	}
	return fmt.Sprintf("%.1f %s", n, units[i])
}

type ownerRemoveCmd struct {
	Who     string     `arg:"" name:"owner" help:"The owner, by DID or label."`
	Confirm memory.DID `required:"" help:"The owner's DID once more: it says that everything is meant." placeholder:"DID"`
	Yes     bool       `short:"y" help:"Do not ask."`
}

// Run erases an owner with the account. The audit log of theirs stays.
func (c *ownerRemoveCmd) Run(a *app) error {
	return a.with(signing, func(o *opened) error {
		owner, err := o.meant(a.ctx, c.Who)
		switch {
		case err != nil:
			return err
		case owner == o.config.Owner:
			return refusedf("%s is the owner of the home folder and stays; satchel erase erases what they keep", owner)
		case owner != c.Confirm:
			return refusedf("%s is %s; give that after --confirm if everything of theirs is to be erased", clean(c.Who), owner)
		}
		if err := c.ask(a, owner); err != nil {
			return err
		}
		cleared, err := o.RemoveOwner(a.ctx, o.operator(), owner)
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(map[string]any{"owner": owner, "result": "removed", "pending": !cleared})
		}
		a.print("removed %s: everything of theirs is erased, and their tokens let nobody in", owner)
		if !cleared {
			a.warn("%s", o.traces())
		}
		return nil
	})
}

func (c *ownerRemoveCmd) ask(a *app, owner memory.DID) error {
	if c.Yes || !a.interactive() {
		return nil
	}
	yes, err := a.confirm("Erase everything of " + string(owner) + ", for good?")
	if err == nil && !yes {
		err = refusedf("nothing was erased")
	}
	return err
}
