"""The corpus of the tokenizers' tests: seeded text of all scripts, and everything that breaks tokenizers."""
import random
import unicodedata

SEED = 20261123
LINES = 5200

ENGLISH = """the of and to in is was for that with as on by it at from his her are be this which or had an not
I'm you're they've we'll isn't don't can't he'd she's IT'S WE'RE tokenizer encode decode tensor gradient learning
ability unable international 2nd U.S.A. e.g. naïve café résumé coöperate Mr. well-known state-of-the-art""".split()
OTHERS = """Straße über Größe schön français été où garçon señor mañana ¿qué? ção pão coração żółć łódź český říjen
İstanbul ışık ÅNGSTRÖM fjord smørrebrød þing æsir õun ąžuolas привет мир этот который Україна їжак ёлка αβγ Ἑλλάς
λόγος שלום עולם مرحبا بالعالم السَّلامُ سلام دنیا नमस्ते दुनिया क्षत्रिय বাংলা ভাষা தமிழ் மொழி తెలుగు ಕನ್ನಡ മലയാളം
ภาษาไทย ສະບາຍດີ မြန်မာ ភាសាខ្មែរ བོད་ཡིག ქართული հայերեն አማርኛ 你好 世界 学习 計算機 日本語 ひらがな カタカナ コーヒー
ｶﾀｶﾅ 한국어 안녕하세요 ᄒᆞᆫ글 ᏣᎳᎩ ᐃᓄᒃᑎᑐᑦ ⵜⴰⵎⴰⵣⵉⵖⵜ ꓡꓲꓢꓴ 𐌰𐌱 𝓗𝓮𝓵𝓵𝓸 ﬁne ﬀ Ǆ ½ ² ① Ⅷ ㎏ ﷺ ｆｕｌｌ　ｗｉｄｔｈ""".split()
EMOJI = ['😀', '👍🏽', '👩‍👩‍👧‍👦', '🏳️‍🌈', '🇩🇪', '❤️', '1️⃣', '🧑🏿‍🚀', '☃', '\U0001FAE0']
SPACES = [' ', ' ', ' ', ' ', '  ', '   ', '\t', '\u00a0', '\u3000', '\u2009', '\u200b', '\r', ' \r\n ', '\n', '\n\n', '\x0b', '\u2028', '\x85', '']
SIGNS = list('.,;:!?-–—…«»“”‘’\'"()[]{}<>/\\|@#$%^&*_=+~`') + ['。', '、', '！', '؟', '।', '€', '→', '∑', '≠', '▁', '...', '?!', '://']
NUMBERS = ['0', '7', '42', '1234567', '3.14159', '1,000,000', '٣٤٥', '१२३', '０１２', '2026-11-23', '0xFF', '1e-5', '12:34', '¾', '10⁹']
CODE = ['def f(x):', '    return x**2', 'let y = a[i]?.b ?? c;', '#include <stdio.h>', 'SELECT * FROM t;', '<div class="a">', '{"k": [1, 2]}',
        'https://example.org/a?b=c&d=%20', 'user@example.com', 'fn main() { println!("{}", 1); }', '$\\sum_{i=0}^n$', 'camelCaseName', 'SNAKE_CASE_NAME']
SPECIAL = ['<s>', '</s>', '<unk>', '[CLS]', '[SEP]', '[MASK]', '<|endoftext|>', '<|begin_of_text|>', '<|im_start|>', '<0x0A>', '<mask>', 'mydefined', '▁▁']
ODD = ['\u0301', 'e\u0301', 'o\u0308\u0304', 'a\u0327\u0301', '\u200d', '\u200c', '\ufe0f', '\u202e', '\u2066', '\u0000', '\u0001', '\x7f', '\ufeff', '\ufffd', '\ufffe', '\U0010ffff',
       '\ue000', '\u00ad', 'ſ', 'K', 'ß', 'İ', 'ı', 'ŉ', '\u1e9e', '\u0130', '가', '\u1100\u1161\u11a8', '\u0958', '\u2126', '\ud7a3', '\u0345']


def letters_by_block():
    """Assigned letters and marks, in blocks of 128."""
    blocks = {}
    for code in [*range(0xA0, 0x3000), *range(0x3040, 0x3200), *range(0xA000, 0xAC00), *range(0xFB00, 0xFE00), *range(0x10000, 0x11F00),
                 *range(0x16800, 0x17000), *range(0x1E000, 0x1F000), *range(0x4E00, 0x9FA5, 37), *range(0xAC00, 0xD7A4, 41), *range(0x20000, 0x2A6D0, 701)]:
        if unicodedata.category(chr(code))[0] in 'LM':
            blocks.setdefault(code >> 7 if code < 0x4E00 else 'wide' if code < 0xA000 or code >= 0x20000 else code >> 10, []).append(chr(code))
    return [block for block in blocks.values() if len(block) > 4]


def corpus():
    """LINES texts, of which some have line feeds in them."""
    choose = random.Random(SEED)
    words = [[''.join(choose.choices(block, k=choose.randint(1, 7))) for _ in range(40)] for block in letters_by_block()]
    assigned = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in ('Cn', 'Cs', 'Co')]

    def sentence(kinds, count):
        parts = []
        for _ in range(count):
            kind = choose.choice(kinds)
            parts.append(choose.choice(kind)[min(int(choose.expovariate(0.15)), 39)] if kind is words else choose.choice(kind))
            parts.append(choose.choice(SPACES) if choose.random() < 0.25 else ' ')
            if choose.random() < 0.1:
                parts.append(choose.choice(SIGNS))
        return ''.join(parts[:-1] if choose.random() < 0.8 else parts)

    natural = [ENGLISH, ENGLISH, OTHERS, OTHERS, NUMBERS]
    lines = ['', ' ', '\n', '  leading', 'trailing  ', 'a', ' a', '▁', ' ▁ ', '\u3000', '\x00', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'x' * 300]
    lines += ODD + EMOJI + SPECIAL + OTHERS + CODE
    while len(lines) < LINES:
        pick = choose.random()
        if pick < 0.35:
            lines.append(sentence(natural, choose.randint(3, 14)))
        elif pick < 0.6:
            lines.append(sentence([words], choose.randint(1, 6)))
        elif pick < 0.75:
            lines.append(sentence([ENGLISH, words, EMOJI, SIGNS, NUMBERS, ODD, OTHERS], choose.randint(2, 9)))
        elif pick < 0.83:
            lines.append(sentence([CODE, SIGNS, ENGLISH, NUMBERS], choose.randint(1, 5)))
        elif pick < 0.9:
            lines.append(sentence([SPECIAL, ENGLISH, OTHERS, SPECIAL], choose.randint(1, 5)))
        else:
            lines.append(''.join(choose.choices(assigned, k=choose.randint(1, 12))))
    return lines
