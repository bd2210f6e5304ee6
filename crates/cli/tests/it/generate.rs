//! `lanthorn generate` as a user calls it, on small models with random weights (tests/models/lm).

use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The number of tokens: words by their ids, and the last one ends texts.
const SIZE: usize = 96;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/lm")
}

fn generate(model: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanthorn"));
    let device: &[&str] = if options.contains(&"--device") { &[] } else { &["--device", "cpu"] };
    command.arg("generate").arg(model).args(device).args(options).output().unwrap()
}

fn stdout(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The objects of `--json`.
fn rows(model: &Path, options: &[&str]) -> Vec<Value> {
    let output = stdout(&generate(model, &[options, &["--json"]].concat()));
    let all: Value = serde_json::from_str(&output).unwrap();
    all["rows"].as_array().unwrap().clone()
}

fn read_expected(name: &str) -> Value {
    serde_json::from_slice(&fs::read(models().join(name).join("expected.json")).unwrap()).unwrap()
}

fn join_ids(ids: &Value) -> String {
    ids.as_array().unwrap().iter().map(Value::to_string).collect::<Vec<_>>().join(",")
}

/// A copy of a model in a separate folder, with a tokenizer and other files.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, Value)]) -> Folder {
        let path = std::env::temp_dir().join(format!("lanthorn-generate-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        for file in ["config.json", "model.safetensors"] {
            fs::copy(models().join("llama3").join(file), path.join(file)).unwrap();
        }
        let folder = Folder(path);
        files.iter().for_each(|(name, content)| folder.write(name, content.to_string()));
        folder
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), content).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A word of the tokenizer.
fn word(id: usize) -> String {
    if id == SIZE - 1 { "</s>".into() } else { format!("w{id} ") }
}

fn tokenizer() -> Value {
    let vocabulary: serde_json::Map<_, _> = (0..SIZE).map(|id| (word(id), json!(id))).collect();
    json!({
        "added_tokens": [{ "id": 95, "content": "</s>", "special": true, "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false }],
        "pre_tokenizer": { "type": "Split", "pattern": { "String": " " }, "behavior": "MergedWithPrevious", "invert": false },
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "w0 " },
        "decoder": { "type": "Fuse" },
    })
}

#[test]
fn every_family_continues_ids_as_transformers_does_alone_and_in_a_batch() {
    let names = fs::read_dir(models()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    // A folder, or a GGUF file of the same model.
    let names = names.map(|name| (name.trim_end_matches(".gguf").to_string(), name));
    let names: Vec<_> = names.filter(|(model, _)| models().join(model).join("expected.json").is_file()).collect();
    assert!(names.len() >= 12, "{names:?}");
    for (model, name) in &names {
        let expected = read_expected(model);
        let [first, second] = [0, 1].map(|row| join_ids(&expected["prompts"][row]));
        // The 12 tokens are fewer than a chunk of the prompt, whose padding has to fit in the
        // cache.
        let made = rows(&models().join(name), &["--ids", &first, "--ids", &second, "--max-new-tokens", "12"]);
        for (row, made) in made.iter().enumerate() {
            let tokens = made["tokens"].as_array().unwrap();
            let all = expected["tokens"][row].as_array().unwrap();
            assert_eq!(tokens[..], all[..tokens.len()], "{name}, row {row}");
            let is_eos = tokens.last() == Some(&json!(95));
            assert!(is_eos || tokens.len() == 12, "{name}, row {row}: {tokens:?}");
            assert_eq!(made["finish_reason"], if is_eos { "eos" } else { "length" }, "{name}, row {row}");
        }
    }
}

#[test]
fn ids_are_printed_as_they_come_and_the_speed_follows() {
    let output = generate(
        &models().join("llama3.gguf"),
        &["--ids", "5,17,42,8,91,63,2,30,77,11,54,29,3", "--max-new-tokens", "5"],
    );
    assert_eq!(stdout(&output), "40 5 26 22 28\n");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("loaded") && said.contains("llama3.gguf (82 kB) on cpu in"), "{said}");
    assert!(said.contains("5 tokens, ") && said.contains(" tokens a second (prompt: "), "{said}");
}

#[test]
fn candidates_change_no_token() {
    let path = |name: &str| models().join(name).to_str().unwrap().to_string();
    let ids = ["--ids", "5,17,42,8,91,63,2,30,77,11,54,29,3", "--max-new-tokens", "20"];
    let plain = &rows(&models().join("llama3"), &ids)[0]["tokens"];
    let assistant = path("llama2");
    for more in [&["--prompt-lookup-num-tokens", "4"], &["--assistant-model", assistant.as_str()]] {
        assert_eq!(&rows(&models().join("llama3"), &[&ids[..], more].concat())[0]["tokens"], plain, "{more:?}");
    }
    let both = [&ids[..], &["--prompt-lookup-num-tokens", "4", "--assistant-model", &assistant]].concat();
    let refused = generate(&models().join("llama3"), &both);
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("cannot be used with"));
}

#[test]
fn texts_are_continued_and_several_are_printed_in_their_order() {
    let folder = Folder::new("texts", &[("tokenizer.json", tokenizer())]);
    let first = "w5 w17 w42 w8 ";
    let text = stdout(&generate(&folder.0, &["--prompt", first, "--max-new-tokens", "6"]));
    let [alone] = &rows(&folder.0, &["--ids", "5,17,42,8", "--max-new-tokens", "6"])[..] else { panic!("one row") };
    assert_eq!(text, format!("{}\n", alone["text"].as_str().unwrap()));
    assert_eq!(alone["tokens"].as_array().unwrap().len(), 6);
    let both = stdout(&generate(&folder.0, &["--prompt", first, "--prompt", "w60 w9 ", "--max-new-tokens", "6"]));
    assert!(both.starts_with(&format!("== 1 ==\n{text}== 2 ==\n")), "{both}");
    assert_eq!(both.lines().count(), 4, "{both}");
}

#[test]
fn the_same_seed_draws_the_same_tokens_and_zero_draws_none() {
    let llama = models().join("llama3");
    let tokens = |options: &[&str]| {
        let all = [&["--ids", "5,17,42", "--max-new-tokens", "16"], options].concat();
        rows(&llama, &all)[0]["tokens"].clone()
    };
    let drawn = tokens(&["--temperature", "2", "--top-p", "0.95", "--seed", "7"]);
    assert_eq!(drawn, tokens(&["--temperature", "2", "--top-p", "0.95", "--seed", "7"]));
    assert_ne!(drawn, tokens(&["--temperature", "2", "--top-p", "0.95", "--seed", "8"]));
    let greedy = tokens(&[]);
    assert_ne!(drawn, greedy);
    for options in [&["--temperature", "0", "--seed", "7"][..], &["--top-k", "1"], &["--min-p", "1"]] {
        assert_eq!(tokens(options), greedy, "{options:?}");
    }
    assert_ne!(tokens(&["--repetition-penalty", "1000"]), greedy);
}

#[test]
fn a_stop_text_and_a_token_of_generation_config_end_an_answer() {
    let folder = Folder::new("stop", &[("tokenizer.json", tokenizer())]);
    let options = ["--ids", "5,17,42,8,91,63,2,30,77,11,54,29,3", "--max-new-tokens", "20"];
    let row = |more: &[&str]| rows(&folder.0, &[&options[..], more].concat()).remove(0);
    // 40, 5, 26, 22, 28, 3
    let stopped = row(&["--stop", "never", "--stop", "26 w22"]);
    assert_eq!((&stopped["text"], &stopped["finish_reason"]), (&json!("w40 w5 w"), &json!("stop")));
    assert_eq!(stopped["tokens"].as_array().unwrap().len(), 4);
    folder.write("generation_config.json", r#"{"eos_token_id": [22, 95]}"#);
    let ended = row(&[]);
    assert_eq!((&ended["text"], &ended["finish_reason"]), (&json!("w40 w5 w26 "), &json!("eos")));
}

#[test]
fn a_chat_is_written_by_the_template() {
    let template = "{% for m in messages %}w1 {{ m.content }} {% endfor %}{% if add_generation_prompt %}w2 {% endif %}";
    let config = json!({ "chat_template": template, "eos_token": "</s>" });
    let folder = Folder::new("chat", &[("tokenizer.json", tokenizer()), ("tokenizer_config.json", config)]);
    let row = &rows(&folder.0, &["--prompt", "w8 w9", "--chat", "--max-new-tokens", "3"])[0];
    assert_eq!(row["prompt"], json!([1, 8, 9, 2]));
    // The newer file for templates.
    folder.write("chat_template.jinja", "w3 {{ messages[0].content }} ");
    let row = &rows(&folder.0, &["--prompt", "w8 w9", "--chat", "--max-new-tokens", "3"])[0];
    assert_eq!(row["prompt"], json!([3, 8, 9]));
}

#[test]
fn errors_name_the_file_or_the_option() {
    let plain = Folder::new("errors", &[("tokenizer.json", tokenizer())]);
    plain.write("notes.txt", "a text");
    plain.write("short.gguf", &fs::read(models().join("llama3.gguf")).unwrap()[..2000]);
    plain.write("wrong.json", r#"{"model": {"type": "Oracle"}}"#);
    let llama = models().join("llama3");
    let wrong = plain.0.join("wrong.json").display().to_string();
    let cases: &[(&Path, &[&str], &[&str])] = &[
        (&plain.0.join("absent"), &["--prompt", "a"], &["absent: there is no such file or folder"]),
        (&plain.0.join("absent"), &["--ids", "1"], &["absent/config.json: No such file"]),
        (&plain.0.join("notes.txt"), &["--prompt", "a"], &["notes.txt: it is no GGUF file"]),
        (&plain.0.join("short.gguf"), &["--ids", "1"], &["short.gguf: "]),
        (&llama, &["--prompt", "a"], &["llama3: there is no tokenizer.json or tokenizer.model", "--ids"]),
        (&models().join("llama3.gguf"), &["--prompt", "a"], &["llama3.gguf: ", "tokenizer"]),
        (&llama, &["--prompt", "a", "--tokenizer", &wrong], &["wrong.json: ", "model of type \"Oracle\""]),
        (&plain.0, &[], &["there is no prompt: give --prompt TEXT"]),
        (&plain.0, &["--prompt", "w1 ", "--chat"], &["tokenizer.json: --chat: ", "there is no template"]),
        (&llama, &["--ids", "1,96"], &["prompt 0 has the id 96; the model has 96 tokens"]),
        (&llama, &["--ids", "1,a"], &["--ids", "\"a\" is no token id"]),
        (&llama, &["--ids", "1", "--top-p", "2"], &["--top-p", "takes a number above 0 and up to 1"]),
        (&llama, &["--ids", "1", "--temperature", "nan"], &["--temperature", "takes a number from 0"]),
        (&llama, &["--ids", "1", "--max-new-tokens", "0"], &["--max-new-tokens"]),
        (&llama, &["--ids", "1", "--dtype", "int32"], &["--dtype", "takes float32, float16 or bfloat16"]),
        (&models().join("gpt2"), &["--ids", "1", "--max-new-tokens", "500"], &["more than the model's 128 positions"]),
        (&llama, &["--ids", "1", "--device", "abacus"], &["there is no device \"abacus\""]),
    ];
    for (model, options, reasons) in cases {
        let output = generate(model, options);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{options:?}: {said}");
        for reason in *reasons {
            assert!(said.contains(reason), "{options:?}: {said}");
        }
        assert!(!said.contains("panicked"), "{said}");
    }
}

#[test]
fn generates_on_webgpu() {
    let options = ["--ids", "5,17,42,8,91,63,2,30,77,11,54,29,3", "--max-new-tokens", "5", "--device", "wgpu"];
    assert_eq!(stdout(&generate(&models().join("llama3"), &options)), "40 5 26 22 28\n");
}
