(import_declaration (scoped_identifier scope: (_) @module name: (identifier) @name) .) @import
(import_declaration (_) @module (asterisk) @wildcard) @import
