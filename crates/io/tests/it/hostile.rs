//! Malformed and malicious files: each returns a typed error or its tensors, quickly, with memory
//! proportional to its size. A panic fails the test, as it would fail a page. The allocator of this
//! test binary counts the memory of readers.

use lanthorn_io::{DType, Error, TensorData, Value, gguf, inspect, load, npy, npz, pytorch, safetensors};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// Counts the bytes that each thread holds, and their maximum.
struct Counting;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // The counters of an ending thread are gone.
        let _ = HELD.try_with(|held| {
            held.set(held.get().wrapping_add(layout.size()));
            PEAK.with(|most| most.set(most.get().max(held.get())));
        });
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let _ = HELD.try_with(|held| held.set(held.get().wrapping_sub(layout.size())));
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs a function and returns the maximum of the bytes held, above those at its start.
fn most_held<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let result = run();
    (result, PEAK.get() - before)
}

/// A small valid file of each format.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let tensor = |dtype: DType, shape: &[usize]| {
        let length = lanthorn_io::byte_length(dtype, shape).unwrap();
        TensorData::new(dtype, shape.to_vec(), (0..length).map(|byte| byte as u8).collect::<Vec<u8>>()).unwrap()
    };
    let tensors =
        || vec![("a.weight".to_string(), tensor(DType::F32, &[2, 3])), ("b".to_string(), tensor(DType::I16, &[3]))];
    let metadata = [("format".to_string(), "pt".to_string())];
    let checkpoint = Value::dict([
        ("model", Value::tensors(tensors())),
        (
            "state",
            Value::Dict(vec![(Value::Int(0), Value::List(vec![Value::Float(0.5), Value::None, Value::Bool(true)]))]),
        ),
        ("big", Value::Int(1 << 40)),
        ("bytes", Value::Bytes(vec![0, 200])),
    ]);
    let made = |name: &str| {
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pytorch/files").join(name)).unwrap()
    };
    vec![
        ("safetensors", safetensors::save(&tensors(), &metadata).unwrap()),
        ("pytorch", pytorch::save(&checkpoint).unwrap()),
        ("npy", npy::save(&tensors()[0].1).unwrap()),
        ("npz", npz::save(&tensors()).unwrap()),
        ("gguf", small_gguf()),
        ("pytorch's own", made("views.pt")),
        ("numpy's own, deflated", made("deflated.npz")),
        ("index", br#"{"metadata": {}, "weight_map": {"a": "1.safetensors", "b": "2.safetensors"}}"#.to_vec()),
    ]
}

fn gguf_text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
}

fn gguf_header(tensors: u64, entries: u64) -> Vec<u8> {
    [b"GGUF".as_slice(), &3u32.to_le_bytes(), &tensors.to_le_bytes(), &entries.to_le_bytes()].concat()
}

fn gguf_tensor(name: &str, sizes: &[u64], kind: u32, offset: u64) -> Vec<u8> {
    let mut bytes = gguf_text(name);
    bytes.extend((sizes.len() as u32).to_le_bytes());
    sizes.iter().for_each(|size| bytes.extend(size.to_le_bytes()));
    bytes.extend(kind.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes
}

/// A file of one float32 tensor and one quantized tensor, with some metadata.
fn small_gguf() -> Vec<u8> {
    let mut file = gguf_header(2, 2);
    file.extend(gguf_text("general.alignment"));
    file.extend([4u32, 32].map(u32::to_le_bytes).concat());
    file.extend(gguf_text("tokens"));
    file.extend([9u32, 8].map(u32::to_le_bytes).concat());
    file.extend(2u64.to_le_bytes());
    file.extend([gguf_text("a"), gguf_text("b")].concat());
    file.extend(gguf_tensor("plain", &[3, 2], 0, 0));
    file.extend(gguf_tensor("blocks", &[32], 8, 32));
    file.resize(file.len().next_multiple_of(32), 0);
    file.extend([1; 24 + 8 + 34]);
    file
}

/// Reads a file in every way, within bounds; returns whether it was accepted.
fn read(file: &[u8]) -> Result<(), Error> {
    let start = Instant::now();
    let (result, most) = most_held(|| {
        let listed = inspect(file).map(|_| ());
        let loaded = load(file).map(|_| ());
        // An index holds no tensors to be loaded.
        if listed.is_ok() && loaded.is_err() { listed } else { loaded }
    });
    assert!(start.elapsed() < Duration::from_secs(5), "took {:?}", start.elapsed());
    assert!(most < (1 << 20) + 64 * file.len(), "held {most} bytes for a file of {}", file.len());
    result
}

#[test]
fn whole_files_are_read() {
    for (name, file) in samples() {
        read(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn a_file_that_ends_anywhere_is_refused() {
    for (name, file) in samples() {
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err(), "{name} of {length} of {} bytes was taken", file.len());
        }
    }
}

#[test]
fn a_file_with_bytes_behind_its_end_is_refused() {
    for (name, file) in samples() {
        // GGUF files may have padding at the end.
        if name != "gguf" {
            let longer = [&file[..], b"x"].concat();
            assert!(read(&longer).is_err(), "{name}");
        }
    }
}

#[test]
fn every_byte_changed_to_several_values_gives_tensors_or_an_error() {
    for (_, file) in samples() {
        let mut changed = file.clone();
        for at in 0..file.len() {
            let byte = file[at];
            let values = [0xff, byte ^ 1, byte.wrapping_add(1), 0, 0x80, byte ^ 0x20, 1, 0x7f, b'"', b'}'];
            // Tests fewer prefixes of a larger file, which has a large header.
            for value in values.into_iter().take(if file.len() < 2048 { 10 } else { 4 }) {
                changed[at] = value;
                let _ = read(&changed);
            }
            changed[at] = byte;
        }
    }
}

#[test]
fn a_changed_byte_of_an_archives_content_is_seen() {
    for (name, file) in samples().into_iter().filter(|(_, file)| file.starts_with(b"PK")) {
        // The content of the first entry begins after its header, name and padding.
        let length = |at: usize| usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
        let first = 30 + length(26) + length(28);
        let mut changed = file.clone();
        changed[first] ^= 0x10;
        assert!(read(&changed).unwrap_err().is_malformed(), "{name}");
    }
}

/// xorshift64*: the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }

    /// Changes, removes, repeats or moves a few bytes.
    fn mutate(&mut self, file: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            let (from, length) = (self.below(file.len()), self.below(16));
            let to = (from + length).min(file.len());
            match self.below(6) {
                0 => file[from..to].fill(0xff),
                1 => file[from..to].reverse(),
                2 => drop(file.drain(from..to)),
                3 => {
                    let piece = file[from..to].to_vec();
                    let at = self.below(file.len() + 1);
                    file.splice(at..at, piece);
                }
                4 if !file.is_empty() => file[from] ^= 1 << self.below(8),
                _ if !file.is_empty() => {
                    // A 32-bit number that may be a length.
                    let number = [0u32, 1, u32::MAX, 1 << 31, file.len() as u32][self.below(5)];
                    file.iter_mut().skip(from).zip(number.to_le_bytes()).for_each(|(byte, new)| *byte = new);
                }
                _ => {}
            }
        }
    }
}

#[test]
fn mutated_files_give_tensors_or_an_error() {
    let samples = samples();
    let mut random = Random(20_261_121);
    let start = Instant::now();
    let mut tried = 0;
    // The files are the same in every run; the time bounds their number.
    while start.elapsed() < Duration::from_secs(5) && tried < 200_000 {
        let mut file = samples[random.below(samples.len())].1.clone();
        random.mutate(&mut file);
        let _ = read(&file);
        tried += 1;
    }
    assert!(tried > 500, "{tried}");
}

/// A safetensors file with this header and number of data bytes.
fn with_header(header: &str, data: usize) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &vec![0; data]].concat()
}

#[test]
fn safetensors_rules_hold() {
    let one = r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#;
    let good = with_header(&format!("{{{one}}}"), 8);
    assert_eq!(safetensors::load(&good).unwrap().len(), 1);
    let cases = [
        (format!("{{{one},{one}}}"), 8, "tensor \"a\" occurs twice"),
        (format!(r#"{{{one},"b":{{"dtype":"U8","shape":[4],"data_offsets":[4,8]}}}}"#), 8, "\"b\" overlaps another"),
        (format!(r#"{{{one},"b":{{"dtype":"U8","shape":[1],"data_offsets":[9,10]}}}}"#), 10, "\"b\" leaves a hole"),
        (format!("{{{one}}}"), 9, "the file has"),
        (r#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#.to_string(), 8, "takes 12 bytes"),
        (r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#.to_string(), 8, "not those from 8 to 0"),
        (r#"{"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#.to_string(), 8, "duplicate field"),
        (r#"{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}"#.to_string(), 8, "invalid value"),
        (r#"{"__metadata__":{"x":1}}"#.to_string(), 0, "invalid type"),
        (r#"{"__metadata__":{"x":"1","x":"2"}}"#.to_string(), 0, "\"x\" occurs twice"),
        (r#"{"__metadata__":{},"__metadata__":{}}"#.to_string(), 0, "__metadata__ occurs twice"),
        ("[]".to_string(), 0, "does not begin with {"),
        ("{} x".to_string(), 0, "trailing characters"),
    ];
    for (header, data, reason) in cases {
        let error = safetensors::load(&with_header(&header, data)).unwrap_err();
        assert!(error.is_malformed() && error.to_string().contains(reason), "{header}: {error}");
    }
    let huge = r#"{"a":{"dtype":"F64","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,0]}}"#;
    assert!(safetensors::load(&with_header(huge, 0)).unwrap_err().is_too_large());
    let length = [&100_000_001u64.to_le_bytes()[..], b"{"].concat();
    assert!(safetensors::load(&length).unwrap_err().is_too_large());
    let unknown = r#"{"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}"#;
    assert!(safetensors::load(&with_header(unknown, 2)).unwrap_err().is_unsupported());
}

#[test]
fn npy_headers_are_parsed_and_never_evaluated() {
    let file = |header: &str, data: usize| {
        [npy::MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), &vec![0; data]].concat()
    };
    let good = "{'shape': (2,), 'fortran_order': False, 'descr': '<f4'}";
    assert_eq!(npy::load(&file(good, 8)).unwrap().shape(), [2]);
    for (header, reason) in [
        ("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "element type \"|O\""),
        ("{'descr': '<U4', 'fortran_order': False, 'shape': (1,)}", "element type \"<U4\""),
        ("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "records"),
        ("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "element type"),
        ("{'descr': '', 'fortran_order': False, 'shape': (1,)}", "element type"),
    ] {
        let error = npy::load(&file(header, 8)).unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains(reason), "{header}: {error}");
    }
    for header in [
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': '1'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} + f()",
        "{'descr': '<f4', 'fortran_order': not True, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1+1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
        "__import__('os')",
    ] {
        assert!(npy::load(&file(header, 8)).unwrap_err().is_malformed(), "{header}");
    }
    for shape in [
        "(4294967296, 4294967296, 4294967296)".to_string(),
        "(99999999999999999999,)".to_string(),
        format!("({})", "1,".repeat(65)),
    ] {
        let header = format!("{{'descr': '<f4', 'fortran_order': True, 'shape': {shape}}}");
        assert!(npy::load(&file(&header, 8)).unwrap_err().is_too_large(), "{header}");
    }
}

/// An archive of one deflated entry that claims a size.
fn deflate(name: &str, content: &[u8], claimed: u32) -> Vec<u8> {
    let data = miniz_oxide::deflate::compress_to_vec(content, 9);
    let mut common = [20u16, 0, 8, 0, 0].map(u16::to_le_bytes).concat();
    common.extend([crc32fast::hash(content), data.len() as u32, claimed].map(u32::to_le_bytes).concat());
    common.extend([name.len() as u16, 0].map(u16::to_le_bytes).concat());
    let mut file = [&0x0403_4b50u32.to_le_bytes()[..], &common, name.as_bytes(), &data].concat();
    let start = file.len() as u32;
    file.extend([&0x0201_4b50u32.to_le_bytes()[..], &20u16.to_le_bytes(), &common, &[0; 14], name.as_bytes()].concat());
    let size = file.len() as u32 - start;
    file.extend(0x0605_4b50u32.to_le_bytes());
    file.extend([0u16, 0, 1, 1].map(u16::to_le_bytes).concat());
    file.extend([size, start].map(u32::to_le_bytes).concat());
    file.extend([0; 2]);
    file
}

#[test]
fn archives_inflate_to_what_they_claim_and_no_more_than_is_fitting() {
    let array = npy::save(&TensorData::new(DType::U8, vec![1 << 20], vec![0; 1 << 20]).unwrap()).unwrap();
    let honest = deflate("a.npy", &array, array.len() as u32);
    assert_eq!(npz::load(&honest).unwrap()[0].1.bytes().len(), 1 << 20);
    // The content is larger than claimed, so reading stops.
    let (result, most) = most_held(|| npz::load(&deflate("a.npy", &array, 1000)).map(|_| ()));
    assert!(result.unwrap_err().is_malformed());
    assert!(most < 4 << 20, "{most}");
    assert!(npz::load(&deflate("a.npy", &array, array.len() as u32 + 1)).unwrap_err().is_malformed());
    // A zip bomb is refused before anything is inflated.
    let bomb = deflate("a.npy", &array, u32::MAX - 1);
    let (result, most) = most_held(|| npz::load(&bomb).map(|_| ()));
    assert!(result.unwrap_err().is_too_large());
    assert!(most < 1 << 20, "{most}");
}

/// A PyTorch file with this pickle and one storage of 8 bytes.
fn with_pickle(pickle: &[u8]) -> Vec<u8> {
    let storage = TensorData::new(DType::F32, vec![2], vec![0; 8]).unwrap();
    pytorch::save_with_pickle(&Value::Tensor(storage), pickle).unwrap()
}

#[test]
fn pickles_call_nothing_that_is_not_on_the_list() {
    for (module, name) in
        [("os", "system"), ("builtins", "eval"), ("torch", "load"), ("torch.storage", "_load_from_bytes"), ("nt", "x")]
    {
        let pickle = format!("\u{0}{module}\n{name}\n");
        let pickle = [b"\x80\x02c", &pickle.as_bytes()[1..], b"X\x01\0\0\0x\x85R."].concat();
        let error = pytorch::load(&with_pickle(&pickle)).map(|_| ()).unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains(&format!("{module}.{name}")), "{error}");
    }
}

#[test]
fn pickles_that_grow_or_turn_in_circles_are_refused() {
    // Each list contains the previous list twice, forty times.
    let mut tower = b"\x80\x02]q\0".to_vec();
    for _ in 0..40 {
        tower.extend(b"](h\0h\0eq\0");
    }
    tower.extend(b".");
    // Every level leaves its list on the stack, and a tuple collects them.
    tower.splice(2..2, *b"(");
    tower.splice(tower.len() - 1.., *b"t.");
    let circle = b"\x80\x02]q\0h\0a.".to_vec();
    let deep = [b"\x80\x02".to_vec(), vec![b']'; 200], vec![b'a'; 199], b".".to_vec()].concat();
    for pickle in [tower, circle, deep] {
        let (result, most) = most_held(|| pytorch::load(&with_pickle(&pickle)).map(|_| ()));
        assert!(result.unwrap_err().is_too_large());
        assert!(most < 256 << 20, "{most}");
    }
    for pickle in [
        &b"\x80\x02.."[..],
        b"\x80\x02.",
        b"\x80\x02(N.",
        b"\x80\x02NN.",
        b"\x80\x020.",
        b"\x80\x02h\x05.",
        b"\x80\x02]u.",
        b"\x80\x02}(Nu.",
    ] {
        assert!(pytorch::load(&with_pickle(pickle)).unwrap_err().is_malformed(), "{pickle:?}");
    }
    let twice = b"\x80\x02}(X\x01\0\0\0aNX\x01\0\0\0aNu.";
    assert!(pytorch::load(&with_pickle(twice)).unwrap_err().to_string().contains("occurs twice"));
}

/// A pickle of one float32 tensor over the storage of two elements.
fn view(offset: i32, sizes: &[i32], strides: &[i32]) -> Vec<u8> {
    let int = |value: i32| [&b"J"[..], &value.to_le_bytes()].concat();
    let text = |text: &str| [&b"X"[..], &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
    let tuple =
        |values: &[i32]| [b"(".to_vec(), values.iter().flat_map(|&value| int(value)).collect(), b"t".to_vec()].concat();
    let storage = [text("storage"), b"ctorch\nFloatStorage\n".to_vec(), text("0"), text("cpu"), int(2)].concat();
    let rebuild = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((".to_vec();
    [rebuild, storage, b"tQ".to_vec(), int(offset), tuple(sizes), tuple(strides), b"\x89NtR.".to_vec()].concat()
}

#[test]
fn tensors_lie_in_their_storage() {
    let read =
        |pickle: Vec<u8>| pytorch::load(&with_pickle(&pickle)).map(|value| value.as_tensor().unwrap().shape().to_vec());
    assert_eq!(read(view(0, &[2], &[1])).unwrap(), [2]);
    assert_eq!(read(view(1, &[3, 1], &[0, 1])).unwrap(), [3, 1]);
    assert_eq!(read(view(9, &[0], &[1])).unwrap(), [0]);
    for pickle in [
        view(1, &[2], &[1]),
        view(2, &[], &[]),
        view(-1, &[1], &[1]),
        view(0, &[-1], &[1]),
        view(1, &[2], &[-1]),
        view(0, &[2], &[i32::MAX]),
        view(0, &[2, 2], &[1]),
        view(0, &[i32::MAX; 8], &[0; 8]),
    ] {
        assert!(read(pickle).unwrap_err().is_malformed());
    }
    // One number, expanded to gigabytes.
    let (result, most) = most_held(|| read(view(0, &[i32::MAX], &[0])));
    assert!(result.unwrap_err().is_too_large());
    assert!(most < 1 << 20, "{most}");
}

#[test]
fn a_ggufs_header_is_read_from_the_beginning_of_the_file() {
    let header = [gguf_header(1, 0), gguf_tensor("a", &[16], 0, 0)].concat();
    let file = [header.clone(), vec![0; 200]].concat();
    let length = file.len() as u64;
    assert_eq!(gguf::Header::parse_start(&header, length), gguf::Header::parse(&file));
    for end in 0..header.len() {
        assert!(gguf::Header::parse_start(&header[..end], length).unwrap_err().is_malformed(), "{end} bytes");
    }
    assert!(gguf::Header::parse_start(&header, 100).unwrap_err().to_string().contains("the file has 100 in all"));
}

#[test]
fn ggufs_limits_hold() {
    let array = |depth: usize| {
        let mut file = gguf_header(0, 1);
        file.extend(gguf_text("x"));
        file.extend(9u32.to_le_bytes());
        for _ in 1..depth {
            file.extend(9u32.to_le_bytes());
            file.extend(1u64.to_le_bytes());
        }
        file.extend(0u32.to_le_bytes());
        file.extend(1u64.to_le_bytes());
        file.push(7);
        file
    };
    assert!(gguf::load(&array(4)).is_ok());
    assert!(gguf::load(&array(5)).unwrap_err().is_too_large());
    let mut long = gguf_header(0, 1);
    long.extend(10_000_001u64.to_le_bytes());
    long.resize(long.len() + 100, b'x');
    assert!(gguf::load(&long).unwrap_err().is_too_large());
    let tensor = |row: Vec<u8>, data: usize| {
        let mut file = [gguf_header(1, 0), row].concat();
        file.resize(file.len().next_multiple_of(32) + data, 0);
        file
    };
    assert!(gguf::load(&tensor(gguf_tensor("a", &[1; 8], 0, 0), 4)).is_ok());
    assert!(gguf::load(&tensor(gguf_tensor("a", &[1; 9], 0, 0), 4)).unwrap_err().is_too_large());
    assert!(gguf::load(&tensor(gguf_tensor("a", &[1 << 32, 1 << 32], 0, 0), 4)).unwrap_err().is_too_large());
    assert!(gguf::load(&tensor(gguf_tensor("a", &[2], 0, 0), 4)).unwrap_err().is_malformed());
    assert!(gguf::load(&tensor(gguf_tensor("a", &[1], 0, 8), 12)).unwrap_err().is_malformed());
    assert!(gguf::load(&tensor(gguf_tensor("a", &[33], 8, 0), 64)).unwrap_err().is_malformed());
    assert!(gguf::load(&tensor(gguf_tensor("a", &[256], 16, 0), 66)).unwrap_err().is_unsupported());
    let overlapping =
        [gguf_header(2, 0), gguf_tensor("a", &[16], 0, 0), gguf_tensor("b", &[1], 0, 32), vec![0; 200]].concat();
    assert!(gguf::load(&overlapping).unwrap_err().to_string().contains("overlap"));
    let twice = [gguf_header(2, 0), gguf_tensor("a", &[1], 0, 0), gguf_tensor("a", &[1], 0, 32), vec![0; 200]].concat();
    assert!(gguf::load(&twice).unwrap_err().to_string().contains("occurs twice"));
    assert!(gguf::load(&gguf_header(u64::MAX, 0)).unwrap_err().is_malformed());
    let mut aligned = gguf_header(0, 1);
    aligned.extend(gguf_text("general.alignment"));
    aligned.extend([4u32, 1 << 21].map(u32::to_le_bytes).concat());
    assert!(gguf::load(&aligned).unwrap_err().is_too_large());
}

#[test]
fn a_torchscript_pickle_has_its_own_classes_and_no_others() {
    use lanthorn_io::{Format, pytorch::objects, zip};
    let file = |pickle: &[u8]| pytorch::save_with_pickle(&Value::None, pickle).unwrap();
    let read = |file: &[u8]| {
        let archive = zip::Archive::open(file, Format::TorchScript).unwrap();
        objects(&archive, "archive/data.pkl", "archive/data/")
            .map(|objects| format!("{:?}", objects.values[objects.root]))
    };
    let instance = b"\x80\x02c__torch__.a\nB\n)\x81}b.";
    assert!(read(&file(instance)).unwrap().starts_with("Instance { class: \"__torch__.a.B\""));
    // The checkpoint's reader rejects the class, and both readers reject Python's classes.
    assert!(pytorch::load(&file(instance)).unwrap_err().is_unsupported());
    let system = b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.";
    assert!(read(&file(system)).unwrap_err().is_unsupported());
    let list = b"\x80\x02ctorch.jit._pickle\nbuild_intlist\n](K\x01K\x02e\x85R.";
    assert!(read(&file(list)).unwrap().starts_with("List"));
}
