package expect

import "github.com/fonteviva/fonteviva/checks/source"

// table has one row for each key of expect:. A row without Decode is a key
// that a later version builds: it is refused by name.
var table = source.NewObject("expect",
	source.Field[Spec]{Name: "status", Doc: "the status: a number, a class (2xx) or a list of them", Decode: decodeStatus},
	source.Field[Spec]{Name: "content_type", Doc: "the media type, or a list of them; parameters count where they are given", Decode: decodeContentType},
	source.Field[Spec]{Name: "headers", Doc: "response headers: the text, or matchers", Decode: decodeHeaders},
	source.Field[Spec]{Name: "max_duration", Doc: "the longest time that the successful attempt may take", Decode: decodeMaxDuration},
	source.Field[Spec]{Name: "json", Doc: "a list of assertions on JSON paths", Decode: decodeJSON},
	source.Field[Spec]{Name: "body", Doc: "matchers on the body as text", Decode: decodeBody},
	source.Field[Spec]{Name: "schema", Doc: "a JSON Schema file, or {file, severity, formats, refs}", Decode: decodeSchema},
	source.Field[Spec]{Name: "shape", Doc: "a recorded shape, or {file, reads, enums, bounds, severity}", Decode: decodeShape},
	source.Field[Spec]{Name: "fresh", Doc: "the age of the newest date", Decode: decodeFresh},
	source.Field[Spec]{Name: "cel", Doc: "a list of CEL predicates over body, status, headers, request, duration and captures", Decode: decodeCEL},
	source.Field[Spec]{Name: "xpath", Doc: "a list of assertions on an XML body, or {namespaces, assertions}", Decode: decodeXPath},
	source.Field[Spec]{Name: "text", Doc: "the text of an MCP tool's answer", Decode: decodeMCPText},
	source.Field[Spec]{Name: "tls", Doc: "the certificate and the TLS version", Decode: decodeTLS},
	source.Field[Spec]{Name: "is_error", Doc: "whether an MCP tool says that it failed", Decode: decodeIsError},
	source.Field[Spec]{Name: "output_schema", Doc: "the schema that an MCP tool lists", Decode: decodeOutputSchema},
	source.Field[Spec]{Name: "provenance", Doc: "where an MCP answer says that it comes from", Decode: decodeProvenance},
	source.Field[Spec]{Name: "surface", Doc: "what an MCP server offers, as it was accepted: a file, or {file, severity}", Decode: decodeSurface},
	source.Field[Spec]{Name: "titles", Doc: "the titles of an MCP server's tools", Decode: decodeTitles},
	source.Field[Spec]{Name: "count", Doc: "how many of what is listed an MCP server offers: a number, or {min, max}", Decode: decodeCount},
	source.Field[Spec]{Name: "unknown_argument", Doc: "what an MCP tool does with an argument that it does not know", Decode: decodeUnknownArgument},
)
