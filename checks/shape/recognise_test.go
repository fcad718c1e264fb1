package shape

import "testing"

func TestFormats(t *testing.T) {
	for text, want := range map[string]string{
		"17": "digits", "00123": "digits", "-17": "number or number with a decimal comma", "+1": "number or number with a decimal comma",
		"0.043739": "number", "-1.5e-3": "number", "1.5E+10": "number", "1.": "text", ".5": "text", "1e": "text", "-": "text", "--1": "text",
		"1.542": "number or number with a decimal comma", "1.542,07": "number with a decimal comma", "0,04": "number with a decimal comma",
		"1542,07": "number with a decimal comma", "12.34,5": "text", "1.2345,6": "text", "1,": "text", "1,542.07": "text", "1234.567,8": "text",
		"12%": "percent", "12,5 %": "percent", "%": "text", "x%": "text",
		"2024-12-31": "YYYY-MM-DD", "2024-13-01": "text", "2024-12-32": "text", "2024-1-2": "text",
		"31/12/2024": "DD/MM/YYYY", "12/31/2024": "MM/DD/YYYY", "01/02/2024": "DD/MM/YYYY or MM/DD/YYYY", "31/31/2024": "text",
		"31-12-2024": "DD-MM-YYYY", "12-31-2024": "MM-DD-YYYY",
		"31/12/2024 23:59": "DD/MM/YYYY hh:mm", "12/31/2024 23:59:59": "MM/DD/YYYY hh:mm", "31/12/2024T23:59": "text", "31/12/2024 25:00": "text",
		"2024-05": "YYYY-MM", "2024-13": "text", "05/2024": "MM/YYYY", "13/2024": "text", "2024-5x": "text",
		"2024-05-07T14:00:00Z": "RFC 3339", "2024-05-07T14:00:00.123-03:00": "RFC 3339", "2024-05-07t14:00:00z": "RFC 3339",
		"2024-05-07T14:00": "YYYY-MM-DDThh:mm", "2024-05-07 14:00:00": "YYYY-MM-DDThh:mm", "2024-05-07T14:00:00.5": "YYYY-MM-DDThh:mm",
		"2024-05-07T14:00Z": "text", "2024-05-07T14:00:00.": "text", "2024-05-07T": "text", "2024-05-07T14:00:00Zx": "text", "2024-05-07T99:00": "text",
		"653f0a2c-9f3b-4f7e-8a51-0d4b6f1c2e3d": "UUID", "A53F0A2C-9F3B-4F7E-8A51-0D4B6F1C2E3D": "UUID", "653f0a2c-9f3b-4f7e-8a51-0d4b6f1c2e3g": "text",
		"653f0a2c09f3b-4f7e-8a51-0d4b6f1c2e3d": "text",
		"https://x.example/a?b":                "URL", "http://x": "URL", "https://": "text", "https://a b": "text", "ftp://x": "text", "http": "text",
		"ana@x.example": "email", "1@x.example": "email", "h@x.example": "email", "a@b": "text", "@x.example": "text", "a@.x": "text", "a@x.": "text", "a b@x.example": "text", "a@b@x.example": "text",
		"soon": "text", " ": "text", "ação": "text", "\xff": "text",
	} {
		if got := formatsOf([]byte(text)).String(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestStructuredKeys(t *testing.T) {
	for name, want := range map[string]bool{
		"2024-01-01": true, "17": true, "2024-01": true, "653f0a2c-9f3b-4f7e-8a51-0d4b6f1c2e3d": true, "valor": false, "": false, "D1C": false, "a@x.example": false, "https://x.example": false,
	} {
		if got := structured([]byte(name)); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}
