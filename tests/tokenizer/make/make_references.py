"""Trains small tokenizers of every kind and records what Python's libraries make of the corpus.

    python3 -m venv VENV && VENV/bin/pip install tokenizers==0.23.3 sentencepiece==0.2.3 gguf==0.19.0 jinja2==3.1.6 protobuf
    VENV/bin/python tests/tokenizer/make/make_references.py

Writes into tests/tokenizer/files: the corpus, the tokenizers, and for each line of the corpus two hashes of 16 bits
(of the ids; of the offsets in bytes and the decoded text), so that a difference names its line.
"""
import collections
import gzip
import io
import json
import pathlib
import struct
import sys
import unicodedata

import gguf
import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as sp_pb
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chat  # noqa: E402
from corpus import corpus  # noqa: E402

OUT = pathlib.Path(__file__).parent.parent / 'files'
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace(r'\p{N}{1,3}', r'\p{N}')
GPT4O = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
LINES = corpus()
# Trainers of Unigram want all characters of their texts as tokens; the others stay unknown.
FREQUENT = {character for character, _ in collections.Counter(''.join(LINES)).most_common(600)} - {'\0', '\n'}
COMMON = [text for text in (''.join(character for character in line.replace('\n', ' ') if character in FREQUENT) for line in LINES) if text]
ALPHABET = pre_tokenizers.ByteLevel.alphabet()


def write(name, content):
    data = content if isinstance(content, bytes) else content.encode()
    (OUT / f'{name}.gz').write_bytes(gzip.compress(data, 9, mtime=0))


def fnv(data):
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return (value >> 16) ^ (value & 0xFFFF)


def words(numbers):
    return b''.join(struct.pack('<I', number) for number in numbers)


def byte_offsets(text, offsets):
    """Offsets in characters as offsets in bytes."""
    at = [0]
    for character in text:
        at.append(at[-1] + len(character.encode()))
    return [at[min(end, len(at) - 1)] for pair in offsets for end in pair]


MANIFEST = []


def record(name, file, encode, decode, skips=()):
    """`encode` gives ids, and offsets in characters or None; lines with a text of `skips` are not recorded."""
    hashes = []
    for line in LINES:
        if any(skip in line for skip in skips):
            hashes.append((0xFFFF, 0xFFFF))
            continue
        ids, offsets = encode(line)
        spans = words(byte_offsets(line, offsets)) if offsets is not None else b''
        hashes.append((fnv(words(ids)), fnv(spans + decode(ids).encode())))
    write(f'{name}.hashes', b''.join(struct.pack('<HH', *pair) for pair in hashes))
    MANIFEST.append({'name': name, 'file': file, 'offsets': encode(LINES[20])[1] is not None, 'skips': list(skips)})
    print(name, len(MANIFEST))


def record_json(name, tokenizer):
    write(f'{name}.json', tokenizer.to_str())
    encode = lambda line: (lambda encoding: (encoding.ids, encoding.offsets))(tokenizer.encode(line))
    record(name, f'{name}.json', encode, tokenizer.decode)


def train(tokenizer, trainer, lines=LINES):
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def byte_level(size, pre, normalizer=None, add_prefix_space=False, special=('<|endoftext|>',), **options):
    tokenizer = Tokenizer(models.BPE(**options))
    tokenizer.normalizer = normalizer
    last = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space, use_regex=pre is None)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*pre, last]) if pre else last
    tokenizer.decoder = decoders.ByteLevel()
    return train(tokenizer, trainers.BpeTrainer(vocab_size=size, special_tokens=list(special), initial_alphabet=ALPHABET, show_progress=False))


def split(regex):
    return pre_tokenizers.Split(Regex(regex), behavior='isolated')


def gpt2():
    tokenizer = byte_level(900, None)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    record_json('gpt2', tokenizer)


def roberta():
    tokenizer = byte_level(600, None, add_prefix_space=True, special=['<s>', '<pad>', '</s>', '<unk>'])
    tokenizer.add_special_tokens([AddedToken('<mask>', lstrip=True, rstrip=False)])
    tokenizer.post_processor = processors.RobertaProcessing(('</s>', 2), ('<s>', 0), trim_offsets=True, add_prefix_space=True)
    tokenizer.enable_padding(pad_id=1, pad_token='<pad>', length=6)
    tokenizer.enable_truncation(64)
    record_json('roberta', tokenizer)


def llama3():
    tokenizer = byte_level(900, [split(LLAMA3)], special=['<|begin_of_text|>', '<|end_of_text|>', '<|eot_id|>'], ignore_merges=True)
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), processors.TemplateProcessing(
        single='<|begin_of_text|> $A', pair='<|begin_of_text|> $A <|begin_of_text|>:1 $B:1', special_tokens=[('<|begin_of_text|>', 0)])])
    record_json('llama3', tokenizer)


def qwen2():
    tokenizer = byte_level(900, [split(QWEN2)], normalizer=normalizers.NFC(), special=['<|endoftext|>', '<|im_start|>', '<|im_end|>'])
    tokenizer.add_tokens([AddedToken('camelCaseName', normalized=True, single_word=True), AddedToken('été', normalized=True)])
    record_json('qwen2', tokenizer)


def deepseek():
    pre = [split(r'\p{N}{1,3}'), split('[一-龥぀-ゟ゠-ヿ]+'), split(DEEPSEEK)]
    record_json('deepseek', byte_level(700, pre))


def gpt4o():
    record_json('gpt4o', byte_level(700, [split(GPT4O)], normalizer=normalizers.Strip()))


def bert(name, lowercase):
    tokenizer = Tokenizer(models.WordPiece(unk_token='[UNK]', max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=None)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    train(tokenizer, trainers.WordPieceTrainer(vocab_size=2600, special_tokens=['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'], limit_alphabet=1500, show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single='[CLS] $A [SEP]', pair='[CLS] $A [SEP] $B:1 [SEP]:1', special_tokens=[('[CLS]', 2), ('[SEP]', 3)])
    record_json(name, tokenizer)
    return tokenizer


def unigram(charsmap):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap), normalizers.Replace(Regex(' {2,}'), ' ')])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    train(tokenizer, trainers.UnigramTrainer(vocab_size=2400, special_tokens=['<s>', '<pad>', '</s>', '<unk>'], unk_token='<unk>', show_progress=False), COMMON)
    tokenizer.post_processor = processors.BertProcessing(('</s>', 2), ('<s>', 0))
    record_json('unigram', tokenizer)


def unigram_bytes():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Lowercase(), normalizers.StripAccents(), normalizers.Replace(Regex(r'\s+'), ' ')])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme='first')])
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme='first')])
    train(tokenizer, trainers.UnigramTrainer(vocab_size=1700, special_tokens=['<unk>'], unk_token='<unk>', show_progress=False), COMMON)
    data = json.loads(tokenizer.to_str())
    data['model']['vocab'] += [[f'<0x{byte:02X}>', -30.0] for byte in range(256)]
    data['model']['byte_fallback'] = True
    record_json('unigram-bytes', Tokenizer.from_str(json.dumps(data)))


def llama2():
    tokenizer = Tokenizer(models.BPE(unk_token='<unk>', fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend('▁'), normalizers.Replace(' ', '▁')])
    tokenizer.decoder = decoders.Sequence([decoders.Replace('▁', ' '), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(' ', 1, 0)])
    special = ['<unk>', '<s>', '</s>', *(f'<0x{byte:02X}>' for byte in range(256))]
    train(tokenizer, trainers.BpeTrainer(vocab_size=1500, special_tokens=special, limit_alphabet=500, max_token_length=12, show_progress=False))
    data = json.loads(tokenizer.to_str())
    data['added_tokens'] = [token for token in data['added_tokens'] if token['id'] < 3]
    tokenizer = Tokenizer.from_str(json.dumps(data))
    tokenizer.post_processor = processors.TemplateProcessing(single='<s> $A', pair='<s> $A <s>:1 $B:1', special_tokens=[('<s>', 1)])
    record_json('llama2', tokenizer)


def suffixed():
    """As XLM and CLIP: an end of words, and what few tokenizers have."""
    tokenizer = Tokenizer(models.BPE(unk_token='<unk>', end_of_word_suffix='</w>'))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Whitespace(), pre_tokenizers.UnicodeScripts(), pre_tokenizers.Punctuation('merged_with_previous'), pre_tokenizers.Digits(individual_digits=True)])
    tokenizer.decoder = decoders.BPEDecoder()
    record_json('suffixed', train(tokenizer, trainers.BpeTrainer(
        vocab_size=1600, special_tokens=['<unk>'], end_of_word_suffix='</w>', limit_alphabet=600, show_progress=False)))


def prefixed():
    tokenizer = Tokenizer(models.BPE(unk_token='[UNK]', continuing_subword_prefix='##'))
    tokenizer.normalizer = normalizers.NFKD()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.CharDelimiterSplit(' '), pre_tokenizers.Split('-', behavior='merged_with_next'), pre_tokenizers.Digits(), pre_tokenizers.FixedLength(9)])
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    record_json('prefixed', train(tokenizer, trainers.BpeTrainer(
        vocab_size=1600, special_tokens=['[UNK]'], continuing_subword_prefix='##', limit_alphabet=600, show_progress=False)))


def word_level():
    tokenizer = Tokenizer(models.WordLevel(unk_token='<unk>'))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Split(Regex(r'\w+?[aeiou](?=\w)'), behavior='contiguous', invert=True)])
    tokenizer.decoder = decoders.CTC(pad_token='<pad>', word_delimiter_token='|')
    record_json('word-level', train(tokenizer, trainers.WordLevelTrainer(vocab_size=900, special_tokens=['<pad>', '<unk>'], show_progress=False)))


def sentence_piece(name, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(COMMON), model_writer=model, minloglevel=2, num_threads=1,
        character_coverage=0.99, hard_vocab_limit=False, **options)
    return model.getvalue()


def charsmap():
    """A small map: full-width and compatibility characters, ligatures, marks, and removed ones."""
    rules = {'\u200b': '', '\ufeff': '', '\u3000': ' ', '\u00a0': ' ', '\t': ' ', '\n': ' ', '\u2028': ' ', 'e\u0301': 'é', 'ﷺ': unicodedata.normalize('NFKC', 'ﷺ')}
    for code in [*range(0xFB00, 0xFB07), *range(0xFF01, 0xFFA0), *range(0x2150, 0x2180), *range(0x3380, 0x33A0), 0xBD, 0xB2, 0x2122, 0x1C4, 0x1C5]:
        rules[chr(code)] = unicodedata.normalize('NFKC', chr(code))
    for base in 'aeioucAEIOUC':
        for mark in '\u0301\u0308\u0327':
            rules[base + mark] = unicodedata.normalize('NFC', base + mark)
    path = OUT / 'rules.tsv'
    codes = lambda text: ' '.join(f'{ord(character):X}' for character in text)
    path.write_text(''.join(f'{codes(old)}\t{codes(new)}\n' for old, new in rules.items() if old != new))
    model = sentence_piece('rules', model_type='unigram', vocab_size=1600, normalization_rule_tsv=str(path))
    path.unlink()
    return sp_pb.ModelProto.FromString(model).normalizer_spec.precompiled_charsmap


def record_sentence_piece(name, data, skips=()):
    write(f'{name}.model', data)
    model = sentencepiece.SentencePieceProcessor(model_proto=data)
    record(name, f'{name}.model', lambda line: (model.encode(line), None), lambda ids: model.decode(ids), skips)
    return model


def write_gguf(name, model, tokens, pre=None, merges=None, scores=None, kinds=None, **more):
    path = OUT / 'x.gguf'
    writer = gguf.GGUFWriter(path, 'llama')
    writer.add_tokenizer_model(model)
    if pre:
        writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types(kinds or [1] * len(tokens))
    if merges is not None:
        writer.add_token_merges(merges)
    if scores is not None:
        writer.add_token_scores(scores)
    for key, value in more.items():
        (writer.add_bool if isinstance(value, bool) else writer.add_string if isinstance(value, str) else writer.add_uint32)(f'tokenizer.{key.replace("__", ".")}', value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    write(f'{name}.gguf', path.read_bytes())
    path.unlink()


def gguf_bpe(pre, splits, ignore_merges=False):
    tokenizer = byte_level(500, [split(regex) for regex in splits] if splits else None, ignore_merges=ignore_merges)
    model = json.loads(tokenizer.to_str())['model']
    tokens = sorted(model['vocab'], key=model['vocab'].get)
    name = f'gguf-{pre}'
    write_gguf(name, 'gpt2', tokens, pre, [' '.join(merge) for merge in model['merges']], kinds=[3] + [1] * (len(tokens) - 1),
               ggml__bos_token_id=0, ggml__add_bos_token=False, chat_template='{{ bos_token }}{{ messages[0].content }}')
    encode = lambda line: (lambda encoding: (encoding.ids, encoding.offsets))(tokenizer.encode(line))
    record(name, f'{name}.gguf', encode, tokenizer.decode)


def gguf_pieces():
    data = sentence_piece('llama', model_type='bpe', vocab_size=1500, byte_fallback=True, normalization_rule_name='identity',
                          remove_extra_whitespaces=False)
    proto = sp_pb.ModelProto.FromString(data)
    model = sentencepiece.SentencePieceProcessor(model_proto=data)
    write_gguf('gguf-llama', 'llama', [piece.piece for piece in proto.pieces], 'default', scores=[piece.score for piece in proto.pieces],
               kinds=[piece.type for piece in proto.pieces], ggml__bos_token_id=1, ggml__eos_token_id=2)
    record('gguf-llama', 'gguf-llama.gguf', lambda line: ([1, *model.encode(line)], None), lambda ids: model.decode(ids), ['<s>', '</s>'])


def gguf_bert(tokenizer):
    model = json.loads(tokenizer.to_str())['model']
    tokens = sorted(model['vocab'], key=model['vocab'].get)
    marked = [token if index < 5 else token[2:] if token.startswith('##') else '▁' + token for index, token in enumerate(tokens)]
    write_gguf('gguf-bert', 'bert', marked, 'default', kinds=[3] * 5 + [1] * (len(tokens) - 5), ggml__cls_token_id=2,
               ggml__seperator_token_id=3, ggml__unknown_token_id=1, ggml__padding_token_id=0)
    encode = lambda line: (lambda encoding: (encoding.ids, encoding.offsets))(tokenizer.encode(line))
    # The mark of a first token is a character that tokens have, too.
    record('gguf-bert', 'gguf-bert.gguf', encode, tokenizer.decode, ['▁'])


def calls():
    """Pairs, truncation and padding."""
    rows = []
    texts = [('Hello world', None), ('a  b', 'Été à la plage'), ('well-known tokenizer ' * 6, 'the second ' * 9), ('', ''), ('日本語 text', '😀 </s>')]
    for name in ['bert-uncased', 'roberta', 'llama3', 'llama2', 'unigram', 'gpt2']:
        for add in (True, False):
            for truncation in (None, {'max_length': 12}, {'max_length': 9, 'direction': 'left'}, {'max_length': 11, 'strategy': 'only_second'}):
                for padding in (None, {'length': None, 'pad_to_multiple_of': 8}, {'length': 20, 'direction': 'left'}):
                    tokenizer = Tokenizer.from_str(gzip.decompress((OUT / f'{name}.json.gz').read_bytes()).decode())
                    tokenizer.no_truncation()
                    tokenizer.no_padding()
                    if truncation:
                        tokenizer.enable_truncation(**truncation)
                    if padding:
                        tokenizer.enable_padding(pad_id=1, pad_type_id=3, **padding)
                    batch = [text for text in texts if text[1] is not None or (truncation or {}).get('strategy') is None]
                    try:
                        encodings = tokenizer.encode_batch([text if text[1] is not None else text[0] for text in batch], add_special_tokens=add)
                    except Exception as error:
                        rows.append({'tokenizer': name, 'add': add, 'truncation': truncation, 'padding': padding, 'texts': batch, 'error': str(error)})
                        continue
                    results = []
                    for (first, second), encoding in zip(batch, encodings):
                        offsets = []
                        for pair, sequence in zip(encoding.offsets, encoding.sequence_ids):
                            offsets += byte_offsets(second if sequence == 1 else first, [pair])
                        # Of a truncated text the library no longer says which one a token is of.
                        results.append({'ids': encoding.ids, 'types': encoding.type_ids, 'attention': encoding.attention_mask,
                                        'special': encoding.special_tokens_mask, 'offsets': None if truncation else offsets})
                    rows.append({'tokenizer': name, 'add': add, 'truncation': truncation, 'padding': padding, 'texts': batch, 'results': results})
    write('calls.json', json.dumps(rows, ensure_ascii=False))


def main():
    OUT.mkdir(exist_ok=True)
    for old in OUT.iterdir():
        old.unlink()
    write('corpus.json', json.dumps(LINES, ensure_ascii=False))
    gpt2()
    roberta()
    llama3()
    qwen2()
    deepseek()
    gpt4o()
    uncased = bert('bert-uncased', True)
    bert('bert-cased', False)
    nmt = sentence_piece('unigram', model_type='unigram', vocab_size=1600, user_defined_symbols=['mydefined', '▁▁', '<|im_start|>'], normalization_rule_name='nmt_nfkc_cf')
    record_sentence_piece('sp-unigram', nmt)
    unigram(charsmap())
    unigram_bytes()
    llama2()
    suffixed()
    prefixed()
    word_level()
    record_sentence_piece('sp-bpe', sentence_piece(
        'bpe', model_type='bpe', vocab_size=1500, byte_fallback=True, user_defined_symbols=['mydefined', '<|im_start|>'], normalization_rule_name='identity'))
    record_sentence_piece('sp-suffix', sentence_piece(
        'suffix', model_type='unigram', vocab_size=900, byte_fallback=False, treat_whitespace_as_suffix=True, normalization_rule_name='identity', remove_extra_whitespaces=False, unk_surface='?'))
    gguf_bpe('gpt-2', None)
    gguf_bpe('llama-bpe', [LLAMA3], ignore_merges=True)
    gguf_bpe('qwen2', [QWEN2])
    gguf_bpe('smollm', [r'\p{N}', r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"])
    gguf_bpe('default', [r'[\p{P}\$\+<=>\^~\|]+', r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)", r'\p{N}+', '[0-9][0-9][0-9]'])
    gguf_pieces()
    gguf_bert(uncased)
    calls()
    write('chat.json', json.dumps(chat.cases(), ensure_ascii=False))
    (OUT / 'manifest.json').write_text(json.dumps(MANIFEST, indent=1) + '\n')


main()
