(use_declaration argument: (identifier) @name) @import
(use_declaration argument: (scoped_identifier path: (_) @module name: (_) @name)) @import
(use_declaration argument: (use_wildcard . (_) @module) @wildcard) @import
(use_declaration argument: (use_as_clause path: (scoped_identifier path: (_) @module name: (_) @name) alias: (_) @alias)) @import
(use_declaration argument: (use_as_clause path: (identifier) @name alias: (_) @alias)) @import
(use_list [(identifier) (self)] @name) @import
(use_list (scoped_identifier path: (_) @module name: (_) @name)) @import
(use_list (use_wildcard . (_)? @module) @wildcard) @import
(use_list (use_as_clause path: (scoped_identifier path: (_) @module name: (_) @name) alias: (_) @alias)) @import
(use_list (use_as_clause path: [(identifier) (self)] @name alias: (_) @alias)) @import
(extern_crate_declaration name: (identifier) @module) @import
(mod_item name: (identifier) @module !body) @import
(macro_invocation (token_tree "mod" . (identifier) @module @import . ";"))
(macro_invocation (token_tree ["!" "else" (token_tree)] . (token_tree "mod" . (identifier) @module @import . ";")))
