package report

import (
	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

var (
	nothingToDo = Text{"nothing.", "nada."}
	lookAtKind  = Text{"look at kind and detail.", "olhe kind e detail."}
)

// besideTopics are words of a report that decide nothing by themselves.
func besideTopics() []Topic {
	return []Topic{
		{"attempt", groupWord,
			Text{"One request and what came of it (cap: timeout:).", "Um pedido e o que veio dele (teto: timeout:)."},
			Text{"-v and fonteviva trace show each.", "-v e fonteviva trace mostram cada uma."}},
		{"trip", groupWord,
			Text{"Attempts at one answer, with the waits between them (cap: budget:). A probe makes a second one before it is called broken or ambiguous.", "Tentativas de uma resposta, com as esperas entre elas (teto: budget:). A sonda faz uma segunda antes de ser dada por quebrada ou ambígua."},
			Text{"-v and fonteviva trace show each.", "-v e fonteviva trace mostram cada uma."}},
		{"breaker", groupWord,
			Text{"It opens when an origin fails too often: its probes are then indisponivel without being asked (circuit_breaker:).", "Abre quando uma origem falha demais: as sondas dela são então indisponivel sem que se pergunte (circuit_breaker:)."},
			Text{"try again later.", "tente mais tarde."}},
		{"motivo", groupWord,
			Text{"Why it was not measured, in one sentence of Brazilian Portuguese, for the log. Nothing is decided by it.", "Por que não foi medida, numa frase em português, para o log. Nada se decide por ela."},
			Text{"decide by finding, kind, cause and detail.", "decida por achado, kind, cause e detail."}},
		{"rule", groupWord,
			Text{"The rule that decided what the answer means: one of answers:, or a built-in one (mcp.).", "A regra que decidiu o que a resposta quer dizer: uma de answers:, ou uma embutida (mcp.)."},
			Text{"change it under answers: where it decides wrongly.", "mude-a em answers: onde decide errado."}},
		{"min_measured", groupWord,
			Text{"How much must be measured at least (--min-measured); less is exit 5.", "Quanto deve ser medido no mínimo (--min-measured); menos é a saída 5."},
			Text{"look at what was not measured.", "olhe o que não foi medido."}},
		{"max_unmeasured", groupWord,
			Text{"How long a probe may stay unmeasured; longer is exit 5, whatever the policy says.", "Por quanto tempo uma sonda pode ficar sem medição; mais que isso é a saída 5, diga a política o que disser."},
			Text{"look at fonteviva history NAME: since when, and why.", "olhe fonteviva history NOME: desde quando, e por quê."}},

		{string(fetch.NoteBOM), groupNote,
			Text{"A byte order mark stood before the body; it was taken away.", "Havia uma marca de ordem de bytes antes do corpo; foi retirada."},
			Text{"nothing; JSON should come without one (RFC 8259 §8.1).", "nada; JSON deveria vir sem ela (RFC 8259 §8.1)."}},
		{string(fetch.NoteSessionRenewed), groupNote,
			Text{"The MCP server had forgotten the session: a new one was opened, and the call sent once more.", "O servidor MCP tinha esquecido a sessão: abriu-se outra, e a chamada foi mandada de novo."},
			nothingToDo},
		{string(fetch.NoteStdoutNotClean), groupNote,
			Text{"The command of an MCP server wrote lines to its standard output that are no messages; they were passed over.", "O comando de um servidor MCP escreveu na saída padrão linhas que não são mensagens; foram ignoradas."},
			Text{"have it write its log to standard error.", "faça-o escrever o log na saída de erro."}},

		{string(fetch.OutcomeSuccess), groupOutcome, Text{"A status 200 to 299.", "Um status de 200 a 299."}, nothingToDo},
		{string(fetch.OutcomeRetryable), groupOutcome, Text{"Another attempt may succeed.", "Outra tentativa pode dar certo."}, lookAtKind},
		{string(fetch.OutcomeRateLimited), groupOutcome, Text{"Another attempt may succeed, after the wait that was asked for.", "Outra tentativa pode dar certo, depois da espera pedida."}, lookAtKind},
		{string(fetch.OutcomeBlocked), groupOutcome, Text{"Access is refused (403, 451); it is not tried again.", "O acesso é recusado (403, 451); não se repete."}, lookAtKind},
		{string(fetch.OutcomeClientError), groupOutcome, Text{"The request is refused; it is not tried again.", "O pedido é recusado; não se repete."}, lookAtKind},
		{string(fetch.OutcomeRedirect), groupOutcome, Text{"A redirect that is not followed.", "Um redirecionamento que não se segue."}, lookAtKind},
		{string(fetch.OutcomeFatal), groupOutcome, Text{"Another attempt cannot help.", "Outra tentativa não pode ajudar."}, lookAtKind},

		{string(fetch.StopNotRetryable), groupStopped, Text{"What happened is not retried (retry_on:).", "O que houve não se repete (retry_on:)."}, lookAtKind},
		{string(fetch.StopRetries), groupStopped, Text{"All attempts were made (retries:).", "Todas as tentativas foram feitas (retries:)."}, lookAtKind},
		{string(fetch.StopBudget), groupStopped, Text{"The trip's budget ended, or the next wait did not fit into it (budget:).", "O orçamento da viagem acabou, ou a próxima espera não cabia nele (budget:)."}, Text{"raise budget: if the source is always slow.", "aumente budget: se a fonte é sempre lenta."}},
		{string(fetch.StopMethod), groupStopped, Text{"The request may not be repeated: its method is not idempotent.", "O pedido não pode ser repetido: o método não é idempotente."}, Text{"write idempotent: true where repeating does no harm.", "escreva idempotent: true onde repetir não causa dano."}},
		{string(fetch.StopCancelled), groupStopped, Text{"The run ended.", "A execução terminou."}, Text{"run again.", "execute de novo."}},
		{string(fetch.StopCircuit), groupStopped, Text{"The origin's breaker opened (circuit_breaker:).", "O disjuntor da origem abriu (circuit_breaker:)."}, Text{"try again later.", "tente mais tarde."}},
		{string(fetch.StopOwnLimit), groupStopped, Text{"A limit of ours was reached.", "Um limite nosso foi atingido."}, Text{"look at cause; it names the limit.", "olhe cause; ela nomeia o limite."}},
		{string(fetch.StopNoRecording), groupStopped, Text{"The recording has no further answer.", "A gravação não tem outra resposta."}, nothingToDo},

		{string(fetch.WaitBackoff), groupWait, Text{"The pause before a retry (backoff:).", "A pausa antes de repetir (backoff:)."}, nothingToDo},
		{string(fetch.WaitRetryAfter), groupWait, Text{"The origin asked for it in Retry-After.", "A origem pediu em Retry-After."}, nothingToDo},
		{string(fetch.WaitRateLimit), groupWait, Text{"Our own rate_limit: on the origin.", "O nosso rate_limit: na origem."}, nothingToDo},

		{string(checks.Broke), groupChange, Text{"The contract held when it was last asked, and is broken now.", "O contrato valia da última vez, e agora está quebrado."}, Text{"look at the finding; this is the run that brings it.", "olhe o achado; é esta execução que o traz."}},
		{string(checks.StillBroken), groupChange, Text{"The contract was broken before, and still is.", "O contrato já estava quebrado, e segue."}, Text{"if it is being dealt with, an entry under known_failures: says so until its day.", "se já estão cuidando, uma entrada em known_failures: o diz até o seu dia."}},
		{string(checks.Recovered), groupChange, Text{"The contract holds again, or is measured again after too long a time.", "O contrato vale de novo, ou voltou a ser medido depois de tempo demais."}, nothingToDo},
		{"flaky", groupChange, Text{"The finding changed at least three times in the last ten runs.", "O achado mudou ao menos três vezes nas últimas dez execuções."}, Text{"look at fonteviva history NAME; more retries: or trips may be what the source needs.", "olhe fonteviva history NOME; mais retries: ou viagens podem ser o que a fonte pede."}},
	}
}
