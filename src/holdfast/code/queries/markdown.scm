(section . (atx_heading heading_content: (_) @name)) @section
; The grammar gives a heading of this kind no section of its own.
(setext_heading heading_content: (_) @name) @heading
