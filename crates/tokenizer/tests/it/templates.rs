//! Filters, methods and values of templates against Jinja in Python 3.11 (jinja2 3.1.6, in the
//! sandbox that Hugging Face's library uses). `templates.json` has a template and its text a row;
//! no text is an error.

use lanthorn_tokenizer::{ChatOptions, Tokenizer};

const VARIABLES: &str = r#"{
    "d": {"b": 1, "a": [true, null, 1.5]},
    "l": [3, 1, 2],
    "rows": [{"k": "b", "n": 2}, {"k": "a", "n": 1}, {"k": "B", "n": 3}],
    "s": "The quick-brown fox, half-finished -- no: a well--known x-y-z thing",
    "long": {
        "name": "get_weather",
        "description": "Reports the weather of a city, in degrees and in words, for the next days.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer", "enum": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
            },
            "required": ["city"]
        }
    }
}"#;

fn tokenizer() -> Tokenizer {
    Tokenizer::from_json(br#"{"model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"}}"#).unwrap()
}

#[test]
fn templates_give_what_python_gives() {
    let rows: Vec<(String, Option<String>)> = serde_json::from_str(include_str!("templates.json")).unwrap();
    assert!(rows.len() > 150);
    let tokenizer = tokenizer();
    let mut odd = Vec::new();
    for (template, wanted) in rows {
        let options = ChatOptions {
            template: Some(template.clone()),
            variables: Some(VARIABLES.to_string()),
            ..ChatOptions::default()
        };
        let found = tokenizer.apply_chat_template("[]", &options);
        match (&found, &wanted) {
            (Ok(found), Some(wanted)) if found == wanted => {}
            (Err(_), None) => {}
            _ => odd.push(format!("{template}\n  gives  {found:?}\n  Python {wanted:?}")),
        }
    }
    assert!(odd.is_empty(), "{} of them:\n{}", odd.len(), odd.join("\n"));
}

#[test]
fn errors_name_the_filter() {
    for (template, name) in [
        ("{{ 'x'|wordwrap(0) }}", "wordwrap: width"),
        ("{{ 'x'|filesizeformat }}", "filesizeformat: takes a number"),
        ("{{ {'a b': 1}|xmlattr }}", "xmlattr: Invalid character"),
        ("{{ 'x'|urlize(extra_schemes=['bad']) }}", "urlize: 'bad' is not a valid URI scheme"),
        ("{{ 'é'.encode('ascii') }}", "encode: ascii has no 'é'"),
        // Random filters are errors, because Python's text differs from call to call.
        ("{{ lipsum() }}", "lipsum"),
        ("{{ 'ab'|random }}", "random"),
    ] {
        let options = ChatOptions { template: Some(template.to_string()), ..ChatOptions::default() };
        let error = tokenizer().apply_chat_template("[]", &options).unwrap_err().to_string();
        assert!(error.contains(name), "{template}: {error}");
    }
}
