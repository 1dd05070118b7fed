(using_declaration (qualified_identifier scope: (_) @module name: (identifier) @name)) @import
(using_declaration "namespace" @wildcard (_) @module) @import
