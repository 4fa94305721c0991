; Beside what C has.
(class_specifier name: (_) @name body: (_) @body) @class
(namespace_definition name: (_) @name body: (_) @body) @namespace
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(function_definition
  declarator: (reference_declarator (function_declarator declarator: (_) @name))
  body: (_)? @body) @function
(function_definition declarator: (operator_cast) @name body: (_)? @body) @function
(field_declaration
  declarator: [
    (function_declarator declarator: (_) @name)
    (pointer_declarator declarator: (function_declarator declarator: (_) @name))
    (reference_declarator (function_declarator declarator: (_) @name))
  ]) @declaration
(field_declaration_list (declaration declarator: (function_declarator declarator: (_) @name)) @declaration)
(declaration_list (declaration
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (reference_declarator (function_declarator declarator: (identifier) @name))
  ]) @declaration)
(translation_unit (template_declaration (declaration declarator: (function_declarator declarator: (identifier) @name)) @declaration))
(declaration_list (declaration
  declarator: [
    (identifier) @name
    (init_declarator declarator: (identifier) @name)
  ]) @variable)
