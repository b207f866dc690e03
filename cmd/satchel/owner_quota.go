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

// quotaFlags say how much an owner may keep. What is not said stays as it is.
type quotaFlags struct {
	Records *amount `help:"The most memories, every version counted. 0 or none: no limit." placeholder:"N"`
	Bytes   *size   `help:"The most space, signatures included (about 0.8 KiB a memory): 200M, 2G. 0 or none: no limit." placeholder:"N"`
}

// over returns a quota with what was said in place of what it said.
func (q quotaFlags) over(have store.Quota) store.Quota {
	if q.Records != nil {
		have.Records = int64(*q.Records)
	}
	if q.Bytes != nil {
		have.Bytes = int64(*q.Bytes)
	}
	return have
}

// Run changes how much an owner may keep, or shows it. What is there already stays.
func (c *ownerQuotaCmd) Run(a *app) error {
	need := signing
	if c.quotaFlags == (quotaFlags{}) {
		need = reading
	}
	return a.with(need, func(o *opened) error {
		owner, err := o.meant(a.ctx, c.Who)
		if err != nil {
			return err
		}
		info, err := o.Vault.Owner(a.ctx, o.operator(), owner)
		if err == nil && o.removed(info) {
			err = removedOwner(owner)
		}
		if err != nil {
			return err
		}
		quota := c.over(info.Quota)
		if need == signing {
			if err := o.SetQuota(a.ctx, o.operator(), owner, quota); err != nil {
				return err
			}
		}
		if a.json {
			return a.emit(map[string]any{"owner": owner, "quota": quotaOut{quota.Records, quota.Bytes}, "records": info.Records, "bytes": info.Bytes})
		}
		a.print("%s may keep %s, and keeps %s, %s", owner, allowance(quota), plural(info.Records, "memory", "memories"), size(info.Bytes))
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

// amount is how many of something there may be; 0 or none: without bound.
type amount int64

// UnmarshalText reads what was typed.
func (n *amount) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*n = 0
		return nil
	}
	read, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || read < 0 {
		return fmt.Errorf("write a number that is not below 0, or none")
	}
	*n = amount(read)
	return nil
}

// size is a number of bytes on the command line: 1000, 64K, 200M, 2G or 1T, in
// powers of 1024.
type size int64

var sizeForm = regexp.MustCompile(`^([0-9]{1,18})([KMGT]?)(?:i?B)?$`)

// UnmarshalText reads what was typed.
func (s *size) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*s = 0
		return nil
	}
	m := sizeForm.FindStringSubmatch(string(text))
	if m == nil {
		return fmt.Errorf("not a number of bytes; write 1000000, 200M or 2G, or none")
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
	Confirm memory.DID `required:"" help:"The owner's DID once more, to confirm the erasure." placeholder:"DID"`
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
		if info, err := o.Vault.Owner(a.ctx, o.operator(), owner); err == nil && o.removed(info) {
			return removedOwner(owner)
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
	switch {
	case c.Yes:
		return nil
	case !a.interactive():
		return usagef("everything of theirs is erased, for good; say --yes when there is no terminal to ask on")
	}
	yes, err := a.confirm("Erase everything of " + string(owner) + ", for good?")
	if err == nil && !yes {
		err = refusedf("nothing was erased")
	}
	return err
}
