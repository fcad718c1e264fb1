package source

import "testing"

func TestSuggestOnlyNear(t *testing.T) {
	profiles := []string{"local", "smoke", "contract", "cron", "recovery", "1.3"}
	for word, want := range map[string]string{
		"prod": "", "loacl": "local", "SMOK": "smoke", "contracts": "contract", "recover": "recovery", "crn": "cron",
		"TLS1.3": "1.3", "nightly": "", "c": "", "": "",
	} {
		if got := Suggest(word, profiles); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
