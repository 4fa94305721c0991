; What other files can point at: elements with an id.
([
  (element [
    (start_tag (attribute (attribute_name) @_id [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
    (self_closing_tag (attribute (attribute_name) @_id [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
  ])
  (script_element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))))
  (style_element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))))
] @element
(#eq? @_id "id"))
