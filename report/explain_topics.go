package report

import "slices"

var (
	groupFinding     = Text{"finding", "achado"}
	groupVerdict     = Text{"verdict", "veredito"}
	groupKind        = Text{"kind: what happened on the wire", "kind: o que aconteceu na rede"}
	groupCause       = Text{"cause: why our own side failed", "cause: por que o nosso lado falhou"}
	groupDisposition = Text{"disposition: what a reader does with a finding", "disposition: o que um leitor faz com um achado"}
	groupExit        = Text{"exit code", "código de saída"}
)

// Topics is everything that Explain knows, in the order of the documentation.
func Topics() []Topic {
	return slices.Concat(mainTopics(), detailTopics(), wireTopics(), besideTopics(), codeTopics())
}

func mainTopics() []Topic {
	return []Topic{
		{"ok", groupFinding,
			Text{"The source answered, the contract was checked and holds.", "A fonte respondeu, o contrato foi conferido e vale."},
			Text{"nothing. With warnings the disposition is warn; look at them when you have time.", "nada. Com avisos a disposition é warn; olhe-os quando puder."}},
		{"drift", groupFinding,
			Text{"The source answered, the contract was checked and is broken: the source changed. It was confirmed by a second trip where the request may be repeated.", "A fonte respondeu, o contrato foi conferido e quebrou: a fonte mudou. Uma segunda viagem confirmou, quando o pedido pode ser repetido."},
			Text{"change your code and the contract to what the source sends now, or tell its owner.", "ajuste o seu código e o contrato ao que a fonte manda agora, ou avise o dono dela."}},
		{"indisponivel", groupVerdict,
			Text{"The source is down, too slow, failing or asks us to slow down. The contract was not checked: nothing is known about it.", "A fonte está fora, lenta demais, falhando ou pede calma. O contrato não foi conferido: nada se sabe sobre ele."},
			Text{"nothing to fix. Try again later; where it must fail, use --on indisponivel=fail or the profile recovery.", "nada a corrigir. Tente mais tarde; onde isso deve reprovar, use --on indisponivel=fail ou o perfil recovery."}},
		{"respondeu", groupVerdict,
			Text{"The source is alive and said no: this path, these parameters or these credentials are not served (any more).", "A fonte está viva e disse não: este caminho, estes parâmetros ou estas credenciais não são (mais) atendidos."},
			Text{"check the request against the source's documentation; it is a defect to fix, as drift is.", "confira o pedido com a documentação da fonte; é um defeito a corrigir, como drift."}},
		{"ambiguo", groupVerdict,
			Text{"A success status came with a body that cannot be judged, and repeating did not settle it.", "Veio um status de sucesso com um corpo que não pode ser julgado, e repetir não resolveu."},
			Text{"run again later. A sentinel: on the origin, or an answers: rule, decides such cases.", "execute mais tarde. Uma sentinel: na origem, ou uma regra em answers:, decide casos assim."}},
		{"alheio", groupVerdict,
			Text{"Our own side failed: the run was interrupted, a limit of ours was reached, a proxy or this machine's network broke, or there is a bug.", "O nosso lado falhou: a execução foi interrompida, um limite nosso foi atingido, um proxy ou a rede desta máquina quebrou, ou há um defeito."},
			Text{"look at cause and detail; the source was not judged.", "olhe cause e detail; a fonte não foi julgada."}},

		{"timeout", groupKind,
			Text{"An attempt took longer than timeout, or the trip longer than its budget. Verdict indisponivel; retried.", "Uma tentativa passou de timeout, ou a viagem passou do budget. Veredito indisponivel; repetida."},
			Text{"try again later; raise timeout: and budget: if the source is always slow.", "tente mais tarde; aumente timeout: e budget: se a fonte é sempre lenta."}},
		{"network", groupKind,
			Text{"DNS, TCP or TLS failed, the connection or the body was cut, or what came is not HTTP. Verdict indisponivel; retried, unless the name does not exist or the certificate does not verify.", "DNS, TCP ou TLS falhou, a conexão ou o corpo foi cortado, ou o que veio não é HTTP. Veredito indisponivel; repetida, salvo nome inexistente ou certificado inválido."},
			Text{"look at detail; it names the step that failed.", "olhe detail; ele diz que passo falhou."}},
		{"rate_limited", groupKind,
			Text{"Status 429, or a 403 that says so in Retry-After or x-ratelimit-remaining. Verdict indisponivel; retried after the wait that was asked for.", "Status 429, ou um 403 que o diz em Retry-After ou x-ratelimit-remaining. Veredito indisponivel; repetida após a espera pedida."},
			Text{"ask less often: rate_limit: on the origin.", "pergunte menos: rate_limit: na origem."}},
		{"http_5xx", groupKind,
			Text{"Status 500 or above, whatever the body. Verdict indisponivel; retried.", "Status 500 ou mais, seja qual for o corpo. Veredito indisponivel; repetida."},
			Text{"try again later.", "tente mais tarde."}},
		{"http_4xx", groupKind,
			Text{"Status 400 to 499 but 404 and 429. Verdict respondeu; only 408 and 425 are retried.", "Status 400 a 499, menos 404 e 429. Veredito respondeu; só 408 e 425 são repetidos."},
			Text{"check path, parameters and auth:.", "confira caminho, parâmetros e auth:."}},
		{"malformed_body", groupKind,
			Text{"A 2xx whose body is not what the probe reads: no valid JSON, undecodable, empty. Verdict ambiguo; retried, then tried by another trip.", "Um 2xx cujo corpo não é o que a sonda lê: JSON inválido, indecifrável, vazio. Veredito ambiguo; repetida e depois tentada em outra viagem."},
			Text{"looks_like says what the body resembles; run again, then look at it with the command under reproduce.", "looks_like diz com o que o corpo se parece; execute de novo e depois olhe-o com o comando em reproduce."}},
		{"not_found", groupKind,
			Text{"Status 404. Verdict respondeu; not retried, no anomaly.", "Status 404. Veredito respondeu; não repetida, sem anomalia."},
			Text{"find the new path; where a 404 is right, expect status: 404.", "ache o novo caminho; onde 404 é o certo, espere status: 404."}},
		{"redirect", groupKind,
			Text{"A redirect that the policy does not follow, a loop, or one without a usable Location. Verdict respondeu.", "Um redirecionamento que a política não segue, um laço, ou um sem Location utilizável. Veredito respondeu."},
			Text{"put the new address into the declaration, or allow it with redirects:.", "ponha o novo endereço na declaração ou permita com redirects:."}},
		{"aborted", groupKind,
			Text{"We stopped: a signal, a cancel, or our own max_body. Verdict alheio.", "Nós paramos: um sinal, um cancelamento ou o nosso max_body. Veredito alheio."},
			Text{"run again; raise max_body: if that is what was reached.", "execute de novo; aumente max_body: se foi ele o atingido."}},

		{"pass", groupDisposition,
			Text{"Nothing to say. Nothing unmeasured may pass.", "Nada a dizer. Nada sem medição pode passar."},
			Text{"nothing.", "nada."}},
		{"warn", groupDisposition,
			Text{"Shown, but it fails nothing.", "Mostrado, mas não reprova nada."},
			Text{"change it with --on FINDING=fail where it should fail.", "mude com --on ACHADO=fail onde deve reprovar."}},
		{"skip", groupDisposition,
			Text{"Not measured, and said so: a test format writes it as skipped, never as passed.", "Sem medição, e dito: um formato de teste o grava como skipped, nunca como aprovado."},
			Text{"use --min-measured to fail when too much is skipped.", "use --min-measured para reprovar quando se pula demais."}},
		{"fail", groupDisposition,
			Text{"It decides the exit code.", "Decide o código de saída."},
			Text{"look at the finding.", "olhe o achado."}},

		{"0", groupExit,
			Text{"Nothing failed under the policy. Everything down is 0 too, with a loud line.", "Nada reprovou na política. Tudo fora do ar também é 0, com um aviso bem visível."},
			Text{"nothing; --min-measured makes too little measured fail.", "nada; --min-measured faz reprovar quando se mede de menos."}},
		{"1", groupExit,
			Text{"A contract is broken: drift or respondeu; or a known failure is over.", "Um contrato quebrou: drift ou respondeu; ou uma falha conhecida acabou."},
			Text{"fix the code or the contract; this is the one to wake up for.", "corrija o código ou o contrato; este é o que merece atenção."}},
		{"2", groupExit,
			Text{"The command or the declaration is wrong; nothing was asked of any source.", "O comando ou a declaração está errado; nada foi perguntado a fonte alguma."},
			Text{"read the message: it says where and what.", "leia a mensagem: ela diz onde e o quê."}},
		{"3", groupExit,
			Text{"Our own side failed (alheio).", "O nosso lado falhou (alheio)."},
			Text{"look at the proxy, the network and the limits of this machine.", "olhe o proxy, a rede e os limites desta máquina."}},
		{"4", groupExit,
			Text{"ambiguo failed under the policy.", "ambiguo reprovou na política."},
			Text{"run again; give the origin a sentinel: or an answers: rule.", "execute de novo; dê à origem uma sentinel: ou uma regra em answers:."}},
		{"5", groupExit,
			Text{"Not enough was measured: --min-measured, max_unmeasured, the end of the run's budget, an incomplete report, or no probe selected.", "Mediu-se de menos: --min-measured, max_unmeasured, o fim do orçamento da execução, um relatório incompleto, ou nenhuma sonda selecionada."},
			Text{"see the coverage line; raise --budget or look at what was not measured.", "veja a linha de cobertura; aumente --budget ou olhe o que ficou sem medição."}},
		{"74", groupExit,
			Text{"A requested report, or standard output, could not be written; the other reports were.", "Um relatório pedido, ou a saída padrão, não pôde ser gravado; os outros relatórios foram."},
			Text{"check the path, its rights and the disk.", "confira o caminho, as permissões e o disco."}},
		{"75", groupExit,
			Text{"indisponivel failed under the policy: temporary.", "indisponivel reprovou na política: temporário."},
			Text{"try again later.", "tente mais tarde."}},
		{"130", groupExit,
			Text{"Interrupted by SIGINT; what was done is reported.", "Interrompido por SIGINT; o que foi feito está no relatório."},
			Text{"run again.", "execute de novo."}},
		{"143", groupExit,
			Text{"Ended by SIGTERM; what was done is reported.", "Encerrado por SIGTERM; o que foi feito está no relatório."},
			Text{"run again; give the job more time if a timeout ended it.", "execute de novo; dê mais tempo à tarefa se um limite a encerrou."}},
	}
}
