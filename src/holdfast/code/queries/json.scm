; Three levels of keys: deeper ones are data.
(document (object (pair key: (_) @name value: (_) @body) @key))
(document (object (pair value: (object (pair key: (_) @name value: (_) @body) @key))))
(document (object (pair value: (object (pair value: (object (pair key: (_) @name value: (_) @body) @key))))))
