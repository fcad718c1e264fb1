package report

import (
	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

// advices are for what was not measured.
var advices = []advice{
	{cause: fetch.CauseProxy, text: Text{"check the proxy (HTTPS_PROXY, NO_PROXY, proxy:); the source was not reached", "confira o proxy (HTTPS_PROXY, NO_PROXY, proxy:); a fonte não foi alcançada"}},
	{cause: fetch.CauseRunnerOffline, text: Text{"bring this machine's network back, then run again", "restabeleça a rede desta máquina e execute de novo"}},
	{cause: fetch.CauseFDLimit, text: Text{"raise the limit of open files (ulimit -n) or lower --parallel", "aumente o limite de arquivos abertos (ulimit -n) ou diminua --parallel"}},
	{cause: fetch.CauseOwnLimiter, text: Text{"our own rate limit used the budget up: raise budget: or rate_limit:", "o nosso próprio limite de taxa gastou o orçamento: aumente budget: ou rate_limit:"}},
	{cause: fetch.CauseMaxBody, text: Text{"the answer is larger than max_body: raise it, or ask for less", "a resposta é maior que max_body: aumente-o ou peça menos"}},
	{cause: fetch.CauseMaxHeader, text: Text{"the answer's header is larger than the 1 MiB that we take: ask for less, or tell the source's owner", "o cabeçalho da resposta é maior que o 1 MiB que aceitamos: peça menos ou avise o dono da fonte"}},
	{cause: fetch.CauseMaxDepth, text: Text{"the body is deeper than we follow: ask for less, or read it as: text", "o corpo é mais fundo do que seguimos: peça menos ou leia-o com as: text"}},
	{cause: fetch.CauseMaxParts, text: Text{"the body has more parts than we follow: ask for less, or read it as: text", "o corpo tem mais partes do que seguimos: peça menos ou leia-o com as: text"}},
	{cause: fetch.CauseMaxSteps, text: Text{"an expectation costs more steps than we follow: write it so that it looks at less, or ask for less", "uma expectativa custa mais passos do que seguimos: escreva-a de modo que olhe menos ou peça menos"}},
	{cause: fetch.CauseNoRecording, text: Text{"record it with fonteviva record {name}, or run without --replay", "grave com fonteviva record {name} ou execute sem --replay"}},
	{detail: string(fetch.CommandPrompt), text: Text{"the server's command waits for a person: give it what makes it start by itself (npx -y)", "o comando do servidor espera uma pessoa: dê-lhe o que o faz começar sozinho (npx -y)"}},
	{cause: fetch.CauseCommand, text: Text{"the server's command does not run here: check mcp: command, cwd and env", "o comando do servidor não roda aqui: confira command, cwd e env em mcp:"}},
	{detail: string(fetch.ProcessExited), text: Text{"the server's command ended: read its last words above, and start it by hand", "o comando do servidor terminou: leia as últimas palavras dele acima e inicie-o à mão"}},
	{detail: string(fetch.ProtocolVersion), text: Text{"pin another version with mcp: protocol, or leave it to auto", "fixe outra versão em mcp: protocol ou deixe auto"}},
	{cause: fetch.CausePanic, text: Text{"this is a bug of fonteviva or of a hook: report it with the trace code", "isto é um defeito do fonteviva ou de um hook: relate com o código de rastreio"}},
	{detail: checks.DetailPanic, text: Text{"this is a bug of fonteviva or of a hook: report it with the trace code", "isto é um defeito do fonteviva ou de um hook: relate com o código de rastreio"}},
	{detail: checks.DetailBoundSecret, text: Text{"a captured value holds a secret: capture something else, or list this host under secrets: hosts", "um valor capturado contém um segredo: capture outra coisa, ou liste este host em secrets: hosts"}},
	{detail: checks.DetailUnfitCapture, text: Text{"a captured value has no place in this request: capture another one, or expect its form where it is captured", "um valor capturado não cabe neste pedido: capture outro, ou espere a forma dele onde é capturado"}},
	{detail: checks.DetailRunBudget, text: Text{"raise --budget, or select fewer probes", "aumente --budget ou selecione menos sondas"}},
	{detail: checks.DetailInterrupted, text: Text{"run again", "execute de novo"}},
	{detail: detailDependency, text: Text{"look at the probe that motivo names: this one needs it", "olhe a sonda que motivo nomeia: esta depende dela"}},
	{detail: checks.DetailUnconfirmed, text: Text{"the first answer broke the contract and could not be confirmed: run again", "a primeira resposta quebrou o contrato e não pôde ser confirmada: execute de novo"}},
	{detail: string(fetch.CircuitOpen), text: Text{"the source failed too often, so it is left alone for now: try again later", "a fonte falhou demais e por ora não é mais perguntada: tente mais tarde"}},

	{finding: checks.Indisponivel, detail: checks.DetailSentinel, text: Text{
		"the origin's known-good request fails as well: nothing to fix here, try again later",
		"a pergunta que sempre dá certo também falha: nada a corrigir aqui, tente mais tarde",
	}},
	{finding: checks.Respondeu, detail: checks.DetailSentinel, text: Text{
		"the source is healthy and refuses this request in its own way: check its path and parameters",
		"a fonte está bem e recusa este pedido do jeito dela: confira caminho e parâmetros",
	}},

	// What a rule made of an answer counts, whatever the answer was on the wire.
	{finding: checks.Indisponivel, ruled: true, text: Text{
		"a rule under answers: says that this answer is an outage of the source: nothing to fix here, try again later",
		"uma regra em answers: diz que esta resposta é uma queda da fonte: nada a corrigir aqui, tente mais tarde",
	}},
	{finding: checks.Respondeu, ruled: true, text: Text{
		"a rule under answers: says that the source refuses this request with this answer: check its path, parameters and auth:",
		"uma regra em answers: diz que com esta resposta a fonte recusa o pedido: confira caminho, parâmetros e auth:",
	}},
	{finding: checks.Ambiguo, ruled: true, text: Text{
		"a rule under answers: says that this answer tells nothing: run again; a sentinel: on the origin would tell",
		"uma regra em answers: diz que esta resposta não decide nada: execute de novo; uma sentinel: na origem diria",
	}},
	{finding: checks.Alheio, ruled: true, text: Text{
		"a rule under answers: says that this answer is of our own side's making: look there first",
		"uma regra em answers: diz que esta resposta vem do nosso próprio lado: olhe-o primeiro",
	}},

	{detail: string(fetch.RPCError), text: Text{"the server refused the call: check the tool's name and arguments; if it blames its own source, declare rpc_code under answers:", "o servidor recusou a chamada: confira o nome e os argumentos da ferramenta; se a culpa é da fonte dele, declare rpc_code em answers:"}},
	{detail: string(fetch.ToolError), text: Text{"the tool failed: if it is its source that is down, declare is_error with body_contains under answers:", "a ferramenta falhou: se é a fonte dela que está fora, declare is_error com body_contains em answers:"}},

	{detail: string(fetch.DNSNXDomain), text: Text{"the name does not exist: check the origin's url, then its DNS", "o nome não existe: confira a url da origem e depois o DNS dela"}},
	{detail: string(fetch.DNSServfail), text: Text{"the name servers fail: try again later, or ask another resolver", "os servidores de nome falham: tente mais tarde ou com outro resolvedor"}},
	{detail: string(fetch.DNSTimeout), text: Text{"no name server answered: check this machine's resolver, then try again", "nenhum servidor de nome respondeu: confira o resolvedor desta máquina e tente de novo"}},
	{detail: string(fetch.TCPRefused), text: Text{"nothing listens there: check the port, or wait for the service to start", "nada escuta ali: confira a porta ou espere o serviço subir"}},
	{detail: string(fetch.TCPUnreachable), text: Text{"no way leads there from this machine: check its network and the origin's url", "nenhum caminho leva até lá desta máquina: confira a rede dela e a url da origem"}},
	{detail: string(fetch.TLSExpired), text: Text{"the source's certificate has expired: its owner must renew it", "o certificado da fonte venceu: o dono dela precisa renovar"}},
	{detail: string(fetch.TLSNotYetValid), text: Text{"the certificate is not valid yet: check this machine's clock", "o certificado ainda não vale: confira o relógio desta máquina"}},
	{detail: string(fetch.TLSUnknownAuthority), text: Text{"the authority is not trusted here: check that it is the right one, then give it with tls: ca_file", "a autoridade não é confiável aqui: confira se é a certa e informe-a em tls: ca_file"}},
	{detail: string(fetch.TLSWrongHost), text: Text{"the certificate is for another host: check the origin's url", "o certificado é de outro host: confira a url da origem"}},
	{detail: string(fetch.TLSInvalidCert), text: Text{"the certificate does not verify: its owner must replace it", "o certificado não é válido: o dono precisa trocá-lo"}},
	{detail: string(fetch.TLSPolicy), text: Text{"the TLS versions or ciphers have nothing in common: the source needs TLS 1.2 or later", "as versões ou cifras de TLS não têm nada em comum: a fonte precisa de TLS 1.2 ou mais novo"}},
	{detail: string(fetch.TLSNotTLS), text: Text{"the port does not speak TLS: check http or https in the origin's url", "a porta não fala TLS: confira http ou https na url da origem"}},

	{detail: string(fetch.HTTPMalformed), text: Text{"what came is not HTTP: check scheme and port of the origin's url", "o que veio não é HTTP: confira esquema e porta da url da origem"}},
	{detail: string(fetch.HTTPUpgrade), text: Text{"the server wants another protocol than HTTP: check the origin's url", "o servidor quer outro protocolo que não HTTP: confira a url da origem"}},
	{detail: string(fetch.BodyCut), text: Text{"the answer broke off: try again later; if it always does, tell the source's owner", "a resposta foi cortada: tente mais tarde; se é sempre assim, avise o dono da fonte"}},
	{detail: string(fetch.BadEncoding), text: Text{"the body is not compressed as Content-Encoding says: run again; if it stays, tell the source's owner", "o corpo não está comprimido como Content-Encoding diz: execute de novo; se continuar, avise o dono da fonte"}},

	{detail: string(fetch.RedirectLoop), text: Text{"the redirects go round in a circle: tell the source's owner, or ask for the last address itself", "os redirecionamentos andam em círculo: avise o dono da fonte ou peça o último endereço diretamente"}},
	{detail: string(fetch.RedirectTooMany), text: Text{"the redirects do not come to an end: tell the source's owner, or ask for the last address itself", "os redirecionamentos não têm fim: avise o dono da fonte ou peça o último endereço diretamente"}},
	{detail: string(fetch.RedirectNoLocation), text: Text{"the redirect does not say where to: tell the source's owner", "o redirecionamento não diz para onde: avise o dono da fonte"}},
	{detail: string(fetch.RedirectDowngrade), text: Text{"the source leads from https to http, where no request is sent: tell its owner, or ask for another address", "a fonte leva de https a http, para onde não se manda pedido: avise o dono dela ou peça outro endereço"}},
	{detail: string(fetch.RedirectUnsafe), text: Text{"the request may not be sent to another address by itself: put the new address into the declaration", "o pedido não pode ser mandado sozinho a outro endereço: ponha o novo endereço na declaração"}},
	{detail: string(fetch.NotModified), text: Text{"the source says not modified though nobody asked: remove If-None-Match and the like from headers:, or tell its owner", "a fonte diz que nada mudou sem que se perguntasse: tire If-None-Match e afins de headers: ou avise o dono dela"}},

	{detail: string(fetch.InputRequired), text: Text{"the server asks for what no run can give: call another tool, or give it all in arguments:", "o servidor pede o que nenhuma execução pode dar: chame outra ferramenta ou dê tudo em arguments:"}},
	{detail: string(fetch.NotRPC), text: Text{"what came is no JSON-RPC: check the url under mcp: (its path is often /mcp)", "o que veio não é JSON-RPC: confira a url em mcp: (o caminho costuma ser /mcp)"}},
	{detail: string(fetch.WrongReply), text: Text{"the server answers another request than was sent: tell its owner", "o servidor responde a outro pedido que não o enviado: avise o dono dele"}},
	{detail: string(fetch.NoReply), text: Text{"the server ended without a reply: run again; if it stays, look at the server's own log", "o servidor terminou sem responder: execute de novo; se continuar, olhe o log do próprio servidor"}},
	{detail: string(fetch.IncompleteList), text: Text{"a page of the list could not be had: try again later", "uma página da lista não pôde ser obtida: tente mais tarde"}},

	{looks: fetch.LooksWAFChallenge, text: Text{"a firewall asks for a browser: ask the owner to let this client in, or declare it under answers:", "um firewall exige navegador: peça ao dono que libere este cliente ou declare isso em answers:"}},
	{looks: fetch.LooksLoginPage, text: Text{"the source asks for a login: check auth: and whether the credentials still hold", "a fonte pede login: confira auth: e se as credenciais ainda valem"}},
	{looks: fetch.LooksHTMLErrorPage, kind: fetch.MalformedBody, text: Text{"an error page came with a success status: try again later; if it stays, declare it under answers:", "uma página de erro veio com status de sucesso: tente mais tarde; se continuar, declare em answers:"}},
	{looks: fetch.LooksEmpty, kind: fetch.MalformedBody, text: Text{"the body is empty: run again; where that is right, declare {status: 200, body_is: empty, means: absent} under answers:", "o corpo está vazio: execute de novo; onde isso é o certo, declare {status: 200, body_is: empty, means: absent} em answers:"}},
	{looks: fetch.LooksPlainText, kind: fetch.MalformedBody, text: Text{
		"run again; if it stays, look at it with the curl command that -v shows: where that text is the data, as: says what it is, and csv: how it is written (delimiter, header)",
		"execute de novo; se continuar, olhe-o com o comando curl que -v mostra: onde esse texto é o dado, as: diz o que ele é, e csv: como está escrito (delimiter, header)",
	}},
	{looks: fetch.LooksGzipBytes, text: Text{"compressed bytes came without Content-Encoding: tell the source's owner", "vieram bytes comprimidos sem Content-Encoding: avise o dono da fonte"}},
	{looks: fetch.LooksWrongCharset, text: Text{"the body is not in UTF-8: check what charset the source sends now", "o corpo não está em UTF-8: confira que charset a fonte manda agora"}},

	{kind: fetch.Timeout, text: Text{"try again later; if it is always slow, raise timeout: and budget:", "tente mais tarde; se é sempre lenta, aumente timeout: e budget:"}},
	{kind: fetch.Network, text: Text{"try again later; check the route from this machine if other sources answer", "tente mais tarde; se outras fontes respondem, confira a rota desta máquina"}},
	{kind: fetch.RateLimited, text: Text{"ask less often: set rate_limit: for the origin, or try again later", "pergunte menos: use rate_limit: na origem ou tente mais tarde"}},
	{kind: fetch.HTTP5xx, text: Text{"nothing to fix here: the source is failing, try again later", "nada a corrigir aqui: a fonte está falhando, tente mais tarde"}},
	{kind: fetch.HTTP4xx, text: Text{"the source refused the request: check its path, parameters and auth:", "a fonte recusou o pedido: confira caminho, parâmetros e auth:"}},
	{kind: fetch.NotFound, text: Text{"the address is gone: find the new path, or expect status: 404 if that is right", "o endereço sumiu: ache o novo caminho ou espere status: 404 se isso é o certo"}},
	{kind: fetch.Redirect, text: Text{"the source moved: put the new address into the declaration, or allow it with redirects:", "a fonte mudou de lugar: ponha o novo endereço na declaração ou permita com redirects:"}},
	{kind: fetch.MalformedBody, text: Text{"run again; if the body stays like this, look at it with the curl command that -v shows", "execute de novo; se o corpo continuar assim, olhe-o com o comando curl que -v mostra"}},
	{kind: fetch.Aborted, text: Text{"run again; the source was not judged", "execute de novo; a fonte não foi julgada"}},
	{finding: checks.Indisponivel, text: Text{"nothing to fix here: try again later", "nada a corrigir aqui: tente mais tarde"}},
	{finding: checks.Respondeu, text: Text{"the source refused: check the request against its documentation", "a fonte recusou: confira o pedido com a documentação dela"}},
	{finding: checks.Ambiguo, text: Text{"run again; a sentinel: on the origin would tell", "execute de novo; uma sentinel: na origem diria"}},
	{finding: checks.Alheio, text: Text{"look on our own side first; the source was not judged", "olhe primeiro o nosso lado; a fonte não foi julgada"}},
}
