package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// threats says which test proves that each of the hostile and unlucky things
// below is survived. A proof is "package TestName", "script NAME" of
// testdata/script, "wrong NAME" of checks/testdata/wrong, or "torture CASE" of
// fixtures/torture.
var threats = []struct {
	threat string
	proofs []string
}{
	// The network's, as far as a report or a credential is concerned.
	{"credentials and a redirect to another host or port", []string{"fetch TestCredentialsStayHome", "fetch TestRedirectDecisions", "checks TestARedirectElsewhereIsAWarning"}},
	{"https to http on the same host", []string{"fetch TestRedirectDecisions", "fetch TestCredentialsStayOnTheirScheme"}},
	{"credentials on the way back to the first host", []string{"fetch TestCredentialsStayHome"}},
	{"the body of a POST across origins", []string{"fetch TestBodyStaysHome"}},
	{"userinfo in a URL", []string{"wrong urls", "checks TestMissingRefusesUnusableValues"}},
	{"proxy credentials", []string{"fetch TestProxyPasswordGoesToTheProxyOnly", "fetch TestThroughProxies"}},
	{"bombs of every coding", []string{"fetch TestBombsInAProcess", "fetch TestBombCostsNoMoreThanTheLimit", "fetch TestWhatIsPackedInsideIsBounded"}},
	{"cut and broken bodies", []string{"fetch TestBodies", "fetch TestWireFaults", "fetch TestBrokenCodings"}},
	{"pages, charsets and byte order marks in place of JSON", []string{"fetch TestLooksLikeOf", "fetch TestCharsets", "checks TestCases"}},
	{"refusals, resets and certificates, each with its name", []string{"fetch TestWireTLS", "fetch TestWireFaults", "fetch TestClassifyError"}},
	{"authorities and client certificates that are none", []string{"fetch TestLoadCA", "fetch TestLoadClientCert", "checks TestClientCertificates"}},
	{"a proxy that is down is our side", []string{"fetch TestProxyIsOurSide", "fetch TestEnvironmentProxy"}},
	{"a proxy that a stranger's request names, under CGI", []string{"checks TestAProxyThatIsNotBelievedIsSaid", "fetch TestEnvironmentProxy"}},
	{"a name that leads to another address at its next lookup", []string{"fetch TestRebinding", "fetch TestRebindingWithoutTLS"}},
	{"a POST is not sent twice", []string{"fetch TestTrips", "checks TestTripsAndFindings"}},
	{"addresses with spaces, @, IDN and line ends", []string{"checks TestCheckBaseURL", "checks TestCheckTarget", "wrong urls", "fetch TestInvalidRequests"}},

	// Secrets.
	{"a secret in a body, a header, a URL, an error, in every output", []string{"cmd TestNoOutputShowsASecret", "fetch/mcp TestLastWordsAreHiddenBeforeTheyAreCut", "checks TestSecretsAreMaskedEverywhere"}},
	{"a secret in every encoded form", []string{"checks/secret TestEveryForm", "checks/secret TestInsideBase64", "checks/secret TestBrokenUp", "checks/secret TestEncodedTwice", "checks/secret FuzzRedact"}},
	{"one secret that begins another", []string{"checks/secret TestSeveralSecrets"}},
	{"a secret in a panic", []string{"checks TestAPanicOfATransportHidesSecrets", "cmd TestPanicOfOurOwnIsToldInertly"}},
	{"a secret in an error before the run", []string{"cmd TestErrorsShowNoSecret"}},
	{"a secret in a recording or a recorded shape", []string{"cmd TestNoOutputShowsASecret", "fetch TestNoCredentialIsRecorded"}},
	{"a short, empty or common secret", []string{"checks TestDeclaredSecretsAreFitToHide", "checks/secret TestUnfitSecretsAreNamedAndNotUsed"}},
	{"a secret on a command line", []string{"checks TestReproduce", "wrong auth"}},
	{"a declaration that sends a secret elsewhere", []string{"wrong secrets", "checks TestSecretsGoWhereTheyAreBoundTo"}},

	// Text in reports.
	{"escapes, C1, OSC, bidi and zero width on a terminal and in a pipe", []string{"report TestInert", "report TestEveryFormatGolden", "report TestPrettyVariants"}},
	{"workflow commands in a body", []string{"report TestGuardLine", "report TestEveryFormatGolden"}},
	{"annotations with %, line ends, colons and commas", []string{"report TestGitHubAnnotationsRoundTrip"}},
	{"Markdown that mentions, links, fences and closes", []string{"report TestMarkdown", "report TestMarkdownByCMark", "report TestGitHubSummary"}},
	{"HTML that scripts, links and loads", []string{"report TestHTMLIsOnlyWhatWeWrote", "report TestHTMLInChromium"}},
	{"JUnit with NUL, noncharacters, ]]> and attachments", []string{"report TestXML", "report TestJUnitAgainstItsSchema", "report TestJUnitSumsAndTexts", "report TestJUnitBoundsText"}},
	{"TAP whose text is a directive or an end", []string{"report TestTAPByTapParser", "report TestTAPTrapsByTapParser", "report TestTAPByProve"}},
	{"labels of metrics with quotes, line ends and bad UTF-8", []string{"report TestMetricsSamples", "report TestTextfileByNodeExporter", "report TestMetricsCannotBeOverridden"}},
	{"plugin output with a bar, line ends and length", []string{"report TestNagiosBounds", "report TestNagiosByItsReaders"}},
	{"every encoder, fuzzed", []string{"report FuzzFormats"}},

	// Declarations.
	{"billion laughs, depth, self-alias, size", []string{"checks/source TestHostileFilesEnd", "checks/source TestParseRefuses", "checks TestRawBlocksAreBounded"}},
	{"fifty thousand probes, a hundred megabytes", []string{"cmd TestFiftyThousandProbes", "checks/source TestLargeFileCostsLittle"}},
	{"unknown and duplicate keys, several documents, tabs, odd scalars", []string{"checks/source TestParseRefuses", "checks/source TestParseAccepts", "wrong tab", "wrong five"}},
	{"variables that are unset, recursive, or hold quotes and line ends", []string{"checks TestMissingNamesAllAtOnce", "cmd TestValuesAreNeverReadAgain", "checks TestReferencesAreEscapedForTheirPlace"}},
	{"line ends in headers and methods", []string{"wrong headers", "wrong requests", "fetch TestInvalidRequests", "cmd TestValuesAreNeverReadAgain"}},
	{"names that are paths, devices, too long, or twins", []string{"wrong names", "checks/recording TestNamesStayInTheFolder"}},
	{"recorded files behind links and outside", []string{"cmd TestARecordStaysInItsFolder", "checks TestBodyFiles"}},
	{"no declaration, no probe, nothing selected", []string{"script bad_input", "wrong no-probe", "checks TestSelectNothing"}},
	{"a folder that someone else fills", []string{"cmd TestNothingIsReadBesideTheDeclaration"}},
	{"a failure that is known for ever", []string{"wrong known", "checks TestKnownFailures", "report TestKnownFailuresDecide", "script known_failures"}},
	{"a known failure that looks like a pass", []string{"report TestKnownFailuresInEveryFormat"}},

	// Files and processes.
	{"twenty runs on one history, one report, one record", []string{"torture twenty at once: no run is lost in silence", "checks/history TestManyProcessesStoreAtOnce", "cmd TestTwentyWriteOneRecord"}},
	{"kill -9 at any moment", []string{"torture kill -9: the history is whole", "checks/history TestKilledAtAnyMoment", "report TestSweep"}},
	{"a full disk, /dev/full, a read-only file system, a size limit", []string{"torture full disk: exit 74", "torture /dev/full as an output", "torture read-only: exit 74", "torture file size limit: exit 74", "checks/history TestFullDisk"}},
	{"a disk quota", []string{"report TestWriteAllOverQuota", "report TestWriteAllStdout"}},
	{"one unwritable report among five", []string{"torture one of five fails", "report TestWriteAllOneCannotBeWritten"}},
	{"umask 000 and 077", []string{"torture umask", "checks/history TestFilesAreForTheirOwnerOnly", "report TestTextfileIsReadable"}},
	{"closed stdout, head -1, closed stderr and stdin", []string{"torture stdout closed: exit 0", "torture head -n 1: exit 0", "report TestWriteAllStdout"}},
	{"a report that is a link", []string{"cmd TestAReportThatIsALink", "report TestWriteAllFollowsALink"}},
	{"SIGINT, SIGTERM, SIGHUP, and a second SIGINT", []string{"script exit_codes", "torture a second SIGINT: at once", "cmd TestASignalEndsTheWaitForTheHistory", "checks TestAnInterruptedRunHasEveryResult"}},
	{"32 file descriptors", []string{"torture 32 descriptors: never the source's", "fetch TestNoMoreFiles"}},
	{"clocks that jump", []string{"fetch TestInjectedClock", "checks/history TestStateSurvivesAClockThatRanAhead", "checks/history TestRememberDoesNotBelieveTheFuture", "checks TestKnownFailures"}},
	{"the same run twice, in parallel or not, on one processor", []string{"cmd TestRunsOfTheSameAreTheSame", "report TestReadBackRendersTheSameEverywhere"}},
}

// TestEveryThreatHasItsProof wants each named proof to exist, so that none is
// lost by a new name.
func TestEveryThreatHasItsProof(t *testing.T) {
	torture := read(t, "../../fixtures/torture/torture.sh")
	tests := map[string]string{}
	for _, row := range threats {
		if len(row.proofs) == 0 {
			t.Errorf("%s: no proof", row.threat)
		}
		for _, proof := range row.proofs {
			where, what, _ := strings.Cut(proof, " ")
			known := false
			switch where {
			case "script":
				known = isFile(filepath.Join("testdata", "script", what+".txtar"))
			case "wrong":
				known = isFile(filepath.Join("..", "..", "checks", "testdata", "wrong", what+".yaml"))
			case "torture":
				known = strings.Contains(torture, `"`+what)
			default:
				if tests[where] == "" {
					tests[where] = testsOf(t, where)
				}
				known = regexp.MustCompile(`(?m)^func ` + what + `\(`).MatchString(tests[where])
			}
			if !known {
				t.Errorf("%s: there is no %s", row.threat, proof)
			}
		}
	}
}

// testsOf is the source of a package's tests.
func testsOf(t *testing.T, pkg string) string {
	t.Helper()
	dir := filepath.Join("..", "..", filepath.FromSlash(pkg))
	if pkg == "cmd" {
		dir = "."
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v", pkg, err)
	}
	var all strings.Builder
	for _, file := range files {
		all.WriteString(read(t, file))
	}
	return all.String()
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
