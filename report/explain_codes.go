package report

import (
	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
)

var groupCode = Text{"mismatch: what of the contract does not hold", "mismatch: o que do contrato não vale"}

// codeTopics explain the codes of mismatches by what stands before their first
// point: the key under expect: in most cases. What to do is what a result with
// nothing else broken is told.
func codeTopics() []Topic {
	list := make([]Topic, len(codeWords))
	for i, w := range codeWords {
		r := checks.Result{Finding: checks.Drift, Mismatches: []expect.Mismatch{{Code: w.word, Severity: expect.Fail}}}
		do := nextStep(&r).sentence()
		if w.do.EN != "" {
			do = w.do
		}
		list[i] = Topic{w.word, groupCode, w.means, do}
	}
	return list
}

var codeWords = []struct {
	word      string
	means, do Text // do: only where it is not what every drift is told
}{
	{word: "status", means: Text{"The answer has another status than expect: status: names.", "A resposta tem outro status que não o de expect: status:."}},
	{word: "content_type", means: Text{"The answer is of another Content-Type.", "A resposta tem outro Content-Type."}},
	{word: "headers", means: Text{"A response header is not as expected.", "Um cabeçalho da resposta não é o esperado."}},
	{word: "body", means: Text{"The text of the body is not as expected, or it is too large.", "O texto do corpo não é o esperado, ou ele é grande demais."}},
	{word: "max_duration", means: Text{"The answer took longer than max_duration:. A warning, unless severity: fail.", "A resposta demorou mais que max_duration:. Um aviso, salvo severity: fail."}},
	{word: "json", means: Text{"A matcher of expect: json: does not hold at a place of the body; json.duplicate_key is a key that comes twice in one object.", "Um comparador de expect: json: não vale num lugar do corpo; json.duplicate_key é uma chave que vem duas vezes num objeto."}},
	{word: "xpath", means: Text{"A matcher of expect: xpath: does not hold at a node of the XML.", "Um comparador de expect: xpath: não vale num nó do XML."}},
	{word: "cel", means: Text{"A predicate of expect: cel: is false, or cannot be evaluated on this answer.", "Um predicado de expect: cel: é falso, ou não se avalia nesta resposta."}},
	{word: "schema", means: Text{"The body does not fit the JSON Schema of expect: schema:.", "O corpo não cabe no JSON Schema de expect: schema:."}},
	{word: "shape", means: Text{"The body differs from the recorded shape; the README has a table of all shape. codes.", "O corpo difere da forma gravada; o README tem uma tabela de todos os códigos shape."}},
	{word: "surface", means: Text{"What the MCP server offers differs from what was accepted.", "O que o servidor MCP oferece difere do que foi aceito."}},
	{word: "fresh", means: Text{"The newest date is older than expect: fresh: allows, or there is none.", "A data mais nova é mais velha do que expect: fresh: permite, ou não há nenhuma."}},
	{word: "tls", means: Text{"The certificate, its issuer or the TLS version is not what expect: tls: asks for.", "O certificado, o emissor ou a versão de TLS não é o que expect: tls: pede."}},
	{word: "capture", means: Text{"The answer has no value for a capture:.", "A resposta não tem valor para um capture:."}},
	{word: "next", means: Text{"The pages of the answer cannot be walked as next: says: no address, no items, a page that was there before or is elsewhere, or a Link header that cannot be read (next.link). Pages are missing then; only next.max_pages is a warning.", "As páginas da resposta não podem ser percorridas como next: diz: sem endereço, sem itens, uma página repetida ou em outro lugar, ou um cabeçalho Link que não se lê (next.link). Faltam páginas então; só next.max_pages é um aviso."}},
	{word: "answers", means: Text{"A rule under answers: says that this answer is drift.", "Uma regra em answers: diz que esta resposta é drift."}},
	{word: "format", means: Text{"The source is healthy and gives the same body each time that is not of the format the probe reads.", "A fonte está bem e dá toda vez o mesmo corpo, que não é do formato que a sonda lê."}},
	{word: "empty", means: Text{"There is legitimately no data; empty: ok, warn or fail says what follows. Also empty_when.", "Não há dados, legitimamente; empty: ok, warn ou fail diz o que decorre. Também empty_when."}},
	{word: "empty_when", means: Text{"What the path of empty_when: goes through is not there: that is no emptiness, the format has changed.", "Aquilo por onde o caminho de empty_when: passa não está lá: isso não é vazio, o formato mudou."}},
	{word: "max_empty", means: Text{"Every answer has been empty for longer than max_empty: allows.", "Toda resposta veio vazia há mais tempo do que max_empty: permite."}},
	{word: "redirect.moved", means: Text{"The answer came from another place than was asked: a warning.", "A resposta veio de outro lugar que não o perguntado: um aviso."}, do: Text{"put the new address into the declaration.", "ponha o novo endereço na declaração."}},
	{word: "known_failure", means: Text{"An entry of known_failures: is over: the failure is gone, or its day is.", "Uma entrada de known_failures: acabou: a falha passou, ou o dia dela."}, do: Text{"remove the entry, or give it a new date.", "tire a entrada, ou dê-lhe nova data."}},

	{word: "is_error", means: Text{"The MCP tool's isError is not what expect: is_error: says.", "O isError da ferramenta MCP não é o que expect: is_error: diz."}},
	{word: "text", means: Text{"The text of the MCP tool's answer is not as expected.", "O texto da resposta da ferramenta MCP não é o esperado."}},
	{word: "output_schema", means: Text{"The MCP tool's answer does not fit the schema that the server lists for it.", "A resposta da ferramenta MCP não cabe no esquema que o servidor lista para ela."}},
	{word: "provenance", means: Text{"The block that says where the MCP tool's data comes from is missing or wrong.", "O bloco que diz de onde vêm os dados da ferramenta MCP falta ou está errado."}},
	{word: "unknown_argument", means: Text{"The MCP tool takes an argument that does not exist, or fails on it otherwise than declared.", "A ferramenta MCP aceita um argumento que não existe, ou falha com ele de outro modo que o declarado."}},
	{word: "count", means: Text{"The MCP server lists more or fewer entries than expect: count: allows.", "O servidor MCP lista mais ou menos itens do que expect: count: permite."}},
	{word: "titles", means: Text{"Something that the MCP server lists has no title.", "Algo que o servidor MCP lista não tem título."}},
	{word: "cursor", means: Text{"The MCP server's cursor leads back to a page that was seen.", "O cursor do servidor MCP volta a uma página já vista."}},
}
