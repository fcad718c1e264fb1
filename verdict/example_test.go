package verdict_test

import (
	"errors"
	"fmt"

	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/verdict"
)

// The verdict follows from typed facts, wherever along the chain they stand.
func ExampleOf() {
	down := &fetch.Error{Kind: fetch.HTTP5xx, Status: 502}
	refused := &fetch.Error{Kind: fetch.NotFound, Status: 404}
	ours := &fetch.Error{Kind: fetch.Network, Cause: fetch.CauseProxy}
	for _, err := range []error{fmt.Errorf("import failed: %w", down), refused, ours, errors.New("nil map"), nil} {
		d := verdict.Of(err)
		fmt.Printf("%q %s\n", d.Verdict, d.Motivo)
	}
	// Output:
	// "indisponivel" a origem falhou (status 502)
	// "respondeu" a origem diz que o recurso não existe (status 404)
	// "alheio" o proxy recusou ou não respondeu: a falha é do nosso caminho, não da origem
	// "alheio" falha nossa antes de qualquer resposta: nil map
	// ""
}
