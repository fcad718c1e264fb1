package report

import (
	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

var (
	groupWire    = Text{"detail: what happened exactly", "detail: o que aconteceu exatamente"}
	groupLooks   = Text{"looks_like: what the body resembles", "looks_like: com o que o corpo se parece"}
	groupWord    = Text{"other words of a report", "outras palavras de um relatório"}
	groupNote    = Text{"note: what was set right in passing", "nota: o que se acertou de passagem"}
	groupOutcome = Text{"outcome: what an answer means for another attempt", "outcome: o que uma resposta significa para outra tentativa"}
	groupStopped = Text{"stopped: why a trip made no further attempt", "stopped: por que uma viagem não fez outra tentativa"}
	groupWait    = Text{"wait_reason: why an attempt was waited for", "wait_reason: por que se esperou antes de uma tentativa"}
	groupChange  = Text{"change: what is new since the run before", "change: o que há de novo desde a execução anterior"}
)

// wireTopics explain causes, details and looks. What to do about one is what a
// result with it is told, so that the two cannot differ.
func wireTopics() []Topic {
	var list []Topic
	for i := range causeWords {
		w := &causeWords[i]
		r := checks.Result{Finding: checks.Alheio, Cause: &w.word}
		list = append(list, Topic{string(w.word), groupCause, w.means, nextStep(&r).sentence()})
	}
	for i := range detailWords {
		w := &detailWords[i]
		detail := string(w.word)
		r := checks.Result{Kind: &w.kind, Detail: &detail}
		if cause, ours := causeOf[w.word]; ours {
			r.Cause = &cause
		}
		list = append(list, Topic{detail, groupWire, w.means, nextStep(&r).sentence()})
	}
	malformed := fetch.MalformedBody
	for i := range looksWords {
		w := &looksWords[i]
		r := checks.Result{Finding: checks.Ambiguo, Kind: &malformed, LooksLike: &w.word}
		list = append(list, Topic{string(w.word), groupLooks, w.means, nextStep(&r).sentence()})
	}
	return list
}

// sentence ends a text with a point.
func (t Text) sentence() Text { return Text{t.EN + ".", t.PT + "."} }

var causeWords = []struct {
	word  fetch.Cause
	means Text
}{
	{fetch.CauseProxy, Text{"A proxy of ours refused, could not be reached, has an address that cannot be read, or gave no answer, and none when asked whether it is there: the origin was not asked. Verdict alheio.", "Um proxy nosso recusou, não foi alcançado, tem um endereço que não se lê ou não deu resposta, nem quando se perguntou se está lá: a origem não foi perguntada. Veredito alheio."}},
	{fetch.CauseRunnerOffline, Text{"The network failed, and so did connectivity:, the address that is asked then: this machine has no way out. Verdict alheio.", "A rede falhou, e também connectivity:, o endereço que então se pergunta: esta máquina não tem saída. Veredito alheio."}},
	{fetch.CauseFDLimit, Text{"The system gave no further file or socket (EMFILE, ENFILE). Verdict alheio.", "O sistema não deu mais arquivos nem sockets (EMFILE, ENFILE). Veredito alheio."}},
	{fetch.CauseOwnLimiter, Text{"Our own rate_limit: left no time of the trip's budget. Verdict alheio.", "O nosso próprio rate_limit: não deixou tempo do orçamento da viagem. Veredito alheio."}},
	{fetch.CauseMaxBody, Text{"The answer, as it is once it is uncompressed, is larger than max_body:. Verdict alheio.", "A resposta, já descomprimida, é maior que max_body:. Veredito alheio."}},
	{fetch.CauseCommand, Text{"The command of an MCP server could not be started, or waits for a person. Verdict alheio.", "O comando de um servidor MCP não pôde ser iniciado, ou espera uma pessoa. Veredito alheio."}},
	{fetch.CauseMaxHeader, Text{"The header of the answer is larger than the 1 MiB that is taken here: our limit, not the origin's fault. Verdict alheio.", "O cabeçalho da resposta é maior que o 1 MiB que se aceita aqui: limite nosso, não falha da origem. Veredito alheio."}},
	{fetch.CauseMaxDepth, Text{"The body is nested deeper than is followed here, which is 10 000 levels of JSON and 256 of XML: our limit, not the origin's fault. Verdict alheio.", "O corpo é mais fundo do que se segue aqui, que são 10 000 níveis de JSON e 256 de XML: limite nosso, não falha da origem. Veredito alheio."}},
	{fetch.CauseMaxParts, Text{"The body has more parts than are followed here (4 million nodes of XML, 10 000 columns of CSV, or csv and ndjson that become more than 256 MiB of JSON): our limit, not the origin's fault. Verdict alheio.", "O corpo tem mais partes do que se segue aqui (4 milhões de nós de XML, 10 000 colunas de CSV, ou csv e ndjson que viram mais de 256 MiB de JSON): limite nosso, não falha da origem. Veredito alheio."}},
	{fetch.CauseMaxSteps, Text{"An expectation, a cel predicate, an xpath or a schema, takes more steps on this answer than are followed here: our limit, not the origin's fault. Verdict alheio.", "Uma expectativa, um predicado cel, um xpath ou um schema, custa nesta resposta mais passos do que se seguem aqui: limite nosso, não falha da origem. Veredito alheio."}},
	{fetch.CauseNoRecording, Text{"A run with --replay has no answer to a request: it was never recorded, nothing answered it then, or the request has changed since (method, URL or body). Verdict alheio, never a pass.", "Uma execução com --replay não tem resposta para um pedido: nunca foi gravado, nada o respondeu então, ou o pedido mudou desde lá (método, URL ou corpo). Veredito alheio, nunca aprovado."}},
	{fetch.CausePanic, Text{"Code of ours, or a hook, broke; the run went on without this probe. Verdict alheio.", "Um código nosso, ou um hook, quebrou; a execução seguiu sem esta sonda. Veredito alheio."}},
}

// causeOf is the cause of those details that always have the same one.
var causeOf = map[fetch.Detail]fetch.Cause{
	fetch.NoRecording: fetch.CauseNoRecording, fetch.CommandFailed: fetch.CauseCommand, fetch.CommandPrompt: fetch.CauseCommand,
}

var detailWords = []struct {
	word  fetch.Detail
	kind  fetch.Kind // as it is met most
	means Text
}{
	{fetch.DNSNXDomain, fetch.Network, Text{"The DNS says that the name does not exist. It is not tried again.", "O DNS diz que o nome não existe. Não se repete."}},
	{fetch.DNSServfail, fetch.Network, Text{"The DNS failed to resolve the name.", "O DNS falhou ao resolver o nome."}},
	{fetch.DNSTimeout, fetch.Network, Text{"The DNS did not answer in time.", "O DNS não respondeu a tempo."}},
	{fetch.TCPRefused, fetch.Network, Text{"The connection was refused: nothing listens at that port.", "A conexão foi recusada: nada escuta naquela porta."}},
	{fetch.TCPReset, fetch.Network, Text{"The connection was reset.", "A conexão foi derrubada."}},
	{fetch.TCPUnreachable, fetch.Network, Text{"There is no route to the host.", "Não há rota até o host."}},
	{fetch.TCPTimeout, fetch.Timeout, Text{"The host did not accept the connection in time.", "O host não aceitou a conexão a tempo."}},
	{fetch.TLSExpired, fetch.Network, Text{"The certificate has expired. It is not tried again.", "O certificado venceu. Não se repete."}},
	{fetch.TLSNotYetValid, fetch.Network, Text{"The certificate is not valid yet. It is not tried again.", "O certificado ainda não vale. Não se repete."}},
	{fetch.TLSUnknownAuthority, fetch.Network, Text{"The certificate's authority is unknown here, or the chain is incomplete. It is not tried again.", "A autoridade do certificado é desconhecida aqui, ou a cadeia está incompleta. Não se repete."}},
	{fetch.TLSWrongHost, fetch.Network, Text{"The certificate is for another name. It is not tried again.", "O certificado é de outro nome. Não se repete."}},
	{fetch.TLSInvalidCert, fetch.Network, Text{"The certificate does not verify for another reason. It is not tried again.", "O certificado não se verifica por outra razão. Não se repete."}},
	{fetch.TLSPolicy, fetch.Network, Text{"Client and server have no TLS version or cipher in common. It is not tried again.", "Cliente e servidor não têm versão nem cifra de TLS em comum. Não se repete."}},
	{fetch.TLSNotTLS, fetch.Network, Text{"What answers at the port does not speak TLS.", "O que responde na porta não fala TLS."}},
	{fetch.TLSAlert, fetch.Network, Text{"The server ended the handshake with an alert.", "O servidor encerrou a negociação TLS com um alerta."}},
	{fetch.TLSTimeout, fetch.Timeout, Text{"The TLS handshake did not end in time.", "A negociação TLS não terminou a tempo."}},
	{fetch.ProxyUpstream, fetch.Network, Text{"A proxy says that it could not reach the origin, which is the origin's side: indisponivel.", "Um proxy diz que não alcançou a origem, o que é do lado dela: indisponivel."}},
	{fetch.HTTPMalformed, fetch.Network, Text{"What came is not valid HTTP.", "O que veio não é HTTP válido."}},
	{fetch.HTTPUpgrade, fetch.Network, Text{"The server changed to another protocol (101), which nobody had asked for.", "O servidor mudou de protocolo (101) sem que se pedisse."}},
	{fetch.ConnectionClosed, fetch.Network, Text{"The connection was closed before an answer came.", "A conexão foi fechada antes de vir uma resposta."}},
	{fetch.BodyCut, fetch.Network, Text{"The body broke off: it is shorter than its header says, or a chunk is missing. It is no answer, and never drift.", "O corpo veio cortado: é mais curto do que o cabeçalho diz, ou falta um pedaço. Não é resposta, e nunca drift."}},
	{fetch.HeaderTimeout, fetch.Timeout, Text{"The host accepted the connection and sent no header in time.", "O host aceitou a conexão e não mandou cabeçalho a tempo."}},
	{fetch.BodyTimeout, fetch.Timeout, Text{"The header came, and the body did not end in time.", "O cabeçalho veio, e o corpo não terminou a tempo."}},
	{fetch.BudgetSpent, fetch.Timeout, Text{"The trip's budget ended.", "O orçamento da viagem acabou."}},
	{fetch.BadEncoding, fetch.MalformedBody, Text{"The body is not in the coding that Content-Encoding says.", "O corpo não está na codificação que Content-Encoding diz."}},
	{fetch.RedirectLoop, fetch.Redirect, Text{"The redirects lead back to where they have been.", "Os redirecionamentos voltam a onde já estiveram."}},
	{fetch.RedirectTooMany, fetch.Redirect, Text{"There are too many redirects.", "Há redirecionamentos demais."}},
	{fetch.RedirectNoLocation, fetch.Redirect, Text{"The redirect has no usable Location.", "O redirecionamento não tem um Location utilizável."}},
	{fetch.RedirectCrossHost, fetch.Redirect, Text{"The source leads to another host, which redirects: same-host does not follow.", "A fonte leva a outro host, e redirects: same-host não segue."}},
	{fetch.RedirectDowngrade, fetch.Redirect, Text{"The source leads from https to http, which is not followed.", "A fonte leva de https a http, o que não se segue."}},
	{fetch.RedirectUnsafe, fetch.Redirect, Text{"Following the redirect would change the request, or send its body to another place.", "Seguir o redirecionamento mudaria o pedido, ou mandaria o corpo dele a outro lugar."}},
	{fetch.RedirectRefused, fetch.Redirect, Text{"The source redirects, and the policy follows none (redirects: none).", "A fonte redireciona, e a política não segue nenhum (redirects: none)."}},
	{fetch.NotModified, fetch.Redirect, Text{"The source says 304 not modified, and nobody had asked whether.", "A fonte diz 304 não modificado sem que se perguntasse."}},
	{fetch.CircuitOpen, "", Text{"The origin failed so often that it is left alone for a while: the probe was not asked. Verdict indisponivel.", "A origem falhou tanto que por um tempo não é mais perguntada: a sonda não foi perguntada. Veredito indisponivel."}},
	{fetch.RejectedByHook, fetch.MalformedBody, Text{"A hook of the program that calls us rejected the body.", "Um hook do programa que nos chama rejeitou o corpo."}},
	{fetch.RPCError, fetch.HTTP4xx, Text{"The MCP server answered with a JSON-RPC error.", "O servidor MCP respondeu com um erro JSON-RPC."}},
	{fetch.ToolError, fetch.HTTP4xx, Text{"The MCP tool says that it failed (isError).", "A ferramenta MCP diz que falhou (isError)."}},
	{fetch.InputRequired, fetch.HTTP4xx, Text{"The MCP server asks for input that nobody gives.", "O servidor MCP pede dados que ninguém dá."}},
	{fetch.NotRPC, fetch.MalformedBody, Text{"What came is no JSON-RPC message.", "O que veio não é uma mensagem JSON-RPC."}},
	{fetch.WrongReply, fetch.MalformedBody, Text{"A JSON-RPC reply to another call came.", "Veio a resposta JSON-RPC de outra chamada."}},
	{fetch.NoReply, fetch.MalformedBody, Text{"The stream ended without the reply to the call.", "O fluxo terminou sem a resposta da chamada."}},
	{fetch.ProtocolVersion, fetch.HTTP4xx, Text{"No version of the Model Context Protocol is known to both sides.", "Nenhuma versão do Model Context Protocol é conhecida dos dois lados."}},
	{fetch.ProcessExited, fetch.Network, Text{"The command of the MCP server ended before it answered.", "O comando do servidor MCP terminou antes de responder."}},
	{fetch.CommandFailed, fetch.Aborted, Text{"The command of the MCP server cannot be run here.", "O comando do servidor MCP não pode ser executado aqui."}},
	{fetch.CommandPrompt, fetch.Aborted, Text{"The command of the MCP server waits for a person to answer.", "O comando do servidor MCP espera que uma pessoa responda."}},
	{fetch.IncompleteList, fetch.Network, Text{"The pages of a list could not all be walked: nothing is said of what it holds.", "As páginas de uma lista não puderam ser todas percorridas: nada se diz do que ela tem."}},
	{fetch.NoRecording, fetch.Aborted, Text{"A run with --replay has no answer to this request.", "Uma execução com --replay não tem resposta para este pedido."}},
	{fetch.Cancelled, fetch.Aborted, Text{"The run ended while the probe was asked: a signal came, or its caller cancelled.", "A execução terminou enquanto a sonda era perguntada: veio um sinal, ou quem chamou cancelou."}},
}

var looksWords = []struct {
	word  fetch.LooksLike
	means Text
}{
	{fetch.LooksEmpty, Text{"Nothing: the body is empty.", "Nada: o corpo está vazio."}},
	{fetch.LooksHTML, Text{"An HTML page in the place of data.", "Uma página HTML no lugar dos dados."}},
	{fetch.LooksHTMLErrorPage, Text{"An error page in the place of data.", "Uma página de erro no lugar dos dados."}},
	{fetch.LooksWAFChallenge, Text{"A firewall's challenge, which asks for a browser.", "O desafio de um firewall, que exige navegador."}},
	{fetch.LooksLoginPage, Text{"A page that asks for a login.", "Uma página que pede login."}},
	{fetch.LooksXML, Text{"XML in the place of data.", "XML no lugar dos dados."}},
	{fetch.LooksXMLFault, Text{"A fault written in XML, such as SOAP's.", "Uma mensagem de falha em XML, como a do SOAP."}},
	{fetch.LooksTruncatedJSON, Text{"JSON that breaks off.", "JSON cortado."}},
	{fetch.LooksNaNJSON, Text{"JSON with NaN or Infinity, which JSON does not have.", "JSON com NaN ou Infinity, que JSON não tem."}},
	{fetch.LooksUnquotedJSON, Text{"JSON whose keys have no quotes.", "JSON com chaves sem aspas."}},
	{fetch.LooksMultipleDocuments, Text{"More than one JSON document; as: ndjson reads one a line.", "Mais de um documento JSON; as: ndjson lê um por linha."}},
	{fetch.LooksXSSIPrefix, Text{"JSON behind a prefix that keeps browsers from running it.", "JSON atrás de um prefixo que impede navegadores de executá-lo."}},
	{fetch.LooksInvalidJSON, Text{"JSON with a mistake in it.", "JSON com um erro."}},
	{fetch.LooksGzipBytes, Text{"Compressed bytes that no Content-Encoding announces.", "Bytes comprimidos que nenhum Content-Encoding anuncia."}},
	{fetch.LooksWrongCharset, Text{"Text that is not in UTF-8, though it should be.", "Texto que não está em UTF-8, embora devesse."}},
	{fetch.LooksPlainText, Text{"Plain text in the place of data.", "Texto puro no lugar dos dados."}},
	{fetch.LooksBinary, Text{"Bytes that are no text.", "Bytes que não são texto."}},
}
