//! Files that are damaged or do not fit together: a tokenizer or a typed error, and never a panic.

use crate::common::{corpus, file, references};
use lanthorn_tokenizer::{ChatOptions, EncodeOptions, Error, Tokenizer, Truncation};
use serde_json::{Value, json};

fn read(value: &Value) -> Result<Tokenizer, Error> {
    Tokenizer::from_json(value.to_string().as_bytes())
}

/// Uses whatever a damaged file became.
fn exercise(tokenizer: &Tokenizer) {
    for text in ["", " a", "Été 12\n日本 😀 <s> </s>", "\u{0}\u{301}x"] {
        if let Ok(encoding) = tokenizer.encode(text, &EncodeOptions::default()) {
            let _ = tokenizer.decode(&encoding.ids, false);
        }
        let options = EncodeOptions { truncation: Some(Truncation::new(3)), ..EncodeOptions::default() };
        let _ = tokenizer.encode_pair(text, "b", &options);
    }
    let mut stream = tokenizer.decode_stream(true);
    (0..8).for_each(|id| drop(stream.push(id)));
    drop(stream.finish());
}

/// A small model of every kind that is JSON.
fn word_level() -> Value {
    json!({"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "?": 2}, "unk_token": "?"}})
}

#[test]
fn unknown_and_ill_fitting_parts_are_named() {
    let template = |pieces: Value, tokens: Value| json!({"type": "TemplateProcessing", "single": pieces, "pair": [], "special_tokens": tokens});
    let cls = json!([{"SpecialToken": {"id": "[CLS]", "type_id": 0}}]);
    let parts: Vec<(&str, Value, &str)> = vec![
        ("version", json!("2.0"), "version \"2.0\""),
        ("normalizer", json!({"type": "Rot13"}), "normalizer of type \"Rot13\""),
        ("normalizer", json!({"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "X"}]}), "normalizers[1]"),
        ("normalizer", json!({"type": "Replace", "pattern": {"Regex": "(a"}, "content": ""}), "(a"),
        ("normalizer", json!({"type": "Precompiled", "precompiled_charsmap": "!"}), "base64"),
        ("normalizer", json!({"type": "Precompiled", "precompiled_charsmap": "/////w=="}), "precompiled_charsmap"),
        ("normalizer", json!({"type": "Prepend"}), "has no \"prepend\""),
        ("pre_tokenizer", json!({"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Odd"}), "behavior \"Odd\""),
        ("pre_tokenizer", json!({"type": "Metaspace", "replacement": "__"}), "not one character"),
        (
            "pre_tokenizer",
            json!({"type": "Metaspace", "replacement": "_", "prepend_scheme": "x"}),
            "prepend_scheme \"x\"",
        ),
        ("pre_tokenizer", json!({"type": "FixedLength", "length": 0}), "length 0"),
        ("pre_tokenizer", json!({"type": "Digits", "individual_digits": 1}), "pre_tokenizer.individual_digits"),
        ("pre_tokenizer", json!(5), "pre_tokenizer"),
        ("decoder", json!({"type": "Sequence", "decoders": [{"type": "Odd"}]}), "decoders[0] of type \"Odd\""),
        ("post_processor", template(cls.clone(), json!({})), "[CLS]"),
        ("post_processor", template(cls, json!({"[CLS]": {"ids": [9]}})), "no token has the id 9"),
        (
            "post_processor",
            json!({"type": "BertProcessing", "cls": ["a", 0], "sep": ["z", 7]}),
            "no token has the id 7",
        ),
        ("added_tokens", json!([{"id": 0, "content": "new"}]), "\"new\" has the id 0, which is that of \"a\""),
        ("added_tokens", json!([{"id": 5, "content": ""}]), "without text"),
        ("added_tokens", json!([{"id": -5, "content": "x"}]), "added_tokens[0].id"),
        ("truncation", json!({"max_length": 5, "strategy": "Odd"}), "strategy \"Odd\""),
        ("padding", json!({"strategy": "BatchLongest"}), "pad_id"),
    ];
    for (name, part, message) in parts {
        let mut value = word_level();
        value[name] = part;
        let error = read(&value).unwrap_err();
        assert!(error.is_malformed() || error.is_unsupported(), "{value}");
        assert!(error.to_string().contains(message), "{error}\nlacks {message}");
        assert!(error.to_string().starts_with("tokenizer.json: "), "{error}");
    }
}

#[test]
fn vocabularies_that_do_not_fit_are_refused() {
    for (model, message) in [
        (json!({"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}), "model.merges[0]"),
        (json!({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"], ["a", "c"]]}), "\"c\""),
        (json!({"type": "BPE", "vocab": {"a": 0}, "merges": ["a"]}), "no pair"),
        (json!({"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "u"}), "unknown token \"u\""),
        (json!({"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.5}), "dropout"),
        (json!({"type": "BPE", "vocab": {"a": 0, "b": 0}, "merges": []}), "same id 0"),
        (json!({"type": "BPE", "vocab": {"a": 4294967296u64}, "merges": []}), "32 bits"),
        (json!({"type": "BPE", "vocab": ["a"], "merges": []}), "model.vocab"),
        (json!({"type": "WordPiece", "vocab": {"a": 0}}), "[UNK]"),
        (json!({"type": "WordLevel", "vocab": {}}), "<unk>"),
        (json!({"type": "Unigram", "vocab": [["a", 0.0]], "unk_id": 1}), "unk_id is 1"),
        (json!({"type": "Unigram", "vocab": [["a"]], "unk_id": 0}), "model.vocab[0]"),
        (json!({"type": "Unigram", "vocab": [["a", "b"]]}), "model.vocab[0]"),
        (json!({"vocab": {"a": 0}}), "type"),
    ] {
        let error = read(&json!({"model": model})).unwrap_err();
        assert!(error.is_malformed() || error.is_unsupported(), "{model}");
        assert!(error.to_string().contains(message), "{error}\nlacks {message}");
    }
}

#[test]
fn calls_that_cannot_be_answered_are_errors() {
    let unigram = read(&json!({"model": {"type": "Unigram", "vocab": [["a", 0.0]]}})).unwrap();
    assert!(unigram.encode("b", &EncodeOptions::default()).unwrap_err().is_argument());
    assert_eq!(unigram.encode("aa", &EncodeOptions::default()).unwrap().ids, [0, 0]);
    assert!(unigram.decode(&[0, 1], true).unwrap_err().is_unknown_id());

    let mut value = word_level();
    value["post_processor"] = json!({"type": "BertProcessing", "cls": ["a", 0], "sep": ["b", 1]});
    let bert = read(&value).unwrap();
    let options = EncodeOptions { truncation: Some(Truncation::new(1)), ..EncodeOptions::default() };
    assert!(bert.encode("a", &options).unwrap_err().is_argument());

    let error = bert.apply_chat_template("[]", &ChatOptions::default()).unwrap_err();
    assert!(error.to_string().contains("no template \"default\""), "{error}");
    for template in ["{{ 1 / 0 }}", "{% for %}", "{{ raise_exception('no') }}", "{{ x.y.z }}", "{{ messages.foo() }}"] {
        let options = ChatOptions { template: Some(template.to_string()), ..ChatOptions::default() };
        assert!(bert.apply_chat_template("[]", &options).unwrap_err().is_argument(), "{template}");
    }
    let endless = "{% for a in range(99999) %}{% for b in range(99999) %}{{ a }}{% endfor %}{% endfor %}";
    let options = ChatOptions { template: Some(endless.to_string()), ..ChatOptions::default() };
    assert!(bert.apply_chat_template("[]", &options).unwrap_err().is_argument());
    assert!(bert.apply_chat_template("not JSON", &options).unwrap_err().is_argument());
}

#[test]
fn a_damaged_file_gives_a_tokenizer_or_an_error() {
    let (mut refused, mut used) = (0, 0);
    let mut meet = |result: Result<Tokenizer, Error>| match result {
        Ok(tokenizer) => {
            exercise(&tokenizer);
            used += 1;
        }
        Err(error) => {
            assert!(error.is_malformed() || error.is_unsupported() || error.is_argument(), "{error}");
            refused += 1;
        }
    };
    for reference in references() {
        let whole = file(&reference.file);
        let read = |bytes: &[u8]| match reference.file.rsplit('.').next() {
            Some("json") => Tokenizer::from_json(bytes),
            Some("model") => Tokenizer::from_sentence_piece(bytes),
            _ => Tokenizer::from_gguf(bytes),
        };
        // The beginning of a file has its structure; its end has the parts after the vocabulary.
        let last = whole.len() - 1;
        let front = (0..300).step_by(7);
        let offsets =
            front.chain((0..12).map(|part| last / 12 * part)).chain((0..200).step_by(9).map(|back| last - back));
        for offset in offsets.collect::<Vec<_>>() {
            meet(read(&whole[..offset]));
            let mut changed = whole.clone();
            changed[offset] ^= 1 << (offset % 8);
            meet(read(&changed));
        }
    }
    assert!(refused > 1000 && used > 200, "{refused} refused, {used} used");
}

#[test]
fn a_damaged_character_map_is_used_without_a_panic() {
    let whole = file("sp-unigram.model");
    let lines = corpus();
    for offset in (whole.len() - 240_000..whole.len() - 400).step_by(9001) {
        let mut changed = whole.clone();
        changed[offset] ^= 0x55;
        let Ok(tokenizer) = Tokenizer::from_sentence_piece(&changed) else { continue };
        for line in lines.iter().step_by(40) {
            let encoding = tokenizer.encode(line, &EncodeOptions::default()).unwrap();
            tokenizer.decode(&encoding.ids, true).unwrap();
        }
    }
}
