(class_declaration "interface" name: (_) @name (class_body)? @body) @interface
(class_declaration name: (_) @name (enum_class_body) @body) @enum
(class_declaration name: (_) @name (class_body)? @body) @class
(object_declaration name: (_) @name (class_body)? @body) @object
(companion_object name: (_) @name (class_body)? @body) @object
(companion_object !name "companion" @name (class_body)? @body) @object
(function_declaration (user_type) @owner . "." . name: (_) @name (function_body)? @body) @function
(function_declaration name: (_) @name (function_body)? @body) @function
(secondary_constructor "constructor" @name (block)? @body) @constructor
(type_alias type: (_) @name) @type
(property_declaration (variable_declaration . (identifier) @name) (getter) @body) @property
(source_file (property_declaration (variable_declaration . (identifier) @name)) @variable)
