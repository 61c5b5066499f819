// Package server is the HTTP API /v1/cua: it accepts episodes, queues and runs them, and serves what their
// journals say. There is no database. A run folder is an episode, and the folders are all that a restarted
// server needs.
//
// # Folders
//
//	DIR/server.key            the random key of the digests (mode 0600)
//	DIR/token                 the token of the one tenant, where the program makes it (MakeToken, mode 0600)
//	DIR/server.lock           held while a server uses DIR
//	DIR/TENANT/ID/request.json   what was asked, secrets by name alone; it is on disk before the 202
//	DIR/TENANT/ID/journal.jsonl  and the rest of a run folder (package trajectories), once the episode began
//
// # The viewer
//
// Options.View is mounted at /view/ with the prefix stripped; nil is no viewer. It gets GET requests without
// a token: it must be static files that hold no data. Its page reads the token from the fragment of its own
// address (#token=…) and fetches from /v1/cua of the same origin with it:
//
//	GET  /v1/cua/{id}            the episode: state, card, question, result so far
//	GET  /v1/cua/{id}/events server-sent events: id is the number of a record, event is its type, data is
//	                         the record as the journal has it; event "status" has no id
//	GET  /v1/cua/{id}/blobs/{sha256}   the frame that a record names (frame_sha256)
//	POST /v1/cua/{id}/pause, /continue, /stop, /resume, /rewind, /answer, /tell, /takeover, /handback
//	GET  /v1/cua/{id}/live       the WebSocket of a takeover, for whoever has its ticket
//
// State alone decides which of them are allowed; a problem with the code wrong_state lists them.
package server
