//! `lanthorn generate MODEL`: continues texts with a language model, or answers messages.

mod output;

use clap::Args;
use lanthorn::models::{
    CausalLm, GenerationConfig, ModelTokenizer, PretrainedOptions, TextTokenizer, from_pretrained_with, generate,
};
use lanthorn::{DType, Device, Error, Result};
use output::Output;
use std::{
    io::{IsTerminal, Write, stderr},
    path::{Path, PathBuf},
    rc::Rc,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// What errors call the command.
const OP: &str = "generate";

/// Token ids of a prompt.
#[derive(Clone)]
struct Ids(Vec<i64>);

/// The arguments of `generate`.
#[derive(Args)]
pub struct Arguments {
    /// A model: a folder of Hugging Face (config.json and safetensors), or a GGUF file.
    model: PathBuf,
    /// A text to continue, or with --chat a message to answer. Several make a batch.
    #[arg(long, value_name = "TEXT")]
    prompt: Vec<String>,
    /// A prompt as token ids, for a model without a tokenizer. Several make a batch.
    #[arg(long, value_name = "ID,ID,...", value_parser = ids, conflicts_with = "prompt")]
    ids: Vec<Ids>,
    /// Write each prompt as a message of a user, by the model's chat template.
    #[arg(long, conflicts_with = "ids")]
    chat: bool,
    /// The tokenizer, where it is not in the folder or the GGUF file: tokenizer.json, a
    /// SentencePiece model, or a GGUF file.
    #[arg(long, value_name = "FILE")]
    tokenizer: Option<PathBuf>,
    /// The most tokens of an answer.
    #[arg(long, default_value_t = 128, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_new_tokens: u32,
    /// Divides logits; with 0 every token is the most likely one. Tokens are drawn at random if
    /// this or one of the next four options is given.
    #[arg(long, value_name = "X", value_parser = at_least_zero)]
    temperature: Option<f64>,
    /// Keep only the N most likely tokens; 0 keeps all (50 if tokens are drawn).
    #[arg(long, value_name = "N")]
    top_k: Option<usize>,
    /// Only the most likely tokens whose probabilities add up to this.
    #[arg(long, value_name = "P", value_parser = share)]
    top_p: Option<f64>,
    /// Only tokens that are at least so likely, relative to the most likely one.
    #[arg(long, value_name = "P", value_parser = fraction)]
    min_p: Option<f64>,
    /// The seed of random choices (another one at each call).
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Divides positive logits of tokens that occurred, and multiplies negative ones.
    #[arg(long, default_value_t = 1.0, value_name = "X", value_parser = positive)]
    repetition_penalty: f64,
    /// A text that ends an answer, and is no part of it. May be given several times.
    #[arg(long, value_name = "TEXT", value_parser = not_empty)]
    stop: Vec<String>,
    /// Propose N tokens from an earlier occurrence of the text's last tokens, and verify them in
    /// one call. The answer is the same, and is faster where it repeats the prompt.
    #[arg(long, default_value_t = 0, value_name = "N", conflicts_with = "assistant_model")]
    prompt_lookup_num_tokens: usize,
    /// A smaller model with the same vocabulary, whose most likely tokens are checked in one call.
    #[arg(long, value_name = "MODEL")]
    assistant_model: Option<PathBuf>,
    /// The number of tokens of the assistant model that are checked.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    num_assistant_tokens: u32,
    /// The type of the weights: float32, float16, bfloat16 (by default the file's).
    #[arg(long, value_parser = dtype)]
    dtype: Option<DType>,
    /// The device: cpu, wgpu, cuda (in a build with that feature), or auto for wgpu where there is
    /// an adapter.
    #[arg(long, default_value = "auto")]
    device: String,
    /// Print one JSON object at the end: ids, tokens, texts and times.
    #[arg(long)]
    json: bool,
}

fn number(text: &str, takes: &str, holds: impl Fn(f64) -> bool) -> std::result::Result<f64, String> {
    text.parse().ok().filter(|&value: &f64| value.is_finite() && holds(value)).ok_or(format!("takes {takes}"))
}

fn at_least_zero(text: &str) -> std::result::Result<f64, String> {
    number(text, "a number from 0", |value| value >= 0.0)
}

fn positive(text: &str) -> std::result::Result<f64, String> {
    number(text, "a positive number", |value| value > 0.0)
}

fn share(text: &str) -> std::result::Result<f64, String> {
    number(text, "a number above 0 and up to 1", |value| value > 0.0 && value <= 1.0)
}

fn fraction(text: &str) -> std::result::Result<f64, String> {
    number(text, "a number from 0 to 1", |value| (0.0..=1.0).contains(&value))
}

fn not_empty(text: &str) -> std::result::Result<String, String> {
    if text.is_empty() { Err("takes a text that is not empty".into()) } else { Ok(text.into()) }
}

fn dtype(text: &str) -> std::result::Result<DType, String> {
    let known = DType::from_name(text).filter(|dtype| dtype.is_floating_point());
    known.ok_or("takes float32, float16 or bfloat16".into())
}

fn ids(text: &str) -> std::result::Result<Ids, String> {
    let id = |part: &str| part.trim().parse().map_err(|_| format!("{:?} is no token id", part.trim()));
    text.split(',').map(id).collect::<std::result::Result<_, _>>().map(Ids)
}

/// Loads the model and generates; the text goes to standard output, everything else to standard
/// error.
pub async fn run(arguments: &Arguments) -> Result<()> {
    let tokenizer = find_tokenizer(arguments)?;
    let prompts = prompts(arguments, tokenizer.as_ref())?;
    let device = lanthorn::device(&arguments.device).await?;
    device.set_default();
    let model = load(&arguments.model, arguments.dtype, &device)?;
    let assistant = arguments.assistant_model.as_deref();
    let assistant = assistant.map(|path| load(path, arguments.dtype, &device)).transpose()?;
    let config =
        GenerationConfig { assistant_model: assistant.map(Rc::new), ..config(arguments, tokenizer.as_ref(), &model) };
    let mut output = Output::new(&prompts, tokenizer.is_some(), !arguments.json);
    // Before the cache is made, which belongs to the prompt.
    output.begin();
    for token in generate(&model, &prompts, config, None)? {
        if !output.take(token?)? {
            break;
        }
    }
    output.finish(arguments.json)
}

/// The tokenizer that was named, or the model's. Prompts of ids need none; their answers are texts
/// where there is one.
fn find_tokenizer(Arguments { model, tokenizer, ids, .. }: &Arguments) -> Result<Option<ModelTokenizer>> {
    let found = match tokenizer {
        Some(path) => ModelTokenizer::from_file(path).map(Some),
        None => ModelTokenizer::from_pretrained(model),
    };
    let refuse = |reason: &str| Err(Error::file(OP, format!("{}: {reason}", model.display())));
    match found {
        _ if tokenizer.is_none() && !ids.is_empty() => Ok(found.unwrap_or_default()),
        Ok(None) if !model.exists() => refuse("there is no such file or folder"),
        Ok(None) => refuse("there is no tokenizer.json or tokenizer.model; name one with --tokenizer, or give --ids"),
        found => found,
    }
}

/// The prompts as ids.
fn prompts(arguments: &Arguments, tokenizer: Option<&ModelTokenizer>) -> Result<Vec<Vec<i64>>> {
    if !arguments.ids.is_empty() {
        return Ok(arguments.ids.iter().map(|ids| ids.0.clone()).collect());
    }
    if arguments.prompt.is_empty() {
        return Err(Error::argument(OP, "there is no prompt: give --prompt TEXT, or --ids for token ids"));
    }
    let tokenizer = tokenizer.ok_or_else(|| Error::argument(OP, "--prompt needs a tokenizer"))?;
    let encode = |(index, text): (usize, &String)| {
        let ids = if arguments.chat { encode_message(tokenizer, text) } else { tokenizer.encode(text) };
        ids.map_err(|error| error.concerning(format!("--prompt {}", index + 1)))
    };
    arguments.prompt.iter().enumerate().map(encode).collect()
}

fn encode_message(tokenizer: &ModelTokenizer, text: &str) -> Result<Vec<i64>> {
    let ids = tokenizer.encode_message(text);
    ids.map_err(|error| error.concerning("--chat").concerning(tokenizer.path().display()))
}

/// How tokens are chosen.
fn config(arguments: &Arguments, tokenizer: Option<&ModelTokenizer>, model: &CausalLm) -> GenerationConfig {
    let Arguments { temperature, top_k, top_p, min_p, seed, .. } = arguments;
    let is_random = temperature.is_some() || top_k.is_some() || top_p.is_some() || min_p.is_some() || seed.is_some();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let mut eos = model.config().eos_token_ids.clone();
    eos.extend(tokenizer.into_iter().flat_map(|tokenizer| tokenizer.eos_token_ids(arguments.chat)));
    GenerationConfig {
        max_new_tokens: arguments.max_new_tokens as usize,
        do_sample: is_random && *temperature != Some(0.0),
        temperature: temperature.filter(|&value| value > 0.0).unwrap_or(1.0),
        top_k: top_k.unwrap_or(50),
        top_p: top_p.unwrap_or(1.0),
        min_p: min_p.unwrap_or(0.0),
        seed: seed.unwrap_or(now),
        repetition_penalty: arguments.repetition_penalty,
        tokenizer: tokenizer.map(|tokenizer| tokenizer.tokenizer() as Rc<dyn TextTokenizer>),
        stop_strings: arguments.stop.clone(),
        eos_token_ids: Some(eos),
        prompt_lookup_num_tokens: arguments.prompt_lookup_num_tokens,
        num_assistant_tokens: arguments.num_assistant_tokens as usize,
        ..GenerationConfig::default()
    }
}

/// The model on the device; the time that it takes is shown meanwhile.
fn load(path: &Path, dtype: Option<DType>, device: &Device) -> Result<CausalLm> {
    let name = format!("{} ({})", path.display(), size_in_words(bytes_of(path)));
    let options = PretrainedOptions { dtype, ..PretrainedOptions::default() };
    let begin = Instant::now();
    let model = while_shown(&format!("loading {name}"), || from_pretrained_with(path, device, &options));
    let path = path.display().to_string();
    let model = model.map_err(|error| match error.message().contains(&path) {
        true => error,
        false => error.concerning(&path),
    })?;
    eprintln!("loaded {name} on {} in {:.1} s", device.name(), begin.elapsed().as_secs_f64());
    Ok(model)
}

/// Calls a function while a line of the terminal shows the seconds that have passed.
fn while_shown<T>(words: &str, call: impl FnOnce() -> T) -> T {
    if !stderr().is_terminal() {
        return call();
    }
    let (done, waiting) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let begin = Instant::now();
            while waiting.recv_timeout(Duration::from_millis(200)) == Err(RecvTimeoutError::Timeout) {
                let _ = write!(stderr(), "\r{words}: {:.0} s ", begin.elapsed().as_secs_f64());
            }
            // The line is cleared for the next one.
            let _ = write!(stderr(), "\r\x1b[K");
        });
        let made = call();
        drop(done);
        made
    })
}

/// The bytes of a file, or of the weights in a folder.
fn bytes_of(path: &Path) -> u64 {
    let length = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
    let Ok(entries) = path.read_dir() else { return length(path) };
    let is_weights = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "safetensors");
    entries.flatten().map(|entry| entry.path()).filter(is_weights).map(|path| length(&path)).sum()
}

fn size_in_words(bytes: u64) -> String {
    match bytes as f64 {
        bytes if bytes < 1e6 => format!("{:.0} kB", bytes / 1e3),
        bytes if bytes < 1e9 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.2} GB", bytes / 1e9),
    }
}
