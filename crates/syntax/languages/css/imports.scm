(import_statement (string_value) @module) @import
