//! The functions that the header provides for kernels, and the errors that it detects.

use super::*;

/// Words in device memory.
struct Words(Pointer, usize);

fn emulator(checked: bool) -> Emulator {
    Emulator::new(Options { checked, ..Options::default() }).unwrap()
}

fn words(emulator: &Emulator, values: &[u32]) -> Words {
    let pointer = emulator.allocate(values.len() as u64 * 4).unwrap();
    // SAFETY: the memory has this many words.
    unsafe { emulator.upload(pointer, values.as_ptr().cast(), values.len() * 4).unwrap() };
    Words(pointer, values.len())
}

fn read(emulator: &Emulator, words: &Words) -> Vec<u32> {
    let mut values = vec![0u32; words.1];
    // SAFETY: as above.
    unsafe { emulator.download(values.as_mut_ptr().cast(), words.0, words.1 * 4).unwrap() };
    values
}

/// Runs the body of a kernel `(const u32* in0, u32* out0, const Words words, const u32* params)` on
/// some words.
fn run_on(emulator: &Emulator, body: &str, extent: Extent, input: &[u32], outputs: usize) -> Result<Vec<u32>> {
    let source = format!(
        "typedef unsigned int u32;\nstruct Words {{ u32 at[3]; }};\nextern \"C\" __global__ void kernel(const u32* __restrict__ in0, u32* out0, const Words words, \
         const u32* __restrict__ params) {{\n{body}\n}}\n"
    );
    let function = emulator.compile("test", &source)?;
    let (input, output, params) =
        (words(emulator, input), words(emulator, &vec![0; outputs]), words(emulator, &[11, 12]));
    let mut arguments = Arguments::default();
    arguments.pointer(input.0);
    arguments.pointer(output.0);
    arguments.structure(&[1, 2, 3]);
    arguments.pointer(params.0);
    // SAFETY: these are the kernel's parameters.
    unsafe { emulator.launch(&function, extent, &mut arguments)? };
    Ok(read(emulator, &output))
}

fn line(blocks: u32, threads: u32) -> Extent {
    Extent { grid: [blocks, 1, 1], block: [threads, 1, 1] }
}

fn run(body: &str, extent: Extent, input: &[u32], outputs: usize) -> Result<Vec<u32>> {
    let plain = run_on(&emulator(false), body, extent, input, outputs);
    let checked = run_on(&emulator(true), body, extent, input, outputs);
    match (&plain, &checked) {
        (Ok(plain), Ok(checked)) => assert_eq!(plain, checked),
        (Err(plain), Err(checked)) => assert_eq!(plain.message(), checked.message()),
        _ => panic!("{plain:?} and, checked, {checked:?}"),
    }
    plain
}

fn message(outcome: Result<Vec<u32>>) -> String {
    let error = outcome.unwrap_err();
    assert!(error.is_kernel(), "{error}");
    error.message().to_string()
}

#[test]
fn arguments_and_a_plain_loop() {
    let body =
        "u32 i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < 10) out0[i] = in0[i] * words.at[2] + params[1];";
    let input: Vec<u32> = (0..10).collect();
    assert_eq!(run(body, line(3, 4), &input, 10).unwrap(), input.iter().map(|i| i * 3 + 12).collect::<Vec<_>>());
}

#[test]
fn shared_memory_is_behind_barriers_and_new_in_each_block() {
    // A block reverses its part, in three steps with barriers between them.
    let body = "__shared__ u32 tile[64]; __shared__ u32 unwritten;\nu32 t = threadIdx.x;\ntile[t] = in0[blockIdx.x * 64 + t];\n__syncthreads();\nu32 other = tile[63 - t];\n__syncthreads();\n\
                tile[t] = other + (unwritten == 0xCDCDCDCDu ? 0u : 1000u);\n__syncthreads();\nif (t == 0) { unwritten = 1; for (u32 i = 0; i < 64; ++i) out0[blockIdx.x * 64 + i] = tile[i]; }";
    let input: Vec<u32> = (0..192).collect();
    let wanted: Vec<u32> = (0..192).map(|i| i / 64 * 64 + 63 - i % 64).collect();
    assert_eq!(run(body, line(3, 64), &input, 192).unwrap(), wanted);
}

#[test]
fn threads_and_blocks_in_three_dimensions() {
    let body = "u32 block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;\n\
                u32 thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n__syncthreads();\n\
                u32 i = block * blockDim.x * blockDim.y * blockDim.z + thread;\nout0[i] = i + __shfl_sync(0xffffffffu, threadIdx.y, 1);";
    let extent = Extent { grid: [2, 3, 2], block: [4, 4, 2] };
    let wanted: Vec<u32> = (0..12 * 32).collect();
    // Lane 1 has y = 0.
    assert_eq!(run(body, extent, &[0], 12 * 32).unwrap(), wanted);
}

#[test]
fn a_warp_sums_by_shuffles() {
    let body = "u32 v = in0[threadIdx.x];\nfor (u32 d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);\nif (threadIdx.x % 32 == 0) out0[threadIdx.x / 32] = v;\n\
                double w = in0[threadIdx.x];\nfor (u32 d = 1; d < 32; d *= 2) w += __shfl_xor_sync(0xffffffffu, w, d);\nout0[2 + threadIdx.x] = u32(w);";
    let input: Vec<u32> = (0..64).collect();
    let got = run(body, line(1, 64), &input, 66).unwrap();
    let (first, second) = ((0..32).sum::<u32>(), (32..64).sum::<u32>());
    assert_eq!(got[..2], [first, second]);
    assert!(got[2..34].iter().all(|&sum| sum == first) && got[34..].iter().all(|&sum| sum == second));
}

#[test]
fn shuffles_within_parts_votes_and_half_a_warp() {
    let body = "u32 t = threadIdx.x;\nout0[t] = __shfl_up_sync(0xffffffffu, t, 1, 8);\nout0[40 + t] = __shfl_down_sync(0xffffffffu, t, 3, 8);\nout0[80 + t] = __shfl_sync(0xffffffffu, t, 2, 4);\n\
                u32 votes = __ballot_sync(0xffffffffu, t % 3 == 0);\n__syncwarp();\nif (t == 32) { out0[120] = votes; }\n\
                out0[121 + t] = __any_sync(0xffffffffu, t == 39) * 2 + __all_sync(0xffffffffu, t >= 32);";
    let got = run(body, line(1, 40), &[0], 161).unwrap();
    let up = |t: u32| if t.is_multiple_of(8) { t } else { t - 1 };
    let down = |t: u32| if t % 8 < 5 { t + 3 } else { t };
    assert_eq!(got[..40], (0..40).map(up).collect::<Vec<_>>());
    assert_eq!(got[40..80], (0..40).map(down).collect::<Vec<_>>());
    assert_eq!(got[80..120], (0..40).map(|t| t / 4 * 4 + 2).collect::<Vec<_>>());
    // The second warp has eight lanes: 33, 36 and 39.
    assert_eq!(got[120], 0b1001_0010);
    assert_eq!(got[121..], [vec![0; 32], vec![3; 8]].concat());
}

#[test]
fn atomics_add_up_over_blocks() {
    let body = "atomicAdd(&out0[0], 1); atomicMax(&out0[1], in0[threadIdx.x]); atomicExch(&out0[2], 7u);\nif (threadIdx.x == 0) atomicCAS(&out0[3], 0, 9); atomicAdd((float*)&out0[4], 0.5f);";
    let got = run(body, line(4, 8), &[3, 1, 4, 1, 5, 9, 2, 6], 5).unwrap();
    assert_eq!(got, [32, 9, 7, 9, 16f32.to_bits()]);
}

#[test]
fn vectors_and_bits() {
    let body = "uint4 v = reinterpret_cast<const uint4*>(in0)[threadIdx.x];\nreinterpret_cast<uint4*>(out0)[threadIdx.x] = make_uint4(v.w, v.z, __brev(v.y), __umulhi(v.x, 0x80000000u));";
    let got = run(body, line(1, 2), &[8, 1, 2, 3, 6, 0x8000_0000, 5, 4], 8).unwrap();
    assert_eq!(got, [3, 2, 0x8000_0000, 4, 4, 5, 1, 3]);
}

#[test]
fn a_barrier_that_some_do_not_reach_is_reported() {
    let returned = message(run("if (threadIdx.x > 5) return;\n__syncthreads();", line(2, 8), &[0], 1));
    assert_eq!(
        returned,
        "thread (0, 0, 0) of block (0, 0, 0) waits at a barrier in line 5, and thread (6, 0, 0) has returned (line 0)"
    );
    let another =
        message(run("if (threadIdx.x == 3) {\n__syncthreads();\n} else {\n__syncthreads();\n}", line(1, 8), &[0], 1));
    assert!(another.contains("in line 7") && another.contains("(line 5)"), "{another}");
    let shuffled = message(run(
        "if (threadIdx.x < 32) __shfl_down_sync(0xffffffffu, 1, 1); else __syncthreads();\n__syncthreads();",
        line(1, 64),
        &[0],
        1,
    ));
    assert!(shuffled.contains("waits at a barrier"), "{shuffled}");
}

#[test]
fn a_warp_operation_is_for_all_its_lanes() {
    let some = message(run("if (threadIdx.x < 16) __shfl_xor_sync(0xffffffffu, 1, 1);", line(1, 32), &[0], 1));
    assert!(
        some.contains("is in an operation of its warp in line 4") && some.contains("(16, 0, 0) has returned"),
        "{some}"
    );
    let mask = message(run("__shfl_xor_sync(0xffffu, 1, 1);", line(1, 32), &[0], 1));
    assert!(mask.contains("mask 0xffff"), "{mask}");
    let lane = message(run("out0[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 20);", line(1, 16), &[0], 16));
    assert!(lane.contains("reads lane 20"), "{lane}");
}

#[test]
fn a_write_beside_a_buffer_is_found() {
    let body = "out0[threadIdx.x] = 1;";
    assert_eq!(message(run_on(&emulator(false), body, line(1, 8), &[0], 7)), "a write behind a buffer of 28 bytes");
    let checked = message(run_on(&emulator(true), body, line(1, 8), &[0], 7));
    assert_eq!(
        checked,
        "thread (7, 0, 0) of block (0, 0, 0) writes 4 bytes outside of its buffers, 28 from the start of the nearest"
    );
}

#[test]
fn a_read_beside_a_buffer_is_found_where_accesses_are_checked() {
    let body = "out0[0] = in0[words.at[1] + blockIdx.x];";
    assert!(run_on(&emulator(false), body, line(9, 1), &[0; 10], 1).is_ok());
    let checked = message(run_on(&emulator(true), body, line(9, 1), &[0; 10], 1));
    assert!(checked.starts_with("thread (0, 0, 0) of block (8, 0, 0) reads 4 bytes outside"), "{checked}");
    let odd = message(run_on(
        &emulator(true),
        "out0[0] = *(const unsigned long long*)(in0 + 1) != 0;",
        line(1, 1),
        &[0; 10],
        1,
    ));
    assert!(odd.contains("reads 8 bytes at an address that is no multiple of that"), "{odd}");
}

#[test]
fn a_kernel_that_is_none_says_why() {
    let error = run_on(&emulator(false), "out0[0] = nonsense;", line(1, 1), &[0], 1).unwrap_err();
    assert!(error.is_kernel() && error.op() == "test", "{error}");
    assert!(error.message().contains("test.cu:4") && error.message().contains("nonsense"), "{error}");
    assert!(run_on(&emulator(false), "", line(1, 1025), &[0], 1).unwrap_err().is_limit());
    assert!(message(run("__trap();", line(1, 1), &[0], 1)).contains("traps (line 4)"));
}

#[test]
fn recorded_launches_run_when_they_are_replayed() {
    let emulator = emulator(false);
    let source = "extern \"C\" __global__ void kernel(unsigned* out0) { out0[0] += 1; }";
    let function = emulator.compile("count", source).unwrap();
    let memory = words(&emulator, &[5]);
    let mut arguments = Arguments::default();
    arguments.pointer(memory.0);
    let recording = emulator.record(&mut || {
        // SAFETY: these are the kernel's parameters.
        (0..3).try_for_each(|_| unsafe { emulator.launch(&function, line(1, 1), &mut arguments) })
    });
    assert_eq!(read(&emulator, &memory), [5]);
    // SAFETY: the memory exists.
    unsafe { emulator.replay(&recording.unwrap()).unwrap() };
    assert_eq!(read(&emulator, &memory), [8]);
}
