(function_call name: (identifier) @_require arguments: (arguments (string content: (string_content) @module))
  (#any-of? @_require "require" "dofile" "loadfile")) @import
