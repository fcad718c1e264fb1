// Package mcp asks servers of the Model Context Protocol, over Streamable HTTP
// or the pipes of a command.
//
// It owns sessions: their opening (with the protocol's versions 2024-11-05 to
// 2026-07-28), their end, and what a server does to them; and what of a reply
// is data. The official SDK frames, numbers and negotiates; a RoundTripper and
// a Connection of this package see every message first, so that what happened
// is known by its status, its type or its bytes, and never by the wording of
// an error. What is not a message never reaches the SDK: one probe's bad answer
// must not break the session that others use.
//
// An [Ask] is a [fetch.Exchange]: one attempt of a trip. This package knows no
// expectation, no declaration and no report.
package mcp
