package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/fonteviva/fonteviva/fetch"
)

// One trip: the first attempt fails, the second delivers, and the collector
// tells both.
func ExampleClient_Do() {
	asked := 0
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"valor":"0.043739"}`)
	}))
	defer source.Close()

	policy := fetch.DefaultPolicy()
	policy.Backoff = fetch.Backoff{} // do not wait
	client := fetch.NewClient(fetch.Config{Policy: policy, Way: fetch.Way{Proxy: "none"}})
	defer client.CloseIdle()

	call := new(fetch.Call)
	answer, err := client.Do(context.Background(), &fetch.Request{URL: source.URL, Mode: fetch.ModeJSON, Call: call})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Status, string(answer.Body))
	fmt.Println(call.Retrieval().Attempts, call.Retrieval().Anomalies)
	// Output:
	// 200 {"valor":"0.043739"}
	// 2 [http_5xx]
}

// A failure carries its kind and every attempt.
func ExampleError() {
	source := httptest.NewServer(http.NotFoundHandler())
	defer source.Close()
	client := fetch.NewClient(fetch.Config{Policy: fetch.DefaultPolicy(), Way: fetch.Way{Proxy: "none"}})
	defer client.CloseIdle()

	_, err := client.Do(context.Background(), &fetch.Request{URL: source.URL + "/serie/999"})
	if failed, ok := errors.AsType[*fetch.Error](err); ok {
		fmt.Println(failed.Kind, failed.Status, failed.Attempts(), failed.Trip.Stopped)
	}
	// Output: not_found 404 1 not_retryable
}

// A rule says what an answer of this origin means: here, that a 404 is no data.
func ExampleRule() {
	source := httptest.NewServer(http.NotFoundHandler())
	defer source.Close()
	client := fetch.NewClient(fetch.Config{
		Policy: fetch.DefaultPolicy(), Way: fetch.Way{Proxy: "none"},
		Rules: []fetch.Rule{{
			Name: "no observation", Status: func(s int) bool { return s == http.StatusNotFound }, BodyContains: "not found", Means: fetch.MeansAbsent,
		}},
	})
	defer client.CloseIdle()

	answer, err := client.Do(context.Background(), &fetch.Request{URL: source.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Status, answer.Rule.Name, answer.Rule.Means)
	// Output: 404 no observation absent
}
