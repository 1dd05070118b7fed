(import_statement (import_clause (identifier) @default) source: (string) @module) @import
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @module) @import
(import_statement (import_clause (named_imports (import_specifier name: (_) @name !alias))) source: (string) @module) @import
(import_statement (import_clause (named_imports (import_specifier name: (_) @name alias: (_) @alias)))
  source: (string) @module) @import
(import_statement . source: (string) @module) @import
(call_expression function: (import) arguments: (arguments . (string) @module)) @import
(call_expression function: (identifier) @_require arguments: (arguments . (string) @module .)
  (#eq? @_require "require")) @import
(_ (variable_declarator name: (identifier) @alias
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .)))
  (#eq? @_require "require")) @import
(_ (variable_declarator name: (identifier) @alias
  value: (member_expression
    object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .))
    property: (property_identifier) @name))
  (#eq? @_require "require")) @import
(_ (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .)))
  (#eq? @_require "require")) @import
(_ (variable_declarator name: (object_pattern
    (pair_pattern key: (property_identifier) @name value: (identifier) @alias))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .)))
  (#eq? @_require "require")) @import

(export_statement (export_clause (export_specifier name: (_) @name !alias)) source: (string)? @module) @export
(export_statement (export_clause (export_specifier name: (_) @name alias: (_) @alias)) source: (string)? @module) @export
(export_statement "*" @wildcard source: (string) @module) @export
(export_statement (namespace_export (_) @alias) source: (string) @module) @export
(export_statement "default" value: (identifier) @default) @export
