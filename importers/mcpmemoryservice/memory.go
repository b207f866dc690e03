package mcpmemoryservice

import (
	"errors"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// provider is the system of these files.
const provider = "mcp-memory-service"

// memory makes a record of a memory, unless it is blank.
func (d *document) memory(c *codec.Checker) []memory.Record {
	if !c.IsObject(ruleMemory) {
		return nil
	}
	text := c.Text(ruleMemory, "content")
	hash, _ := c.Name(ruleMember, "content_hash"), c.Name(ruleMember, "memory_type")
	c.Object(ruleMember, "metadata")
	tags := tagsIn(c)
	when := c.Date(created(c))
	c.Known(ruleMemory, "content", "content_hash", "tags", "memory_type", "metadata", "created_at", "created_at_iso", "updated_at", "updated_at_iso",
		"timestamp", "embedding", "deleted_at")
	switch {
	case deleted(c.Value):
		c.Drop("", lossDeleted)
		return nil
	case strings.TrimSpace(text) == "":
		c.Drop("", lossBlank)
		return nil
	}
	ref := d.name + "#" + c.Pointer
	if hash != "" {
		ref = provider + "/" + hash
	}
	r := c.Draft(memory.Semantic, text, provider, ref)
	r.Time.Created = when
	codec.Tag(&r, tags...)
	rest := c.Value.Without("content")
	if e := rest.Get("embedding"); e.Type() != canon.TypeUndefined {
		rest = rest.Without("embedding")
		if e.Type() != canon.TypeNull {
			c.Drop("/embedding", lossEmbedding)
		}
	}
	if rest.Len() > 0 {
		r = codec.WithResidue(r, formatName, rest)
	}
	return []memory.Record{r}
}

// deleted reports whether a memory was deleted. The server keeps such a memory to tell
// other servers.
func deleted(v canon.Value) bool {
	at := v.Get("deleted_at").Type()
	return at == canon.TypeNumber || at == canon.TypeString
}

// tagsIn reads tags: a list, or one string with commas between them.
func tagsIn(c *codec.Checker) (tags []string) {
	v := c.Value.Get("tags")
	if v.Type() != canon.TypeString {
		return c.Names(ruleMember, "tags")
	}
	for tag := range strings.SplitSeq(c.Prose(ruleMember, "tags"), ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// created reads the date of a memory. The number counts before the text beside it, as for
// the server itself.
func created(c *codec.Checker) (first time.Time) {
	for _, member := range []string{"created_at", "created_at_iso", "timestamp", "updated_at", "updated_at_iso"} {
		if t := instant(c, member); first.IsZero() {
			first = t
		}
	}
	return first
}

// instant reads seconds since 1970, or RFC 3339 (MCPMEMSV-4).
func instant(c *codec.Checker, member string) time.Time {
	v := c.Value.Get(member)
	if v.Type() != canon.TypeNumber {
		return c.Instant(ruleDate, member)
	}
	seconds := v.Float()
	if seconds <= -62135596800 || seconds >= 253402300800 {
		c.Fault(ruleDate, "/"+member, errors.New("is no time of the years 1 to 9999"))
		return time.Time{}
	}
	return codec.Seconds(seconds)
}
