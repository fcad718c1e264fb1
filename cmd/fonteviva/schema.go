package main

import (
	"fmt"
	"maps"

	"github.com/spf13/cobra"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/report"
)

func (a *app) schemaCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a declaration, for editors",
		Long: `schema prints a JSON Schema (2020-12) of a declaration: every key, what it is for
and what it may be. Editors with a YAML language server complete and check with it.
What it cannot say (names that are looked up, keys that depend on others) is left
to validate.`,
		Example: `  fonteviva schema > fonteviva.schema.json
  # then, as the first line of fonteviva.yaml:
  # yaml-language-server: $schema=fonteviva.schema.json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := declarationSchema()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "%s\n", text)
			return err
		},
	}
}

// declarationSchema is the schema of all blocks.
func declarationSchema() ([]byte, error) {
	blocks := report.DeclaredForms()
	maps.Copy(blocks, map[string]source.Form{"settings": settingsForm})
	return checks.Schema(blocks)
}

// formatForm is the name of a format.
func formatForm(s *source.Schema) map[string]any {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	return source.OneOf(names...)(s)
}

// settingsForm is the settings: block.
func settingsForm(s *source.Schema) map[string]any {
	properties := map[string]any{}
	for _, setting := range settings {
		form := setting.form(s)
		form["description"] = setting.doc
		properties[setting.key] = form
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}
