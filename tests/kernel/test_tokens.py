"""The counter never gives fewer tokens than the tokenizers it stands in for.

The oracle is splintr, which carries the vocabularies of cl100k and o200k and works offline.
Random texts are drawn the same way in every run: no estimate is a bound for each string of
letters an adversary could choose, and a test must not fail by luck.
"""

from __future__ import annotations

import base64
import json
import random
import string
import sysconfig
import uuid
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
import splintr
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.kernel import tokens

PROJECT = Path(__file__).parents[2]
STDLIB = Path(sysconfig.get_path("stdlib"))
RATIO_MAX = 1.5

PROSE = """\
The decision was made on a Tuesday, after three of us had read the same log twice and drawn
different conclusions from it. What the service had promised was not what it had done: between
the second retry and the third, the record of the payment was written, acknowledged, and lost.

We agreed to keep the older format for another quarter. Nobody liked it. But the alternative,
rewriting every consumer before the migration, would have meant stopping the work that customers
had already been told to expect, and there was no honest way to say so in one sentence.
"""
MARKDOWN = """\
# Retention

| kind | kept for | why |
|---|---|---|
| decisions | ever | they are asked about twice |
| drafts | 30 days | **nobody** reads them |

1. Run `make check`; see [the guide](https://example.org/docs/guide.html#retention).
2. Do *not* edit `settings.toml` by hand.

```python
for entry in ledger.read(after=head):
    print(f"{entry.seq:>6} {entry.type}")
```
"""
SHELL = """\
$ ls -la /var/log/nginx
total 1284
drwxr-x---  2 root adm     4096 Mar  3 06:25 .
-rw-r-----  1 www-data adm  91823 Mar  3 11:02 access.log
-rw-r-----  1 www-data adm 402117 Mar  2 23:59 access.log.1
$ git log --oneline -3
9fceb02 (HEAD -> main, origin/main) Refuse entries above the limit
e83c516 Merge pull request #1742 from example/fix-timeouts
Traceback (most recent call last):
  File "/srv/app/worker.py", line 214, in _dispatch
    raise TimeoutError(f"no answer after {timeout_s:.1f} s")
TimeoutError: no answer after 30.0 s
"""
MINIFIED = (
    "!function(e,t){'use strict';var n=e.document,r=[].slice;function i(e,t){return null==e?void 0:"
    "e[t]}for(var o=0,a=t.length;o<a;o++)if(t[o]!==n&&(t[o].x|0)>>>3)r.call(t[o],1);"
    "e.$=i,e._a=function(){return!0}}(window,[{x:1e3,y:.5},{x:-1,y:NaN}]);"
)
ORDINARY = {"prose": PROSE, "markdown": MARKDOWN, "shell": SHELL}
OTHER_SCRIPTS = {
    "chinese": "这个决定是在星期二做出的，我们三个人把同一份日志读了两遍，得出了不同的结论。",
    "japanese": "この決定は火曜日に下されました。ログを二度読んで、違う結論に達しました。",
    "korean": "이 결정은 화요일에 내려졌습니다. 우리는 같은 기록을 두 번 읽었습니다.",
    "russian": "Решение было принято во вторник, после того как трое из нас дважды прочли журнал.",
    "arabic": "اتخذ القرار يوم الثلاثاء بعد أن قرأ ثلاثة منا السجل نفسه مرتين.",
    "hebrew": "ההחלטה התקבלה ביום שלישי, אחרי ששלושה מאיתנו קראו את היומן פעמיים.",
    "hindi": "यह निर्णय मंगलवार को लिया गया, जब हममें से तीन ने एक ही लॉग दो बार पढ़ा।",
    "thai": "การตัดสินใจเกิดขึ้นในวันอังคาร หลังจากพวกเราสามคนอ่านบันทึกเดียวกันสองครั้ง",
    "greek": "Η απόφαση πάρθηκε την Τρίτη, αφού τρεις από εμάς διάβασαν το ημερολόγιο.",
    "german": "Die Entscheidung fiel am Dienstag, nachdem drei von uns das Protokoll lasen.",
    "french": "La décision fut prise un mardi, après que trois d'entre nous l'eurent relu.",
    "polish": "Decyzję podjęto we wtorek, gdy troje z nas przeczytało ten sam dziennik.",
    "vietnamese": "Quyết định được đưa ra vào thứ Ba, sau khi ba người đọc nhật ký hai lần.",
    "turkish": "Karar salı günü, üçümüz aynı günlüğü iki kez okuduktan sonra alındı.",
    "emoji": "done 🎉🚀 👩‍👩‍👧‍👦 👍🏽 🇩🇪 ✅ ❤️ 🤷‍♀️",
    "combining": "e\u0301 a\u0300\u0323 Z\u0351\u036b\u0343a\u0321\u034el\u0489go o\u0308",
    "mathematics": "∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, α ∧ ¬β → γ; 𝒜 ⊂ 𝔹, ∑ᵢ xᵢ² ≤ ½",
    "boxes": "┌──┬──┐\n│ a│ b│\n╞══╪══╡\n└──┴──┘ ░▒▓█",
    "replacement": "\ufffd\ufeff\u200b\u00a0\u2028",
}


@cache
def oracles() -> list[splintr.AnyTokenizer]:
    return [splintr.Tokenizer.from_pretrained(name) for name in ("cl100k_base", "o200k_base")]


def true_count(text: str) -> int:
    return max(len(oracle.encode_ordinary(text)) for oracle in oracles())


def machine_texts() -> dict[str, str]:
    """Text no one wrote: digests, keys, numbers, runs."""
    digests = [sha256(str(number).encode()).digest() for number in range(60)]
    record = {"id": 17, "tags": ["a", "b"], "ok": True, "at": "2031-04-05T06:07:08.901Z", "n": None}
    return {
        "json": json.dumps([record] * 5),
        "json, compact": json.dumps([record] * 5, separators=(",", ":")),
        "json, indented": json.dumps([record] * 5, indent=2),
        "hex": "\n".join(digest.hex() for digest in digests),
        "HEX": " ".join(digest.hex().upper() for digest in digests),
        "base64": base64.b64encode(b"".join(digests)).decode(),
        "base32": base64.b32encode(b"".join(digests)).decode(),
        "uuids": "\n".join(str(uuid.UUID(bytes=digest[:16])) for digest in digests),
        "paths": "/usr/lib/python3/dist-packages/_x/__init__.py:31 C:\\Users\\me\\AppData\\x.tmp",
        "minified": MINIFIED,
        "identifiers": "getHTTPResponseCodeFromURL max_retry_count_per_second XMLHttpRequest2",
        "long identifier": "averyveryverylongidentifierwithoutanyseparatorswhatsoever" * 4,
        "quoted": "'True', 'False', 'don't', \"it's\", 'll', 'very', 'really', 'Sum', 'Delta'",
        "numbers": " ".join(str(7**power) for power in range(80)) + " 3.14159 -1e-9 0x1F 1,000",
        "spaces": " " * 500 + "x" + " " * 79 + "1" + "\t" * 30 + "y \t \t \n",
        "lines": "\n" * 60 + "a\n\n\n\nb\r\n\r\nc\r\rd\n \n  \n\t\n" + "\r\n" * 30,
        "rules": "\n".join(sign * n for sign in "-=*#_./~+<|" for n in (2, 3, 5, 7, 15, 31, 80)),
        "control": "".join(map(chr, range(32))) + "\x7f\x1b[31mred\x1b[0m\x00\x00",
        "special": "<|endoftext|><|im_start|>",
    }


def files(*roots: tuple[Path, str]) -> list[Path]:
    found = [path for root, pattern in roots for path in sorted(root.glob(pattern))]
    return [path for path in found if path.is_file()]


SOURCES = files(
    (PROJECT / "src", "**/*.py"),
    (PROJECT / "tests", "**/*.py"),
    (PROJECT / "docs", "**/*.md"),
    (STDLIB, "a*.py"),
    (STDLIB, "s*.py"),
    (STDLIB / "json", "*.py"),
    (STDLIB / "email", "*.py"),
)


def read(paths: list[Path]) -> list[str]:
    return [text for path in paths if (text := path.read_text("utf-8", errors="replace"))]


def too_low(samples: list[str]) -> list[tuple[int, int, str]]:
    counted = ((tokens.estimate(text), true_count(text), text[:80]) for text in samples)
    return [(estimated, true, text) for estimated, true, text in counted if estimated < true]


def test_the_counter_is_named() -> None:
    assert tokens.COUNTER == "holdfast-2"


def test_nothing_takes_no_tokens() -> None:
    assert tokens.estimate("") == 0


def test_numbers_of_this_version_are_fixed() -> None:
    """A ledger keeps numbers beside the counter's name: a change here needs a new name."""
    expected = {"prose": 152, "markdown": 146, "shell": 229}
    assert expected == {name: tokens.estimate(text) for name, text in ORDINARY.items()}


@pytest.mark.parametrize("character", ["a", "Z", "7", " ", "\n", "é", "漢", "🙂", "\ud800", "\x00"])
def test_one_character_takes_at_least_one_token_and_at_most_its_bytes(character: str) -> None:
    size_bytes = len(character.encode("utf-8", "surrogatepass"))
    assert 1 <= tokens.estimate(character) <= size_bytes


def test_files_are_not_counted_low() -> None:
    assert too_low(read(SOURCES)) == []


def test_lines_and_words_of_files_are_not_counted_low() -> None:
    text = "\n".join(read(SOURCES[::3]))
    lines = random.Random(1).sample(text.splitlines(), 5000)
    words = random.Random(2).sample(text.split(), 5000)
    assert too_low([sample for sample in lines + words if sample]) == []


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary_texts_are_not_counted_low_wherever_they_are_cut(text: str) -> None:
    cuts = [text[start : start + 60] for start in range(len(text))]
    assert too_low([text, *cuts]) == []


@pytest.mark.parametrize("text", machine_texts().values(), ids=machine_texts().keys())
def test_machine_texts_are_not_counted_low(text: str) -> None:
    assert too_low([text, *text.splitlines(), *text.split(), text * 3]) == []


@pytest.mark.parametrize("text", OTHER_SCRIPTS.values(), ids=OTHER_SCRIPTS.keys())
def test_other_scripts_are_not_counted_low(text: str) -> None:
    assert too_low([text, *text.split(), *text, text * 20]) == []


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary_texts_are_not_counted_much_too_high(text: str) -> None:
    assert tokens.estimate(text) <= RATIO_MAX * true_count(text)


def test_code_and_docs_are_not_counted_much_too_high() -> None:
    samples = [text for text in read(SOURCES) if len(text) > 2000]
    estimated, true = sum(map(tokens.estimate, samples)), sum(map(true_count, samples))
    assert estimated <= RATIO_MAX * true


@settings(derandomize=True, max_examples=500, deadline=None)
@given(st.text(min_size=1))
def test_random_text_is_not_counted_low(text: str) -> None:
    assert too_low([text]) == []


RANDOM_ALPHABETS = {
    "printable": string.printable,
    "ascii": "".join(map(chr, range(128))),
    "signs": string.punctuation,
    "spaces": string.whitespace,
    "capitals": string.ascii_uppercase + " ",
    "digits": string.digits + "  ",
    "latin": "".join(map(chr, range(0x80, 0x250))),
    "han": "".join(map(chr, range(0x4E00, 0xA000))),
    "hangul": "".join(map(chr, range(0xAC00, 0xD7A4))),
    "emoji": "".join(map(chr, range(0x1F300, 0x1F700))) + "\u200d\ufe0f",
    "all planes": "".join(map(chr, range(0xE000, 0x30000, 7))),
}


@pytest.mark.parametrize("alphabet", RANDOM_ALPHABETS.values(), ids=RANDOM_ALPHABETS.keys())
def test_random_text_of_one_kind_is_not_counted_low(alphabet: str) -> None:
    source = random.Random(7)
    lengths = [1, 2, 3, 5, 8, 13, 40, 200] * 40
    assert too_low(["".join(source.choices(alphabet, k=length)) for length in lengths]) == []


def test_random_small_letters_are_not_counted_low() -> None:
    source = random.Random(11)
    lengths = [1, 2, 3, 5, 8, 13, 40, 200] * 40
    alphabet = string.ascii_lowercase + "  "
    assert too_low(["".join(source.choices(alphabet, k=length)) for length in lengths]) == []


def test_a_text_of_several_slices_is_counted_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    text = PROSE * 40
    whole = tokens.estimate(text)
    monkeypatch.setattr(tokens, "SLICE_CHARS", 1000)
    assert whole <= tokens.estimate(text) <= 1.02 * whole
