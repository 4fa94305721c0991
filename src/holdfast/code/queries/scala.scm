(class_definition name: (_) @name body: (_)? @body) @class
(object_definition name: (_) @name body: (_)? @body) @object
(package_object name: (_) @name body: (_)? @body) @object
(trait_definition name: (_) @name body: (_)? @body) @trait
(enum_definition name: (_) @name body: (_) @body) @enum
(given_definition name: (_) @name body: (_)? @body) @object
(extension_definition
  parameters: (parameters . (parameter type: (_) @owner))
  body: (function_definition name: (_) @name body: (_) @body)) @function
(function_definition name: (_) @name body: (_) @body) @function
(function_declaration name: (_) @name) @function
(type_definition name: (_) @name) @type
(compilation_unit (val_definition pattern: (identifier) @name value: (_) @body) @variable)
(compilation_unit (var_definition pattern: (identifier) @name value: (_) @body) @variable)
(object_definition body: (template_body (val_definition pattern: (identifier) @name value: (_) @body) @variable))
(object_definition body: (template_body (var_definition pattern: (identifier) @name value: (_) @body) @variable))
