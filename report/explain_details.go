package report

import "github.com/fonteviva/fonteviva/checks"

var (
	groupMark    = Text{"mark: how sure a result is", "marca: quão certo é um resultado"}
	groupDetail  = Text{"detail: what decided, or why it was not asked", "detail: o que decidiu, ou por que não foi perguntada"}
	groupMeaning = Text{"means: what a rule makes of an answer", "means: o que uma regra faz de uma resposta"}
)

// detailTopics are the words that stand beside a finding.
func detailTopics() []Topic {
	return []Topic{
		{"unstable", groupMark,
			Text{"The trips did not all find the same: a later one decides, and all are in the report.", "As viagens não acharam todas o mesmo: uma seguinte decide, e todas estão no relatório."},
			Text{"nothing at once; a source that is often unstable wants more retries: or more trips.", "nada por ora; uma fonte muitas vezes instável pede mais retries: ou mais viagens."}},
		{"persistent", groupMark,
			Text{"Every trip brought an answer that cannot be judged, and no sentinel told why: ambiguo that repeating does not settle.", "Toda viagem trouxe uma resposta que não pode ser julgada, e nenhuma sentinel disse por quê: um ambiguo que repetir não resolve."},
			Text{"look at the body with the command under reproduce, then give the origin a sentinel: or an answers: rule.", "olhe o corpo com o comando em reproduce e depois dê à origem uma sentinel: ou uma regra em answers:."}},

		{checks.DetailSentinel, groupDetail,
			Text{"The answer alone did not decide, so the origin's known-good request was asked: where it fails too the source is down (indisponivel), where it works the source refuses this request (respondeu).", "A resposta sozinha não decidia, e perguntou-se o pedido da origem que sempre dá certo: se também falha, a fonte está fora (indisponivel); se funciona, a fonte recusa este pedido (respondeu)."},
			Text{"with respondeu, check the probe's path and parameters; with indisponivel, try again later.", "com respondeu, confira caminho e parâmetros da sonda; com indisponivel, tente mais tarde."}},
		{checks.DetailDependency, groupDetail,
			Text{"The probe was not asked: a probe that it needs has no value for it. It inherits the verdict of one that was not measured; it is alheio where that one is broken or has no data.", "A sonda não foi perguntada: uma sonda de que depende não tem valor para ela. Herda o veredito de uma que não foi medida; é alheio onde aquela quebrou ou não tem dados."},
			Text{"look at the probe that motivo names.", "olhe a sonda que motivo nomeia."}},
		{checks.DetailUnconfirmed, groupDetail,
			Text{"The first trip broke the contract, and no other could confirm it: nothing is said about the contract.", "A primeira viagem quebrou o contrato, e nenhuma outra pôde confirmar: nada se diz do contrato."},
			Text{"run again.", "execute de novo."}},
		{checks.DetailSingleTrip, groupDetail,
			Text{"The request may not be repeated (idempotent: false), so the finding rests on one answer.", "O pedido não pode ser repetido (idempotent: false), então o achado vale por uma só resposta."},
			Text{"confirm it by hand; write idempotent: true where repeating does no harm.", "confirme à mão; escreva idempotent: true onde repetir não causa dano."}},
		{checks.DetailBoundSecret, groupDetail,
			Text{"The probe was not asked: a captured value that it would send holds a secret that may not go to its host. Verdict alheio.", "A sonda não foi perguntada: um valor capturado que ela enviaria contém um segredo que não pode ir para o host dela. Veredito alheio."},
			Text{"capture something else, or list the host under secrets: NAME: {hosts: []}.", "capture outra coisa, ou liste o host em secrets: NOME: {hosts: []}."}},
		{checks.DetailUnfitCapture, groupDetail,
			Text{"The probe was not asked: a captured value cannot stand where the request has it. In a path it is one segment, and a . or .. in it, however it is written, would lead out of the declared path. Verdict alheio.", "A sonda não foi perguntada: um valor capturado não pode ficar onde o pedido o põe. Num caminho ele é um só segmento, e um . ou .. nele, escrito como for, levaria para fora do caminho declarado. Veredito alheio."},
			Text{"look at what the other probe captures: capture another value, expect its form there (matches:), or send it in the query.", "veja o que a outra sonda captura: capture outro valor, espere ali a forma dele (matches:) ou mande-o na query."}},
		{checks.DetailRunBudget, groupDetail,
			Text{"The run's budget ended before the probe was asked or answered. Verdict alheio, skip in every format; exit code 5.", "O orçamento da execução acabou antes de a sonda ser perguntada ou respondida. Veredito alheio, skip em todo formato; código de saída 5."},
			Text{"raise --budget, or select fewer probes.", "aumente --budget ou selecione menos sondas."}},
		{checks.DetailInterrupted, groupDetail,
			Text{"The probe was not asked: a signal ended the run before its turn. Verdict alheio, skip in every format.", "A sonda não foi perguntada: um sinal terminou a execução antes da vez dela. Veredito alheio, skip em todo formato."},
			Text{"run again.", "execute de novo."}},
		{checks.DetailPanic, groupDetail,
			Text{"Code of ours, or a hook, broke; the run went on without this probe. Verdict alheio.", "Um código nosso, ou um hook, quebrou; a execução seguiu sem esta sonda. Veredito alheio."},
			Text{"report it with the trace code.", "relate com o código de rastreio."}},
		{checks.DetailEmpty, groupDetail,
			Text{"There is legitimately no data, in a probe that bounds for how long (max_empty:).", "Não há dados, legitimamente, numa sonda que limita por quanto tempo (max_empty:)."},
			Text{"nothing, while it lasts no longer than it may.", "nada, enquanto não durar mais do que pode."}},

		{"absent", groupMeaning,
			Text{"The source says in its own way that there is no data, and that is legitimate. It counts as measured; the probe's empty: decides whether it is ok, a warning or drift.", "A fonte diz do jeito dela que não há dados, e isso é legítimo. Conta como medida; empty: na sonda decide se é ok, um aviso ou drift."},
			Text{"nothing where that is right; else write empty: fail, or max_empty: for how long it may last.", "nada onde isso é o certo; senão escreva empty: fail, ou max_empty: para quanto pode durar."}},
	}
}
