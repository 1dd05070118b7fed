(namespace_use_declaration (namespace_use_clause . [(name) (qualified_name)] @module !alias)) @import
(namespace_use_declaration (namespace_use_clause . [(name) (qualified_name)] @module alias: (name) @alias)) @import
(namespace_use_group (namespace_use_clause . (name) @name !alias)) @import
(namespace_use_group (namespace_use_clause . (name) @name alias: (name) @alias)) @import
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import
