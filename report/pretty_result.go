package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

var symbols = map[checks.Finding]string{
	checks.OK: "✓", checks.Drift: "✗", checks.Respondeu: "✗", checks.Indisponivel: "○", checks.Ambiguo: "?", checks.Alheio: "!",
}

// indents of a result's line and of what is said about it.
const (
	resultIndent = 2
	detailIndent = 6
)

// The labels of what is said about a result; none is wider than 11 columns.
var (
	labelMotivo  = Text{"motivo", "motivo"}
	labelFacts   = Text{"facts", "fatos"}
	labelWant    = Text{"  wanted", "  esperado"}
	labelGot     = Text{"  got", "  veio"}
	labelNext    = Text{"next", "fazer"}
	labelWaited  = Text{"tries", "tentativas"}
	labelShared  = Text{"shared with", "junto com"}
	labelRule    = Text{"rule", "regra"}
	labelAt      = Text{"declared", "declarada"}
	labelMoved   = Text{"redirect", "desvio"}
	labelMirror  = Text{"mirror", "espelho"}
	labelSentry  = Text{"sentinel", "sentinela"}
	labelPast    = Text{"history", "histórico"}
	labelNoted   = Text{"noted", "notado"}
	labelKnown   = Text{"known", "conhecida"}
	labelRepeat  = Text{"reproduce", "repita"}
	unstableNote = Text{"unstable: an earlier trip said otherwise", "instável: uma viagem anterior disse outra coisa"}
	persistNote  = Text{"persistent: every trip said the same", "persistente: todas as viagens disseram o mesmo"}
)

func (v *prettyView) result(r *checks.Result) {
	v.said++
	v.p.hang(resultIndent, detailIndent, v.p.style(string(r.Finding)), v.resultLine(r))
	if !plain(r) {
		v.facts(r)
	}
	for i := range r.Mismatches {
		v.mismatch(&r.Mismatches[i])
	}
	if tries := triesLine(r, v.o.Lang); tries != "" {
		v.field(labelWaited, tries)
	}
	if r.Finding != checks.OK {
		v.field(labelNext, nextStep(r).In(v.o.Lang))
		v.field(labelAt, declaredAt(r, v.o.Dir))
	}
	if v.o.Verbose && len(r.Notes) > 0 {
		v.field(labelNoted, Inert(strings.Join(r.Notes, ", "), 200))
	}
	if v.o.Verbose {
		v.attempts(r)
	}
}

func (v *prettyView) field(label Text, text string) {
	v.p.field(detailIndent, label.In(v.o.Lang), text)
}

func (v *prettyView) resultLine(r *checks.Result) string {
	line := symbols[r.Finding] + " " + pad(string(r.Finding), 12) + "  " + displayName(r)
	if r.Title != nil {
		line += " · " + Inert(*r.Title, 200)
	}
	line += "  " + millis(r.DurationMS)
	if d := v.disposition(r); d != Pass {
		line += "  [" + string(d) + "]"
	}
	if word := change(r, v.o.Lang); word != "" {
		line += "  " + word
	}
	return line
}

// facts writes what is known beside the mismatches.
func (v *prettyView) facts(r *checks.Result) {
	if r.Motivo != nil {
		v.field(labelMotivo, Inert(*r.Motivo, 600))
	}
	if line := factsLine(r); line != "" && r.Finding != checks.OK {
		v.p.address(detailIndent, labelFacts.In(v.o.Lang), line)
	}
	if r.Unstable {
		v.p.line(detailIndent, nil, unstableNote.In(v.o.Lang))
	}
	if r.Persistent {
		v.p.line(detailIndent, nil, persistNote.In(v.o.Lang))
	}
	if line := pastLine(r, v.doc.Policy, v.o.Lang); line != "" {
		v.field(labelPast, line)
	}
	for _, f := range []struct {
		label Text
		text  *string
	}{{labelShared, r.SharedWith}, {labelRule, r.Rule}, {labelMirror, r.Mirror}, {labelKnown, r.KnownFailure}} {
		if f.text != nil {
			v.field(f.label, Inert(*f.text, 400))
		}
	}
	if r.Sentinel != nil {
		v.field(labelSentry, sentinelLine(r.Sentinel, v.o.Lang))
	}
	if r.Redirect != nil {
		v.field(labelMoved, Inert(r.Redirect.Location, 400))
	}
	if v.o.Verbose && r.Reproduce != nil {
		v.p.command(detailIndent, labelRepeat.In(v.o.Lang), Inert(*r.Reproduce, 2000))
	}
}

// sentinelLine says what the origin's known-good request said.
func sentinelLine(s *checks.SentinelTrip, lang Lang) string {
	line := Inert(string(s.Finding), 40)
	if n := len(s.Trip.Attempts); n > 0 {
		line += "  " + attemptLine(n, &s.Trip.Attempts[n-1], lang)
	}
	return line
}

// factsLine names kind, status and the finer facts, and the URL, in one line.
func factsLine(r *checks.Result) string {
	var parts []string
	for _, s := range []string{opt(r.Kind), opt(r.Cause), opt(r.Detail), opt(r.LooksLike)} {
		if s != "" && !slices.Contains(parts, s) {
			parts = append(parts, Inert(s, 80))
		}
	}
	if r.Status != nil {
		parts = append(parts, "status "+strconv.Itoa(*r.Status))
	}
	if r.URL != "" {
		parts = append(parts, Inert(r.URL, 400))
	}
	return strings.Join(parts, " · ")
}

func (v *prettyView) mismatch(m *expect.Mismatch) {
	head := mismatchHead(m)
	if !failing(*m) {
		head += " (warn)"
	}
	v.p.line(detailIndent, nil, head)
	v.field(labelWant, Inert(m.Want, 600))
	v.field(labelGot, Inert(m.Got, 600))
}

// mismatchHead is a mismatch's code and where in the answer it is.
func mismatchHead(m *expect.Mismatch) string {
	if m.Path == nil {
		return Inert(m.Code, 100)
	}
	return Inert(m.Code, 100) + " " + Inert(*m.Path, 300)
}

// triesLine says in one line how often was tried, how long was waited and why,
// and why it ended; "" for a single attempt without any of that. A single one
// that was not repeated for its method alone says so.
func triesLine(r *checks.Result, lang Lang) string {
	attempts, waits, queued := 0, waitSums(r), int64(0)
	for i := range r.Trips {
		attempts += len(r.Trips[i].Attempts)
		queued += r.Trips[i].QueuedMS
	}
	var parts []string
	if attempts > 1 || len(r.Trips) > 1 {
		parts = append(parts, textf("%[1]d %[2]s in %[4]d %[5]s", "%[1]d %[3]s em %[4]d %[6]s", attempts,
			plural(attempts, "attempt", "attempts"), plural(attempts, "tentativa", "tentativas"), len(r.Trips),
			plural(len(r.Trips), "trip", "trips"), plural(len(r.Trips), "viagem", "viagens")).In(lang))
	}
	if total, why := waits.total(lang); total > 0 {
		parts = append(parts, textf("waited %[1]s (%[2]s)", "esperou %[1]s (%[2]s)", millis(total), why).In(lang))
	}
	if queued > 0 {
		parts = append(parts, textf("%s in our own queue", "%s na nossa fila", millis(queued)).In(lang))
	}
	if len(r.Trips) > 0 {
		last := &r.Trips[len(r.Trips)-1]
		alone := last.UnfitMS != nil || opt(last.Stopped) == string(fetch.StopMethod)
		if stop := stopText(last, lang); stop != "" && (len(parts) > 0 || alone) {
			parts = append(parts, stop)
		}
	}
	return strings.Join(parts, "; ")
}

// waitSum is how long was waited, by reason in the order of their first.
type waitSum struct {
	reasons []string
	ms      map[string]int64
}

func waitSums(r *checks.Result) waitSum {
	w := waitSum{ms: map[string]int64{}}
	add := func(reason string, ms int64) {
		if ms <= 0 {
			return
		}
		if _, ok := w.ms[reason]; !ok {
			w.reasons = append(w.reasons, reason)
		}
		w.ms[reason] += ms
	}
	for i := range r.Trips {
		add("", r.Trips[i].WaitMS)
		for j := range r.Trips[i].Attempts {
			a := &r.Trips[i].Attempts[j]
			add(opt(a.WaitReason), a.WaitMS)
		}
	}
	return w
}

var waitReasons = map[string]Text{
	"":                           {"between trips", "entre viagens"},
	string(fetch.WaitBackoff):    {"backoff", "recuo"},
	string(fetch.WaitRetryAfter): {"asked by Retry-After", "pedido por Retry-After"},
	string(fetch.WaitRateLimit):  {"our rate limit", "nosso limite de taxa"},
}

func (w waitSum) total(lang Lang) (int64, string) {
	total := int64(0)
	var parts []string
	for _, reason := range w.reasons {
		total += w.ms[reason]
		name, ok := waitReasons[reason]
		if !ok {
			name = Text{Inert(reason, 40), Inert(reason, 40)}
		}
		parts = append(parts, name.In(lang)+" "+millis(w.ms[reason]))
	}
	return total, strings.Join(parts, ", ")
}

var stops = map[string]Text{
	string(fetch.StopNotRetryable): {"", ""},
	string(fetch.StopRetries):      {"all retries used", "todas as repetições usadas"},
	string(fetch.StopBudget):       {"the trip's budget ended", "o orçamento da viagem acabou"},
	string(fetch.StopMethod):       {"not asked again, as it may change something there (idempotent: true allows it)", "não se perguntou de novo, pois pode mudar algo lá (idempotent: true o permite)"},
	string(fetch.StopCancelled):    {"cancelled", "cancelada"},
	string(fetch.StopCircuit):      {"the breaker opened", "o disjuntor abriu"},
	string(fetch.StopOwnLimit):     {"one of our own limits ended it", "um limite nosso a encerrou"},
	string(fetch.StopNoRecording):  {"nothing further was recorded", "nada mais foi gravado"},
}

func stopText(t *checks.Trip, lang Lang) string {
	if t.UnfitMS != nil && *t.UnfitMS >= fetch.MaxRetryAfter.Milliseconds() {
		return Text{"the next wait, of a year or more, does not fit the budget", "a próxima espera, de um ano ou mais, não cabe no orçamento"}.In(lang)
	}
	if t.UnfitMS != nil {
		return textf("the next wait of %s does not fit the budget", "a próxima espera de %s não cabe no orçamento", lasting(*t.UnfitMS)).In(lang)
	}
	if opt(t.Stopped) == string(fetch.StopRetries) && len(t.Attempts) == 1 {
		return Text{"no retries allowed", "sem repetições permitidas"}.In(lang)
	}
	return stops[opt(t.Stopped)].In(lang)
}
