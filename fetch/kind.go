package fetch

// Kind names what happened on the wire of a failed attempt. The list is closed.
type Kind string

// The nine kinds.
const (
	Timeout       Kind = "timeout"        // an attempt exceeded its timeout, or the trip its budget
	Network       Kind = "network"        // DNS, TCP, TLS, reset, cut body, illegal HTTP
	RateLimited   Kind = "rate_limited"   // 429 (RFC 6585 §4), or a 403 that carries a rate-limit signal
	HTTP5xx       Kind = "http_5xx"       // status 500 and above, unregistered codes too
	HTTP4xx       Kind = "http_4xx"       // status 400-499 but 404 and 429
	MalformedBody Kind = "malformed_body" // 2xx whose body is not what the mode asks for
	NotFound      Kind = "not_found"      // 404
	Redirect      Kind = "redirect"       // 3xx that the policy does not follow
	Aborted       Kind = "aborted"        // the caller cancelled, or our own limit was reached
)

// Kinds lists every kind, in the order of the documentation.
func Kinds() []Kind {
	return []Kind{Timeout, Network, RateLimited, HTTP5xx, HTTP4xx, MalformedBody, NotFound, Redirect, Aborted}
}

// IsAnomaly reports whether the kind belongs to the provenance vocabulary: an
// attempt of such a kind is an anomaly even when a later attempt overcame it.
func (k Kind) IsAnomaly() bool {
	switch k {
	case Timeout, Network, RateLimited, HTTP5xx, HTTP4xx, MalformedBody:
		return true
	}
	return false
}

// Outcome is the coarse class of an attempt that decides about repeating it.
type Outcome string

// The outcomes.
const (
	OutcomeSuccess     Outcome = "success"
	OutcomeRetryable   Outcome = "retryable"
	OutcomeRateLimited Outcome = "rate_limited"
	OutcomeBlocked     Outcome = "blocked"
	OutcomeClientError Outcome = "client_error"
	OutcomeRedirect    Outcome = "redirect"
	OutcomeFatal       Outcome = "fatal"
)

// Cause names a local reason: our own side failed, not the origin.
type Cause string

// The local causes.
const (
	CauseProxy         Cause = "proxy"          // a proxy refused or could not be reached
	CauseRunnerOffline Cause = "runner_offline" // the control target failed too
	CauseFDLimit       Cause = "fd_limit"       // EMFILE, ENFILE
	CauseOwnLimiter    Cause = "own_limiter"    // our rate limit used the budget up
	CauseMaxBody       Cause = "max_body"       // our cap on a body was reached
	CauseCommand       Cause = "command"        // a command of ours could not start, or waits for a person
	CauseMaxHeader     Cause = "max_header"     // an answer's header is larger than we take
	CauseMaxDepth      Cause = "max_depth"      // a body nested deeper than we follow
	CauseMaxParts      Cause = "max_parts"      // a body of more parts than we follow
	CauseMaxSteps      Cause = "max_steps"      // an expectation takes more steps than we follow
	CauseNoRecording   Cause = "no_recording"   // a replay has no answer to the request
	CausePanic         Cause = "panic"          // our code (or a hook) panicked, or a hook did not return
)

// Detail is a finer fact about a failure. It never changes the kind.
type Detail string

// The details that the fetcher names.
const (
	DNSNXDomain         Detail = "dns_nxdomain"
	DNSServfail         Detail = "dns_servfail"
	DNSTimeout          Detail = "dns_timeout"
	TCPRefused          Detail = "tcp_refused"
	TCPReset            Detail = "tcp_reset"
	TCPUnreachable      Detail = "tcp_unreachable"
	TCPTimeout          Detail = "tcp_timeout" // the attempt's timeout ended while connecting
	TLSExpired          Detail = "tls_expired"
	TLSNotYetValid      Detail = "tls_not_yet_valid"
	TLSUnknownAuthority Detail = "tls_unknown_authority"
	TLSWrongHost        Detail = "tls_wrong_host"
	TLSInvalidCert      Detail = "tls_invalid_certificate"
	TLSPolicy           Detail = "tls_policy" // versions, ciphers, renegotiation, an alert
	TLSNotTLS           Detail = "tls_not_tls"
	TLSAlert            Detail = "tls_alert" // an alert that a repetition may not meet again
	TLSTimeout          Detail = "tls_timeout"
	ProxyUpstream       Detail = "proxy_upstream" // a proxy says that it could not reach the origin
	HTTPMalformed       Detail = "http_malformed"
	HTTPUpgrade         Detail = "http_unexpected_upgrade" // an unasked 101
	ConnectionClosed    Detail = "connection_closed"       // closed before an answer
	BodyCut             Detail = "body_cut"
	HeaderTimeout       Detail = "header_timeout" // connected, but no header came in time
	BodyTimeout         Detail = "body_timeout"   // the header came, the body did not end in time
	BudgetSpent         Detail = "budget"         // the trip's budget ended
	BadEncoding         Detail = "bad_content_encoding"
	RedirectLoop        Detail = "redirect_loop"
	RedirectTooMany     Detail = "redirect_too_many"
	RedirectNoLocation  Detail = "redirect_no_location"
	RedirectCrossHost   Detail = "redirect_cross_host"
	RedirectDowngrade   Detail = "redirect_downgrade" // https to http
	RedirectUnsafe      Detail = "redirect_method"    // following would change or re-send the request
	RedirectRefused     Detail = "redirect_none"      // the policy follows none
	NotModified         Detail = "unasked_304"
	CircuitOpen         Detail = "circuit_open"
	RejectedByHook      Detail = "rejected_by_hook"
	RPCError            Detail = "rpc_error"           // a JSON-RPC error came
	ToolError           Detail = "is_error"            // an MCP tool says that it failed
	InputRequired       Detail = "input_required"      // an MCP server wants input that nobody gives
	NotRPC              Detail = "not_json_rpc"        // what came is no JSON-RPC message
	WrongReply          Detail = "rpc_wrong_id"        // a JSON-RPC reply to another request came
	NoReply             Detail = "no_reply"            // the stream ended without the reply
	ProtocolVersion     Detail = "protocol_version"    // no version of the protocol is known to both sides
	ProcessExited       Detail = "process_exited"      // the command ended before it answered
	CommandFailed       Detail = "command_not_started" // the command cannot be run
	CommandPrompt       Detail = "command_prompt"      // the command waits for a person
	IncompleteList      Detail = "incomplete_list"     // the pages of a list could not all be walked
	NoRecording         Detail = "no_recording"        // a replay has no answer to the request
	Cancelled           Detail = "cancelled"           // the caller's context ended
)

// neverRetried are the details whose repetition cannot help, whatever retry_on
// says: the name does not exist, the certificate does not verify, the TLS
// policies have nothing in common.
var neverRetried = map[Detail]bool{
	DNSNXDomain: true, TLSExpired: true, TLSNotYetValid: true, TLSUnknownAuthority: true,
	TLSWrongHost: true, TLSInvalidCert: true, TLSPolicy: true,
}

// NeverRetried reports whether a failure with this detail is final.
func (d Detail) NeverRetried() bool { return neverRetried[d] }

// LooksLike is evidence for a person about a body; it never changes the kind.
type LooksLike string

// What a body can look like.
const (
	LooksEmpty             LooksLike = "empty"
	LooksHTML              LooksLike = "html"
	LooksHTMLErrorPage     LooksLike = "html_error_page"
	LooksWAFChallenge      LooksLike = "waf_challenge"
	LooksLoginPage         LooksLike = "login_page"
	LooksXML               LooksLike = "xml"
	LooksXMLFault          LooksLike = "xml_fault"
	LooksTruncatedJSON     LooksLike = "truncated_json"
	LooksNaNJSON           LooksLike = "nan_json"
	LooksUnquotedJSON      LooksLike = "unquoted_json"
	LooksMultipleDocuments LooksLike = "multiple_documents"
	LooksXSSIPrefix        LooksLike = "xssi_prefix"
	LooksInvalidJSON       LooksLike = "invalid_json"
	LooksGzipBytes         LooksLike = "gzip_bytes"
	LooksWrongCharset      LooksLike = "wrong_charset"
	LooksPlainText         LooksLike = "plain_text"
	LooksBinary            LooksLike = "binary"
)
