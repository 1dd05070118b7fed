(using_directive !name [(identifier) (qualified_name)] @module) @import
(using_directive name: (identifier) @alias [(identifier) (qualified_name)] @module .) @import
