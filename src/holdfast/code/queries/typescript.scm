(public_field_definition
  name: (_) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @method
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name body: (_) @body) @enum
(internal_module name: (_) @name body: (_)? @body) @namespace
(module name: (_) @name body: (_)? @body) @namespace
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(ambient_declaration "global" @name (statement_block) @body) @namespace

; Values of a namespace.
(internal_module body: (statement_block [
  (lexical_declaration (variable_declarator name: (identifier) @name) @variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @variable)
  (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
  (export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name) @variable))
]))
(module body: (statement_block [
  (lexical_declaration (variable_declarator name: (identifier) @name) @variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @variable)
  (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
  (export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name) @variable))
]))
(ambient_declaration "global" (statement_block [
  (lexical_declaration (variable_declarator name: (identifier) @name) @variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @variable)
  (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
  (export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name) @variable))
]))
