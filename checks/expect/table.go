package expect

import "github.com/fonteviva/fonteviva/checks/source"

// table has one row for each key of expect:. A row without Decode is a key
// that a later version builds: it is refused by name.
var table = source.NewObject("expect",
	source.Field[Spec]{Name: "status", Form: StatusForm, Doc: "the status: a number, a class (2xx) or a list of them", Decode: decodeStatus},
	source.Field[Spec]{Name: "content_type", Form: source.OneOrList(1, source.Matching(`^\s*[^\s/;]+/[^\s/;]+`)), Doc: "the media type, or a list of them; parameters count where they are given", Decode: decodeContentType},
	source.Field[Spec]{Name: "headers", Form: source.NamedMap(1, tokenPattern, source.Either(source.AnyText, headerTable.Form)), Doc: "response headers: the text, or matchers", Decode: decodeHeaders},
	source.Field[Spec]{Name: "max_duration", Form: maxDurationForm, Doc: "the longest time that the successful attempt may take", Decode: decodeMaxDuration},
	source.Field[Spec]{Name: "json", Form: source.List(1, assertionTable.Form), Doc: "a list of assertions on JSON paths", Decode: decodeJSON},
	source.Field[Spec]{Name: "body", Form: source.Some(bodyTable.Form), Doc: "matchers on the body as text", Decode: decodeBody},
	source.Field[Spec]{Name: "schema", Form: source.Either(source.SomeText, schemaTable.Form), Doc: "a JSON Schema file, or {file, severity, formats, refs}", Decode: decodeSchema},
	source.Field[Spec]{Name: "shape", Form: source.Either(source.SomeText, shapeTable.Form), Doc: "a recorded shape, or {file, reads, enums, bounds, severity}", Decode: decodeShape},
	source.Field[Spec]{Name: "fresh", Form: source.With(freshTable.Form, anyOfKeys("warn", "fail")), Doc: "the age of the newest date", Decode: decodeFresh},
	source.Field[Spec]{Name: "cel", Form: source.List(1, source.Either(source.SomeText, predicateTable.Form)), Doc: "a list of CEL predicates over body, status, headers, request, duration and captures", Decode: decodeCEL},
	source.Field[Spec]{Name: "xpath", Form: source.Either(xpathListForm, xpathTable.Form), Doc: "a list of assertions on an XML body, or {namespaces, assertions}", Decode: decodeXPath},
	source.Field[Spec]{Name: "text", Form: source.Some(mcpTextTable.Form), Doc: "the text of an MCP tool's answer", Decode: decodeMCPText},
	source.Field[Spec]{Name: "tls", Form: source.Some(tlsTable.Form), Doc: "the certificate and the TLS version", Decode: decodeTLS},
	source.Field[Spec]{Name: "is_error", Form: source.Flag, Doc: "whether an MCP tool says that it failed", Decode: decodeIsError},
	source.Field[Spec]{Name: "output_schema", Form: source.True, Doc: "the schema that an MCP tool lists", Decode: decodeOutputSchema},
	source.Field[Spec]{Name: "provenance", Form: provenanceTable.Form, Doc: "where an MCP answer says that it comes from", Decode: decodeProvenance},
	source.Field[Spec]{Name: "surface", Form: source.Either(source.SomeText, surfaceTable.Form), Doc: "what an MCP server offers, as it was accepted: a file, or {file, severity}", Decode: decodeSurface},
	source.Field[Spec]{Name: "titles", Form: source.True, Doc: "the titles of an MCP server's tools", Decode: decodeTitles},
	source.Field[Spec]{Name: "count", Form: source.Either(source.Whole(0, maxListed), source.Some(countTable.Form)), Doc: "how many of what is listed an MCP server offers: a number, or {min, max}", Decode: decodeCount},
	source.Field[Spec]{Name: "unknown_argument", Form: source.Either(source.OneOf("refuse"), unknownTable.Form), Doc: "what an MCP tool does with an argument that it does not know", Decode: decodeUnknownArgument},
)
