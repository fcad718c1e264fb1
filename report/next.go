package report

import (
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

// advice is what to do next in one line. Every field that is set must match;
// the first row that matches wins, so the finer rows come first. {name} in a
// text is the probe's name.
type advice struct {
	finding checks.Finding
	ruled   bool     // a rule under answers: decided, not a built-in one
	broken  []string // every failing mismatch, one at least, is of one of these expectations
	cause   fetch.Cause
	detail  string
	looks   fetch.LooksLike
	kind    fetch.Kind
	text    Text
}

func (a *advice) matches(r *checks.Result) bool {
	return (a.finding == "" || a.finding == r.Finding) && (!a.ruled || declaredRule(r)) && (a.broken == nil || breaksOnly(r, a.broken)) &&
		(a.cause == "" || a.cause == fetch.Cause(opt(r.Cause))) && (a.detail == "" || a.detail == opt(r.Detail)) &&
		(a.looks == "" || a.looks == fetch.LooksLike(opt(r.LooksLike))) && (a.kind == "" || a.kind == fetch.Kind(opt(r.Kind)))
}

// declaredRule reports whether a rule of the declaration decided.
func declaredRule(r *checks.Result) bool {
	return opt(r.Rule) != "" && !strings.HasPrefix(*r.Rule, fetch.BuiltinRule)
}

// breaksOnly reports whether something fails, and all that fails is of these
// expectations: the code of a mismatch up to its first point.
func breaksOnly(r *checks.Result, expectations []string) bool {
	found := false
	for i := range r.Mismatches {
		if !failing(r.Mismatches[i]) {
			continue
		}
		if key, _, _ := strings.Cut(r.Mismatches[i].Code, "."); !slices.Contains(expectations, key) {
			return false
		}
		found = true
	}
	return found
}

// nextStep gives what to do about a result that is not plainly ok.
func nextStep(r *checks.Result) Text {
	if text, ok := knownStep(r); ok {
		return text
	}
	for _, rows := range [][]advice{contractAdvices, advices} {
		for i := range rows {
			if rows[i].matches(r) {
				return rows[i].text.named(r.Name)
			}
		}
	}
	return Text{"see fonteviva explain " + string(r.Finding), "veja fonteviva explain " + string(r.Finding)}
}

// FactsAndNext are what happened, in the report's words, and what to do about
// it, for a failure that no report shows; a line of inert text each.
func FactsAndNext(r *checks.Result, lang Lang) (facts, next string) {
	return factsLine(r), nextStep(r).In(lang)
}

// named puts a probe's name into a text. A report that comes from elsewhere may
// name a probe in a way that no declaration could: then the word NAME or NOME stands,
// as what follows is for a shell.
func (t Text) named(name string) Text {
	en, pt := name, name
	if !checks.IsName(name) {
		en, pt = "NAME", "NOME"
	}
	return Text{strings.ReplaceAll(t.EN, "{name}", en), strings.ReplaceAll(t.PT, "{name}", pt)}
}

// recordedKeys are the expectations that hold an answer to what was accepted.
var recordedKeys = []string{"shape", "surface"}

// contractAdvices are for what was measured.
var contractAdvices = []advice{
	{finding: checks.OK, text: Text{"look at the warnings; nothing failed", "olhe os avisos; nada falhou"}},
	{finding: checks.Drift, detail: checks.DetailSingleTrip, broken: recordedKeys, text: Text{
		"the request may not be repeated, so this rests on one answer: confirm it by hand; where the difference is right, fonteviva accept {name} records it",
		"o pedido não pode ser repetido, então isto vale por uma só resposta: confirme à mão; onde a diferença está certa, fonteviva accept {name} a grava",
	}},
	{finding: checks.Drift, detail: checks.DetailSingleTrip, text: Text{
		"the request may not be repeated, so this rests on one answer; confirm it by hand, then change the contract or tell the source's owner",
		"o pedido não pode ser repetido, então isto vale por uma só resposta; confirme à mão e depois mude o contrato ou avise o dono da fonte",
	}},
	{finding: checks.Drift, broken: recordedKeys, text: Text{
		"look at the difference: adjust your code to it, then record it with fonteviva accept {name}; or tell the source's owner",
		"olhe a diferença: ajuste o seu código a ela e depois grave-a com fonteviva accept {name}; ou avise o dono da fonte",
	}},
	{finding: checks.Drift, broken: []string{"fresh"}, text: Text{
		"the newest date is too old, or none is written as layout: says: tell the source's owner, or correct what stands under fresh:",
		"a data mais nova é velha demais, ou nenhuma está escrita como layout: diz: avise o dono da fonte ou corrija o que está em fresh:",
	}},
	{finding: checks.Drift, broken: []string{"tls"}, text: Text{
		"the certificate or the TLS version is not what tls: asks for: the source's owner must renew it, or change tls:",
		"o certificado ou a versão de TLS não é o que tls: pede: o dono da fonte precisa renová-lo, ou mude tls:",
	}},
	{finding: checks.Drift, broken: []string{"empty", "max_empty"}, text: Text{
		"there is no data: check what the request asks for (dates, filters), tell the source's owner, or allow it with empty: and max_empty:",
		"não há dados: confira o que o pedido busca (datas, filtros), avise o dono da fonte ou permita com empty: e max_empty:",
	}},
	{finding: checks.Drift, broken: []string{"max_duration"}, text: Text{
		"the source is slower than max_duration: allows: tell its owner, raise it, or let it warn (severity: warn)",
		"a fonte é mais lenta do que max_duration: permite: avise o dono dela, aumente-o ou deixe que só avise (severity: warn)",
	}},
	{finding: checks.Drift, broken: []string{"capture"}, text: Text{
		"the answer has no value where capture: looks: change capture: to where it is now, or tell the source's owner",
		"a resposta não tem valor onde capture: procura: mude capture: para onde ele está agora ou avise o dono da fonte",
	}},
	{finding: checks.Drift, ruled: true, broken: []string{"answers"}, text: Text{
		"a rule under answers: says that this answer breaks the contract: change your code or the rule, or tell the source's owner",
		"uma regra em answers: diz que esta resposta quebra o contrato: ajuste o seu código ou a regra, ou avise o dono da fonte",
	}},
	{finding: checks.Drift, text: Text{
		"the source changed: change your code and the contract to what it sends now, or tell the source's owner",
		"a fonte mudou: ajuste o seu código e o contrato ao que ela manda agora, ou avise o dono da fonte",
	}},
}
