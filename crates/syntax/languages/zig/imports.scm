(variable_declaration (identifier) @alias (builtin_function (builtin_identifier) @_import (arguments (string (string_content) @module)))
  (#eq? @_import "@import")) @import
