//! Every kind of tokenizer against Python's `tokenizers`, `sentencepiece` and `jinja2`, over a corpus
//! of all scripts: `tests/tokenizer/make/make_references.py` writes the files.

use crate::common::{Reference, corpus, file, json, references};
use lanthorn_tokenizer::{
    ChatOptions, DateTime, EncodeOptions, Encoding, Padding, Tokenizer, Truncation, TruncationStrategy,
};
use serde_json::Value;

/// FNV-1a of 32 bits, folded to 16.
fn fnv(bytes: impl Iterator<Item = u8>) -> u16 {
    let hash = bytes.fold(0x811C_9DC5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash >> 16) as u16 ^ hash as u16
}

fn words<'a>(numbers: impl Iterator<Item = &'a u32> + 'a) -> impl Iterator<Item = u8> + 'a {
    numbers.flat_map(|number| number.to_le_bytes())
}

/// The hashes of a line: of the ids; of the offsets and the decoded text.
fn hashes(reference: &Reference, tokenizer: &Tokenizer, line: &str) -> (u16, u16, Encoding, String) {
    let encoding = tokenizer.encode(line, &EncodeOptions::default()).unwrap();
    let text = tokenizer.decode(&encoding.ids, true).unwrap();
    let offsets: Vec<u32> = match reference.offsets {
        true => encoding.offsets.iter().flat_map(|range| [range.start as u32, range.end as u32]).collect(),
        false => Vec::new(),
    };
    let rest = fnv(words(offsets.iter()).chain(text.bytes()));
    (fnv(words(encoding.ids.iter())), rest, encoding, text)
}

fn check(reference: &Reference) -> (usize, Vec<String>) {
    let (tokenizer, expected) = (reference.tokenizer(), reference.hashes());
    let lines = corpus();
    assert_eq!(expected.len(), lines.len());
    let (mut checked, mut wrong) = (0, Vec::new());
    for (index, (line, expected)) in lines.iter().zip(expected).enumerate() {
        if reference.skips.iter().any(|skip| line.contains(skip)) {
            continue;
        }
        let (ids, rest, encoding, text) = hashes(reference, &tokenizer, line);
        checked += 1;
        let what = match (ids == expected.0, rest == expected.1) {
            (false, _) => "ids",
            (true, false) => "offsets or text",
            (true, true) => continue,
        };
        let Encoding { ids, offsets, .. } = encoding;
        wrong.push(format!("{} line {index} {line:?}: {what}: {ids:?} {offsets:?} {text:?}", reference.name));
    }
    (checked, wrong)
}

#[test]
fn every_tokenizer_agrees_on_every_line() {
    assert!(corpus().len() >= 5000);
    let references = references();
    assert!(references.len() >= 20, "{} tokenizers", references.len());
    let mut report = Vec::new();
    for reference in references {
        let (checked, wrong) = check(&reference);
        assert!(checked >= 4500, "{}: {checked} lines were compared", reference.name);
        if !wrong.is_empty() {
            report.push(format!("{}: {} of {checked} lines differ", reference.name, wrong.len()));
            report.extend(wrong.into_iter().take(4));
        }
    }
    assert!(report.is_empty(), "{}", report.join("\n"));
}

fn numbers(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap() as u32).collect()
}

fn options(call: &Value) -> EncodeOptions {
    let truncation = call["truncation"].as_object().map(|given| Truncation {
        max_length: given["max_length"].as_u64().unwrap() as usize,
        left: given.get("direction").is_some(),
        strategy: match given.contains_key("strategy") {
            true => TruncationStrategy::OnlySecond,
            false => TruncationStrategy::LongestFirst,
        },
    });
    let padding = call["padding"].as_object().map(|given| Padding {
        length: given["length"].as_u64().map(|length| length as usize),
        multiple_of: given.get("pad_to_multiple_of").and_then(Value::as_u64).unwrap_or(1) as usize,
        left: given.contains_key("direction"),
        id: 1,
        type_id: 3,
    });
    EncodeOptions { add_special_tokens: call["add"].as_bool().unwrap(), truncation, padding }
}

#[test]
fn threads_share_a_tokenizer() {
    let tokenizer = references().iter().find(|reference| reference.name == "llama3").unwrap().tokenizer();
    let lines = corpus();
    let encode = |line: &String| tokenizer.encode(line, &EncodeOptions::default()).unwrap().ids;
    let alone: Vec<Vec<u32>> = lines.iter().take(200).map(encode).collect();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(lines.iter().take(200).map(encode).collect::<Vec<_>>(), alone));
        }
    });
}

#[test]
fn pairs_truncation_and_padding_agree() {
    let calls = json("calls.json");
    let mut compared = 0;
    for call in calls.as_array().unwrap() {
        let name = call["tokenizer"].as_str().unwrap();
        // Settings of the file would apply where the call has none.
        let mut file: Value = serde_json::from_slice(&file(&format!("{name}.json"))).unwrap();
        (file["truncation"], file["padding"]) = (Value::Null, Value::Null);
        let tokenizer = Tokenizer::from_json(file.to_string().as_bytes()).unwrap();
        let texts: Vec<(&str, Option<&str>)> = call["texts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|text| (text[0].as_str().unwrap(), text[1].as_str()))
            .collect();
        let encoded = tokenizer.encode_batch(&texts, &options(call));
        let Some(results) = call["results"].as_array() else {
            assert!(encoded.unwrap_err().is_argument(), "{call}");
            continue;
        };
        for ((encoding, result), text) in encoded.unwrap().iter().zip(results).zip(&texts) {
            let context = format!("{name} {text:?} {} {} {}", call["add"], call["truncation"], call["padding"]);
            assert_eq!(encoding.ids, numbers(&result["ids"]), "{context}");
            assert_eq!(encoding.type_ids, numbers(&result["types"]), "{context}");
            assert_eq!(encoding.attention_mask, numbers(&result["attention"]), "{context}");
            assert_eq!(encoding.special_tokens_mask, numbers(&result["special"]), "{context}");
            if !result["offsets"].is_null() {
                let offsets: Vec<u32> =
                    encoding.offsets.iter().flat_map(|range| [range.start as u32, range.end as u32]).collect();
                assert_eq!(offsets, numbers(&result["offsets"]), "{context}");
            }
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared} encodings were compared");
}

#[test]
fn streams_give_the_text_without_half_characters() {
    let mut streamed = 0;
    for reference in references() {
        let tokenizer = reference.tokenizer();
        for line in corpus().iter().filter(|line| !line.contains('\u{fffd}')).step_by(7) {
            let ids = tokenizer.encode(line, &EncodeOptions::default()).unwrap().ids;
            let text = tokenizer.decode(&ids, true).unwrap();
            let mut stream = tokenizer.decode_stream(true);
            let mut all = String::new();
            for id in ids {
                let Some(part) = stream.push(id).unwrap() else { continue };
                assert!(
                    text.contains('\u{fffd}') || !part.contains('\u{fffd}'),
                    "{} {line:?} {part:?}",
                    reference.name
                );
                all.push_str(&part);
            }
            all.extend(stream.finish().unwrap());
            // A few decoders write the last token differently.
            if reference.name != "suffixed" && reference.name != "word-level" {
                assert_eq!(all, text, "{} {line:?}", reference.name);
                streamed += 1;
            }
        }
    }
    assert!(streamed > 10_000, "{streamed} lines were streamed");
}

#[test]
fn chat_templates_agree() {
    let file = json("chat.json");
    let now = numbers(&file["now"]);
    let now =
        DateTime { year: now[0] as i32, month: now[1], day: now[2], hour: now[3], minute: now[4], second: now[5] };
    let mut tokenizer =
        Tokenizer::from_json(br#"{"model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"}}"#).unwrap();
    tokenizer.set_config(file["tokens"].to_string().as_bytes()).unwrap();
    let (mut compared, mut wrong) = ((0, 0), Vec::new());
    for case in file["cases"].as_array().unwrap() {
        let options = ChatOptions {
            template: case["template"].as_str().map(str::to_string),
            add_generation_prompt: case["prompt"].as_bool().unwrap(),
            variables: Some(case["variables"].as_str().unwrap().to_string()),
            now: Some(now),
        };
        let text = tokenizer.apply_chat_template(case["messages"].as_str().unwrap(), &options);
        let row = format!("{} {} {}", case["name"], case["template"], case["variables"]);
        match (case["text"].as_str(), text) {
            (Some(expected), Ok(text)) if text == expected => compared.0 += 1,
            (None, Err(error)) if error.is_argument() => compared.1 += 1,
            (Some(expected), text) => wrong.push(format!("{row}: {text:?}, and Jinja has {expected:?}")),
            (None, text) => wrong.push(format!("{row}: {text:?}, and Jinja has {}", case["error"])),
        }
    }
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared.0 >= 300 && compared.1 >= 50, "{compared:?}");
}
