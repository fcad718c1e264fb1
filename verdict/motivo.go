package verdict

import (
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

// byCause, byDetail, byLooks and byKindText are the sentences, the most
// telling first.
var byCause = map[fetch.Cause]string{
	fetch.CauseProxy:         "o proxy recusou ou não respondeu: a falha é do nosso caminho, não da origem",
	fetch.CauseRunnerOffline: "o alvo de controle também falhou: quem está sem rede somos nós",
	fetch.CauseFDLimit:       "o limite de arquivos abertos desta máquina foi atingido",
	fetch.CauseOwnLimiter:    "o nosso próprio limite de requisições consumiu o orçamento",
	fetch.CauseMaxBody:       "a resposta passou do nosso limite de tamanho (max_body)",
	fetch.CauseMaxHeader:     "o cabeçalho da resposta passou do nosso limite de 1 MiB",
	fetch.CauseMaxDepth:      "o corpo é mais fundo que o nosso limite (10 000 níveis de JSON, 256 de XML)",
	fetch.CauseMaxParts:      "o corpo tem mais partes que o nosso limite (nós de XML, colunas de CSV, ou 256 MiB depois de convertido)",
	fetch.CauseMaxSteps:      "uma expectativa custa mais passos que o nosso limite: o contrato não foi medido",
	fetch.CauseNoRecording:   "não há gravação desta requisição: nada se sabe da origem",
	fetch.CausePanic:         "o nosso próprio código falhou (panic, ou um gancho que não terminou)",
}

var byDetail = map[fetch.Detail]string{
	fetch.DNSNXDomain:         "o nome do servidor não existe no DNS",
	fetch.DNSServfail:         "o DNS falhou ao resolver o nome do servidor",
	fetch.DNSTimeout:          "o DNS não respondeu a tempo",
	fetch.TCPRefused:          "a conexão foi recusada",
	fetch.TCPReset:            "a conexão foi derrubada",
	fetch.TCPUnreachable:      "não há rota até o servidor",
	fetch.TCPTimeout:          "o servidor não aceitou a conexão a tempo",
	fetch.TLSExpired:          "TLS: o certificado do servidor venceu",
	fetch.TLSNotYetValid:      "TLS: o certificado do servidor ainda não vale",
	fetch.TLSUnknownAuthority: "TLS: a autoridade do certificado é desconhecida ou a cadeia está incompleta",
	fetch.TLSWrongHost:        "TLS: o certificado é de outro nome",
	fetch.TLSInvalidCert:      "TLS: o certificado não pôde ser verificado",
	fetch.TLSPolicy:           "TLS: a política do nosso cliente e a do servidor não combinam",
	fetch.TLSAlert:            "TLS: o servidor encerrou a negociação com um alerta",
	fetch.TLSNotTLS:           "TLS: o servidor não fala TLS nessa porta",
	fetch.TLSTimeout:          "a negociação TLS não terminou a tempo",
	fetch.HTTPMalformed:       "a resposta não é HTTP válido",
	fetch.HTTPUpgrade:         "o servidor mudou de protocolo sem que se pedisse (101)",
	fetch.ConnectionClosed:    "o servidor fechou a conexão sem responder",
	fetch.BodyCut:             "o corpo da resposta veio cortado",
	fetch.HeaderTimeout:       "o servidor aceitou a conexão e não respondeu a tempo",
	fetch.BodyTimeout:         "o corpo da resposta não terminou a tempo",
	fetch.BudgetSpent:         "o orçamento de tempo da viagem acabou",
	fetch.BadEncoding:         "o corpo não está na codificação que o cabeçalho declara",
	fetch.ProxyUpstream:       "o proxy diz que não alcançou a origem",
	fetch.RedirectLoop:        "o redirecionamento dá voltas",
	fetch.RedirectTooMany:     "há redirecionamentos demais",
	fetch.RedirectNoLocation:  "o redirecionamento não diz para onde",
	fetch.RedirectCrossHost:   "a origem redireciona para outro endereço, que não foi seguido",
	fetch.RedirectDowngrade:   "a origem redireciona de https para http, o que não se segue",
	fetch.RedirectUnsafe:      "a origem redireciona uma requisição que não se pode reenviar",
	fetch.RedirectRefused:     "a origem redireciona, e a política não segue redirecionamentos",
	fetch.NotModified:         "a origem respondeu 304 sem que se perguntasse",
	fetch.CircuitOpen:         "o disjuntor da origem está aberto: ela não foi perguntada",
	fetch.RejectedByHook:      "o corpo da resposta foi rejeitado",
	fetch.RPCError:            "o servidor MCP respondeu com um erro JSON-RPC",
	fetch.ToolError:           "a ferramenta MCP diz que falhou (isError)",
	fetch.InputRequired:       "o servidor MCP pede dados que ninguém lhe dará",
	fetch.NotRPC:              "o que veio não é uma mensagem JSON-RPC",
	fetch.WrongReply:          "veio a resposta JSON-RPC de outra chamada",
	fetch.NoReply:             "o fluxo terminou sem a resposta da chamada",
	fetch.ProtocolVersion:     "o servidor MCP não fala a versão do protocolo que se pede",
	fetch.ProcessExited:       "o comando do servidor MCP terminou antes de responder",
	fetch.CommandFailed:       "o comando do servidor MCP não pôde ser executado",
	fetch.CommandPrompt:       "o comando do servidor MCP espera que uma pessoa responda",
	fetch.IncompleteList:      "a lista não pôde ser percorrida até o fim",
	fetch.Cancelled:           "a execução foi interrompida por nós",
}

var byLooks = map[fetch.LooksLike]string{
	fetch.LooksEmpty:             "o corpo veio vazio",
	fetch.LooksHTML:              "veio uma página HTML no lugar do dado",
	fetch.LooksHTMLErrorPage:     "veio uma página de erro HTML no lugar do dado",
	fetch.LooksWAFChallenge:      "desafio WAF: o acesso foi recusado, contrato não medido",
	fetch.LooksLoginPage:         "redirecionado para login: veio uma página de entrada no lugar do dado",
	fetch.LooksXML:               "veio XML no lugar do dado",
	fetch.LooksXMLFault:          "veio uma mensagem de falha em XML no lugar do dado",
	fetch.LooksTruncatedJSON:     "o JSON veio cortado",
	fetch.LooksNaNJSON:           "o JSON traz NaN ou Infinity, que JSON não tem",
	fetch.LooksUnquotedJSON:      "o corpo parece JSON, mas as chaves vêm sem aspas",
	fetch.LooksMultipleDocuments: "há mais de um documento JSON no corpo",
	fetch.LooksXSSIPrefix:        "há um prefixo antes do JSON",
	fetch.LooksInvalidJSON:       "o JSON é inválido",
	fetch.LooksGzipBytes:         "o corpo veio comprimido sem que o cabeçalho o diga",
	fetch.LooksWrongCharset:      "o corpo não está em UTF-8",
	fetch.LooksPlainText:         "veio texto no lugar do dado",
	fetch.LooksBinary:            "vieram bytes que não são texto",
}

// byFormat is what is wrong with a body that is at least meant to be what was
// wanted.
var byFormat = map[string]string{
	"csv":    "o CSV é inválido",
	"ndjson": "uma linha do NDJSON não é um valor JSON",
	"xml":    "o XML é inválido",
}

// meant is what a body looks like that is meant to be of a format.
var meant = map[string][]fetch.LooksLike{
	"csv":    {fetch.LooksPlainText},
	"ndjson": {fetch.LooksInvalidJSON, fetch.LooksTruncatedJSON},
	"xml":    {fetch.LooksXML},
}

// misformed is what is wrong with the format of a body; nil where nothing is, or
// where the body is something else altogether.
func misformed(e *fetch.Error) *fetch.FormatError {
	var format *fetch.FormatError
	if e.Kind != fetch.MalformedBody || !errors.As(e.Err, &format) || !slices.Contains(meant[format.Format], e.LooksLike) {
		return nil
	}
	return format
}

var byKindText = map[fetch.Kind]string{
	fetch.Timeout:       "a origem não respondeu a tempo",
	fetch.Network:       "a rede até a origem falhou",
	fetch.RateLimited:   "a origem limitou as nossas requisições",
	fetch.HTTP5xx:       "a origem falhou",
	fetch.HTTP4xx:       "a origem recusou a requisição",
	fetch.MalformedBody: "o corpo da resposta não é o que se esperava",
	fetch.NotFound:      "a origem diz que o recurso não existe",
	fetch.Redirect:      "a origem redireciona",
	fetch.Aborted:       "a execução foi interrompida por nós",
}

// motivo composes the sentence: what happened, the status, where the body
// stopped being JSON, what the origin said about it.
func motivo(e *fetch.Error) string {
	var b strings.Builder
	b.WriteString(ruled(e))
	b.WriteString(what(e))
	b.WriteString(validity(e))
	if e.RPC != nil && e.RPC.Code != nil {
		fmt.Fprintf(&b, " (código %d)", *e.RPC.Code)
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, " (status %d)", e.Status)
	}
	switch format := misformed(e); {
	case format != nil && format.Line > 0:
		fmt.Fprintf(&b, ", na linha %d", format.Line)
	case e.Kind == fetch.MalformedBody && e.Offset > 0:
		fmt.Fprintf(&b, ", no byte %d", e.Offset)
	}
	if e.Location != nil {
		fmt.Fprintf(&b, ": %s", strconv.Quote(line(e.Location.URL, 200)))
	}
	if e.RetryAfter != nil {
		fmt.Fprintf(&b, "; pediu espera de %s", span(*e.RetryAfter))
	}
	if said := said(e); said != "" {
		fmt.Fprintf(&b, "; disse: «%s»", said)
	}
	if e.Kind == fetch.NotFound && strings.HasPrefix(e.URL, "http://") {
		b.WriteString("; a pergunta foi por http puro, talvez a porta https responda")
	}
	return b.String()
}

// span writes a time in whole seconds, in the units that there are of it: 1 h,
// 1 min 30 s.
func span(d time.Duration) string {
	var parts []string
	rest := int64(d.Round(time.Second) / time.Second)
	for _, u := range []struct {
		seconds int64
		name    string
	}{{3600, " h"}, {60, " min"}, {1, " s"}} {
		if n := rest / u.seconds; n > 0 || u.seconds == 1 && parts == nil {
			parts = append(parts, strconv.FormatInt(n, 10)+u.name)
		}
		rest %= u.seconds
	}
	return strings.Join(parts, " ")
}

// byMeansText is what a rule says, where it decided.
var byMeansText = map[fetch.Means]string{
	fetch.MeansIndisponivel: "indisponível",
	fetch.MeansRespondeu:    "uma recusa",
	fetch.MeansAmbiguo:      "ambíguo",
	fetch.MeansAlheio:       "alheio à origem",
}

// ruled names the declared rule that decided, and what it says. A built-in one
// only repeats what happened.
func ruled(e *fetch.Error) string {
	if e.Rule == nil || strings.HasPrefix(e.Rule.Name, fetch.BuiltinRule) {
		return ""
	}
	text, ok := byMeansText[e.Rule.Means]
	if !ok {
		return ""
	}
	return fmt.Sprintf("pela regra %s isto é %s: ", line(e.Rule.Name, excerptRunes), text)
}

// what picks the most telling sentence: our own causes, then a challenge or a
// detail, then what the body looks like where that is the fault.
func what(e *fetch.Error) string {
	if s, ok := byCause[e.Cause]; ok {
		return s
	}
	if e.LooksLike == fetch.LooksWAFChallenge && e.Status < 500 {
		return byLooks[e.LooksLike]
	}
	if s, ok := byDetail[e.Detail]; ok {
		return s
	}
	if format := misformed(e); format != nil {
		if s, ok := byFormat[format.Format]; ok {
			return s
		}
	}
	if s, ok := byLooks[e.LooksLike]; ok && e.Kind == fetch.MalformedBody {
		return s
	}
	if s, ok := byKindText[e.Kind]; ok {
		return s
	}
	if e.Rule != nil {
		return "a origem respondeu com um corpo que a declaração reconhece"
	}
	return "falha nossa sem classificação"
}

// validity is the date that a certificate ended or begins, where that is the
// fault: it tells a renewal forgotten last night from a host that nobody tends.
func validity(e *fetch.Error) string {
	var invalid x509.CertificateInvalidError
	if !errors.As(e.Err, &invalid) || invalid.Cert == nil {
		return ""
	}
	const day = "02/01/2006"
	switch e.Detail {
	case fetch.TLSExpired:
		return " em " + invalid.Cert.NotAfter.UTC().Format(day)
	case fetch.TLSNotYetValid:
		return "; começa em " + invalid.Cert.NotBefore.UTC().Format(day)
	}
	return ""
}
