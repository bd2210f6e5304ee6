/**
 * What the runtime survives: forty faults by number, and the tests of each. `docs/faults.md` is printed from
 * this table and from the results of a run (`run.mjs`); `faults.test.mjs` checks both.
 */

/**
 * The tests of a file, which is named from the root of the repository: their titles as its source has them, or
 * the names of functions in Rust. A file of cases is run by the `.test.mjs` beside its folder.
 */
const of = (file, ...titles) => titles.map((title) => ({ file, title }));
const browser = (name, ...titles) => of(`tests/browser/${name}.mjs`, ...titles);
const crate = (name, ...functions) => of(`crates/${name}.rs`, ...functions);

const GOLDEN = browser('golden.test', "${every === 1 ? 'every answer' : `one answer in ${every}`} on ${where}");

/** By number: the fault, what passes, and its tests. */
export const faults = [
  ['The device is destroyed in mid-training', 'Awaits reject with `device_lost`; `recover()` goes on with the same losses',
    browser('faults/recovery.test', 'after device.destroy(), three times, with the losses of an undisturbed run'),
    browser('device-loss.test', 'by device.destroy(): awaits reject, and training goes on from a checkpoint as if nothing had been')],
  ['The GPU process crashes', 'The same, within 5 s',
    browser('device-loss.test', 'by a crash of the GPU process'),
    browser('page.test', 'a crash of the GPU process is explained, and training can start again')],
  ['The device is lost again and again', 'Recovery, and in the end an error that offers the CPU; no loop',
    browser('faults/recovery.test', 'after crashes of the GPU process, until the browser refuses a device, and then on the CPU',
      'that is lost at once whenever it is opened is given up, and the CPU offered')],
  ['No memory for one tensor', '`out_of_memory` or `limit`, with the bytes; other tensors are intact',
    browser('bad-input/shapes', 'more memory than there is'),
    browser('api/inspect', 'a limit refuses what does not fit, and work goes on'),
    crate('wgpu/tests/failures', 'out_of_memory_is_an_error_and_the_rest_lives')],
  ['No memory in the middle of a step, at the n-th buffer', 'For every n an error; then a step works, and nothing is left',
    browser('faults/allocation.test', 'whichever buffer of a training fails: an error, then the same training works, and nothing is left',
      'on a new device too, where the first buffers are those of the runtime itself'),
    crate('wgpu/tests/browser', 'a_buffer_that_does_not_come_to_be_fails_what_uses_it')],
  ['No WebGPU: no `navigator.gpu`, no adapter, no device', '`auto` takes the CPU; `webgpu` is refused with the reason',
    browser('starting.test', 'webgpu is refused, auto takes the CPU', 'navigator.gpu is undefined', 'there is no adapter', 'the adapter gives no device'),
    browser('page.test', 'trains on the CPU by itself, and says so')],
  ['The least limits that WebGPU guarantees', "PyTorch's answers",
    GOLDEN, browser('pressure.test', 'values are right on the least of all devices')],
  ['No float16, subgroups or timestamps in the adapter', 'Half types are converted',
    browser('pressure.test', 'values are right on the least of all devices'), browser('api/values', 'half types')],
  ['More than 65,535 workgroups', 'Right at both ends',
    browser('faults/allocation.test', 'more elements than a dispatch has workgroups for, than a binding and than a buffer'),
    browser('api/selection', 'more elements than one dispatch has workgroups for')],
  ['Tensors larger than a binding and a buffer', 'Right, or a `limit` error before anything is dispatched',
    browser('faults/allocation.test', 'more elements than a dispatch has workgroups for, than a binding and than a buffer',
      'large tensors are right where the device has room for them')],
  ['More inputs than a kernel binds', 'Right, with gradients',
    browser('faults/allocation.test', 'expressions and joins of more tensors than a kernel binds'),
    browser('api/selection', 'one expression of many tensors')],
  ['Tensors without elements', "PyTorch's result or an error",
    GOLDEN, browser('api/values', 'reductions of nothing'), crate('conformance/tests/empties', 'tensors_without_elements_are_part_of_the_graph')],
  ['0 dimensions, and very many', 'Works up to 16, an error beyond',
    browser('bad-input/shapes', 'more dimensions than there may be'), crate('tensor/tests/views', 'sixteen_dimensions_and_no_more')],
  ['Sizes that overflow, negative, fractional, NaN', 'An error of kind `shape`, and no allocation',
    browser('bad-input/shapes', 'negative sizes', 'fractional sizes, and those that are no number', 'sizes beyond everything')],
  ['Views of every kind into operations', 'The result of a copy',
    GOLDEN, browser('api/selection', 'views go into operations like copies of themselves'),
    crate('tensor/tests/view_kinds', 'a_write_through_a_view_is_a_write_to_the_base', 'gradients_flow_through_a_write_to_a_view')],
  ['In place on an expanded view, a leaf, a saved tensor', "PyTorch's errors",
    browser('bad-input/autograd', 'in-place on a leaf', 'in-place change of a saved tensor', 'in-place on what is expanded'),
    crate('tensor/tests/in_place', 'a_saved_tensor_that_changed_is_an_error_that_names_the_op')],
  ['NaN and infinity as inputs', "PyTorch's pattern of them",
    GOLDEN, browser('api/values', 'infinity and NaN go through'), crate('tensor/tests/edges', 'extremes_of_nan_give_it_their_gradient')],
  ['A loss becomes NaN', 'The user sees it, and `detectAnomaly` names the operation',
    browser('api/training', 'a loss that is no number is seen'), browser('api/anomaly', 'the operation that makes the first NaN is named')],
  ['Indices out of range', 'An error; neighbours are untouched',
    browser('bad-input/indices', 'gather', 'indexSelect', 'embedding', 'scatterAdd leaves its neighbours alone', 'labels of no class', 'reads beside a refused one are answered'),
    crate('wgpu/tests/failures', 'a_bad_index_fails_its_launch_and_no_other')],
  ['Division by 0, shifts and conversions out of range', "PyTorch's results, or those that are documented",
    GOLDEN, crate('conformance/tests/quotients', 'on_the_cpu', 'on_webgpu'), crate('tensor/tests/documented_errors', 'integers_divided_by_0_and_extremes_of_nan_are_as_documented')],
  ['Use after dispose, twice, during a read, of a view\'s base', 'An error or nothing; other tensors are right',
    browser('bad-input/lifetime', 'use after dispose', 'dispose twice'),
    browser('api/lifetime', 'a view outlives the tensor that it was taken from', 'dispose right after asking does not spoil the answer')],
  ['No dispose at all', 'Live bytes fall',
    browser('api/lifetime', 'forgotten tensors are let go of by the garbage collector'), browser('natural-loop.test', 'in a page on ${device}', 'in Node')],
  ['Thousands of training steps', 'The memory of the GPU, the core and the page is constant',
    browser('leak.test', '${MILESTONES[1]} steps on ${device} hold what ${MILESTONES[0]} did'), browser('pressure.test', '600 steps hold no more than 100 did')],
  ['Hundreds of shapes', 'No pipeline and no program for a new size',
    crate('conformance/tests/shapes', 'an_op_compiles_no_program_at_a_third_shape', 'a_sample_of_ops_compiles_no_pipeline_at_a_third_shape'),
    crate('conformance/tests/growing', 'growing_sizes_make_no_pipeline_on_webgpu')],
  ['100 reads at once, and reads between writes', 'Each sees the value at its place',
    browser('api/reads', '100 reads of many tensors at once', '100 reads of one tensor at once', 'a read sees the value at its place, however it is changed later')],
  ['A read without waiting on a GPU', 'An error, and never an old value',
    browser('bad-input/devices', 'dataSync is for the CPU')],
  ['A tab that is hidden, frozen, throttled', 'Training goes on, with the same losses',
    browser('faults/pages.test', 'a page that is throttled twentyfold trains on, with the same losses', 'a page that is frozen in mid-training, again and again, goes on where it was'),
    browser('page.test', 'trains to the end on ${device}', 'trains on where animation frames never come')],
  ['A page that is reloaded or left in mid-training', 'No errors; the new page works',
    browser('faults/pages.test', 'a page that is reloaded 20 times in mid-training trains as the first time', 'a page that was left in mid-training works when its user comes back'),
    browser('page.test', 'survives being reloaded in the middle of training')],
  ['A worker that is ended in mid-step, 12 times', 'The page and the next worker are right',
    browser('faults/pages.test', '12 workers that are ended in the middle of a step leave the page and the next worker alone')],
  ['Two copies of the package, two devices', 'Nothing is shared; a tensor of the other copy is refused',
    browser('faults/pages.test', 'two copies of the package on a page share nothing, and refuse tensors of each other'),
    browser('starting.test', 'what belongs to one device is never taken for something of another, there and back')],
  ["The CPU's memory to its limit of 4 GiB", '`out_of_memory`; what was freed can be used',
    browser('faults/allocation.test', 'memory of the CPU to its end: an error of that kind, and work goes on')],
  ['A panic in the core', 'The first error has the message, later ones say to reload',
    browser('starting.test', 'is shown once, and every later call on ${device} says so')],
  ["An exception in a user's function", 'It arrives unchanged, and the state is consistent',
    browser('bad-input/hooks', 'an exception arrives as it was thrown', 'and the next backward works'),
    of('tests/data/loader.test.mjs', 'in a data set names the sample, and keeps the error')],
  ['Calls from within backward; a graph of 100,000 operations', "PyTorch's errors, and no stack overflow",
    browser('bad-input/hooks', 'a hook that computes, and calls backward itself'), browser('bad-input/autograd', 'backward twice without retainGraph'),
    crate('tensor/tests/deep', 'a_hundred_thousand_ops_forward_and_backward')],
  ['Malformed files, zip bombs, truncation at each byte', 'Refused with an error, in bounded time and memory',
    crate('io/tests/hostile', 'a_file_that_ends_anywhere_is_refused', 'every_byte_changed_to_several_values_gives_tensors_or_an_error', 'mutated_files_give_tensors_or_an_error',
      'archives_inflate_to_what_they_claim_and_no_more_than_is_fitting', 'pickles_call_nothing_that_is_not_on_the_list'),
    of('tests/browser/disk.test.mjs', 'that are not there, or no files, or cut off, are told')],
  ['Hostile arguments', 'An error that names the argument',
    browser('bad-input/arguments', 'keys that mean something to JavaScript', 'data that no tensor can be made of', 'an array whose buffer went elsewhere', 'buffers that are shared or can be resized'),
    browser('bad-input/shapes', 'nested arrays that are ragged'), crate('conformance/tests/garbage', 'no_arguments_make_an_op_panic')],
  ['A failing network: 404, a cut body, an abort', 'It rejects, and leaves nothing',
    browser('io/cases', 'what a network does is refused, and leaves nothing', 'an abort ends loading, and leaves nothing'), browser('starting.test', 'because it is not there')],
  ['Content-Security-Policy, bundlers, Node', 'It works, or the message says how',
    browser('starting.test', "because the page's policy forbids WebAssembly, which the error names"),
    of('tests/packaging/package.test.mjs', 'builds a page and a module worker that train', 'serves them in development', 'trains on the CPU'),
    of('tests/packaging/stack.test.mjs', 'in a bundle, minified and as it is')],
  ['Determinism: twice, across devices, from a checkpoint', 'The same bits on a device, the same random numbers on all',
    browser('page.test', 'gives the same losses for the same seed'), browser('api.test', 'a seed gives the same bits on every device'),
    browser('checkpoint.test', '${chapter}: goes on after a reload, and from a file, as if there had been no break'),
    crate('lanthorn/tests/resume', 'on_the_cpu', 'on_webgpu')],
  ['A shader that does not compile, or slowly', 'An error of its launch alone; the page goes on',
    browser('api/inspect', 'pipelines compile while the page goes on, and what waits for them is one submission'),
    crate('wgpu/tests/browser', 'a_shader_that_does_not_compile_fails_its_launch_and_no_other')],
].map(([fault, passes, ...tests], index) => ({ number: index + 1, fault, passes, tests: tests.flat() }));

/** The file of `node --test` that runs a file of cases. */
export const runnerOf = (file) => (file.endsWith('.test.mjs') ? file : `${file.slice(0, file.lastIndexOf('/'))}.test.mjs`);

/** Matches the titles that a title with `${…}` gives; expressions may contain others in backquotes. */
export function patternOf(title) {
  const parts = title.split(/\$\{(?:[^{}]|\{[^}]*\})*\}/);
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`);
}
