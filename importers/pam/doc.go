// Package pam reads and writes Portable AI Memory 1.0: the memory store of an export, its
// conversations, and both in their folder or archive.
//
//	{"schema": "portable-ai-memory", "schema_version": "1.0", "owner": {"id": "…"},
//	 "memories": [{"id": "m-1", "type": "preference", "content": "Likes tea.", "content_hash": "sha256:…",
//	               "temporal": {"created_at": "2026-01-01T00:00:00Z"}, "provenance": {"platform": "chatgpt"}}],
//	 "relations": […], "conversations_index": […], "integrity": {…}, "signature": {…}}
//
// The export maps to memories as follows:
//
//	memory of type identity           identity, in every project
//	memory of type instruction        procedural
//	memory of type context            working
//	custom memory called episodic     episodic
//	memory of any other type          semantic
//	status superseded, retracted,     ended: at valid_until, or at updated_at if that is before, or else
//	  archived                        at created_at
//	content, tags                     text, tags
//	confidence.current, decay_model   confidence, decay
//	provenance.platform               provider; source.ref is OWNER/ID, so that a changed memory
//	                                  supersedes its earlier import
//	provenance.conversation_ref       session
//	access.exportable false           consent; a record is private whatever visibility says
//	metadata.project                  project, if the options name none
//	conversation                      the records of package text/conversation
//
// The residue, body.structured.pam, is the memory as it stands, without its words, if the
// record alone would not give it, and the relations from it. The first record also carries
// the members of the whole document. An unchanged document comes back as it was. A changed
// one is another document: it has no signature and no export_id.
//
// The writer writes an ended record as superseded or archived. It leaves out records that
// are proposed, forgotten or expired.
//
//	rule   what it says                                                 file             vectors
//	PAM-1  a document is JSON, strictly                                 codec            json-*
//	PAM-2  its schema, edition, owner and lists are PAM's               store.go         shape-*, conversation-*
//	PAM-3  the limits on sizes, texts, names and counts hold            codec            limit-*
//	PAM-4  records have an owner and a date                             codec            (tables)
//	PAM-5  an integrity block is right: RFC 8785, number and checksum   check.go         integrity-*
//	PAM-6  a signature fits the document; else it is only a warning     check.go         signature-*, (tables)
//	PAM-7  a memory has an id of its own, and members of the schema     memory.go        memory-*
//	PAM-8  a relation has an id, two ends, a type and a date            relations.go     relation-*
//	PAM-9  messages are dated and do not answer each other in a circle  conversation.go  conversation-*
//
// Losses: embeddings; an invalid signature; a content_hash of another content; memories
// without words; relations from memories that are not there; members of the whole document,
// if records are kept one by one; everything in conversations but the text of the branch
// shown last. Losses of the writer: data that PAM has no member for.
package pam
