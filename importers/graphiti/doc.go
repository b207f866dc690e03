// Package graphiti reads dumps of a graph of Graphiti, or of Zep, which uses it: dumps of
// nodes, edges and episodes, the answers of a search, and the lists of Zep's service:
// messages, relevant facts, sessions, threads and users. It writes what Zep takes.
//
//	{"nodes":[{"uuid":"n1","name":"Mara","labels":["Entity","Person"],"summary":"A joiner",
//	  "group_id":"mara","created_at":"2026-02-03T10:00:00Z"}],
//	 "edges":[{"uuid":"f1","source_node_uuid":"n1","target_node_uuid":"n2","name":"LIVES_IN",
//	  "fact":"Mara lives in Porto","episodes":["e1"],"created_at":"2026-02-03T10:00:00Z",
//	  "valid_at":"2026-02-01T00:00:00Z","invalid_at":null,"expired_at":null}],
//	 "episodes":[{"uuid":"e1","content":"Mara: I moved","source":"message", …}]}
//
// Lists may also be called entity_nodes, entity_edges, facts, episodic_nodes, communities
// and community_nodes; the document may be one list with items of all kinds. The members
// of an item decide its kind, wherever it stands: an item with a fact is an edge, one with
// a content an episode.
//
// The dump maps to memories as follows:
//
//	an edge with a fact   semantic, the fact, about both its entities if they are there
//	valid_at              time.valid_from
//	invalid_at            time.valid_to, or else expired_at: when the graph withdrew it
//	episodes of an edge   provenance.evidence, "episode/UUID"
//	an episode            episodic, its content, after the speaker's role; valid_at is
//	                      time.valid_from, thread_id or session_id scope.session
//	an entity             semantic, "Mara: SUMMARY", or "Mara (Person)", about entity:Mara
//	a community           the same, tagged community
//	uuid                  provenance.source.ref "edge/UUID", "episode/…", "entity/…",
//	                      "community/…": a fact that ended since replaces its earlier
//	                      import
//
// A session or user of which more is said than ids makes a record, "Session s1: topic:
// pets". What stands in it, or beside a user_id, is of that session and user.
//
// Zep takes episodes, {"episodes":[{"data":"…","type":"text","created_at":"…","metadata":
// {…}}]}: at most 20 in one request, of 10,000 characters each. The writer writes one such
// request a line, and cuts longer texts into parts, which the reader joins.
//
// The residue of a record, body.structured.graphiti or zep, is the item without its text, vectors
// and score. It includes the group_id, whatever the user of the graph means by that.
//
//	rule        what it says                                                  file      vectors
//	GRAPHITI-1  the document is JSON, strictly: an object of lists or a list  read.go   json-*
//	GRAPHITI-2  an item is an object with a uuid, and has a shape             item.go   item-*, session-*, request-*
//	GRAPHITI-3  an edge with a fact has two ends                              edge.go   edge-*
//	GRAPHITI-4  an entity has a name                                          node.go   node-*
//	GRAPHITI-5  dates are RFC 3339, or with a blank, or without an offset in UTC  edge.go  date-*
//	GRAPHITI-6  the limits on documents, records, names, texts and counts hold  read.go  limit-*
//	GRAPHITI-7  records have an owner and a date                              read.go   (tables)
//
// Losses: see format.go.
package graphiti
