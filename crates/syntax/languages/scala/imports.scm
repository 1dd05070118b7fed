(import_declaration (namespace_selectors (identifier) @name)) @import
(import_declaration (namespace_selectors (arrow_renamed_identifier name: (_) @name alias: (_) @alias))) @import
(import_declaration (namespace_wildcard) @wildcard) @import
(import_declaration (identifier) @name .) @import
