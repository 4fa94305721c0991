(function_declaration name: (identifier) @name body: (_)? @body) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (_) @name
  body: (_)? @body) @method
(type_spec name: (_) @name type: (struct_type) @body) @struct
(type_spec name: (_) @name type: (interface_type) @body) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(method_elem name: (_) @name) @method
(source_file (const_declaration (const_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
