(function_declaration name: (_) @name body: (_)? @body) @function
(assignment_statement
  (variable_list . name: (_) @name)
  (expression_list . value: (function_definition body: (_)? @body))) @function
(field name: (_) @name value: (function_definition body: (_)? @body)) @function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name)) @variable))
(chunk (assignment_statement (variable_list name: (_) @name)) @variable)
