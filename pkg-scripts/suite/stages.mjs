/**
 * The stages of the test suite. `docs/testing.md` describes them.
 *
 * A stage is a function from the run's context to its steps. With `context.all` everything runs
 * that there is; otherwise long tables take one part in N, which tests choose by LANTHORN_ROTATION.
 */
import { firefoxFiles, longestFirst, testFiles, webkitFiles } from './files.mjs';
import { command, nextest, nodeTests, runner } from './steps.mjs';
import { which } from './which.mjs';

/** Features of the native tests. One set for all commands, so that cargo builds nothing twice. */
export const FEATURES = '--features lanthorn-cli/mpi,lanthorn-cuda/cuda';
export const EVERY_FEATURE = '--features lanthorn-cli/cuda,lanthorn-cli/nccl,lanthorn-cli/mpi,lanthorn-cuda/cuda';

/** A step without which the rest of its stage has no meaning. */
const requireStep = (step) => ({ ...step, isRequired: true });

/** Tests that read nothing of a build. */
const isOfSuite = (file) => /^tests\/(style|suite)\//.test(file);

/** The linter. It reads no files of a build. */
export const LINT = command('lint', 'npm_packages "$ROOT/npm"\nnpm --prefix npm run lint');

const style = ({ root, all }) => [
  command('formatting', 'cargo fmt --all --check'),
  command('clippy', `cargo clippy --workspace --all-targets ${EVERY_FEATURE} -- -D warnings`),
  // Some code is compiled only without a feature.
  ...(all ? [command('clippy with default features', 'cargo clippy --workspace --all-targets -- -D warnings')] : []),
  LINT,
  command('types of the package', 'npm_packages "$ROOT/npm"\nnpm --prefix npm run types'),
  command('words and prose', 'node tests/style/words.mjs'),
  command('workflows', 'node tests/style/workflows.mjs'),
  nodeTests('the suite itself', () => testFiles(root).filter(isOfSuite)),
];

/**
 * Prints the TypeScript of the tables, and the reference pages, without the numbers of PyTorch's
 * answers, which the native tests check.
 */
const PRINTED_FILES = `
lanthorn="$CARGO_TARGET_DIR/debug/lanthorn"
"$lanthorn" ops --markdown | diff - <(sed "s/ PyTorch's answers: [0-9]* of [0-9]*\\.//" docs/operations.md)
"$lanthorn" modules --markdown | diff - docs/modules.md
"$lanthorn" optimizers --markdown | diff - docs/optimizers.md
"$CARGO_TARGET_DIR/debug/print-bindings" --check npm/src/generated`;

const native = ({ target }) => {
  // Tests leave the models that they write.
  const written = `${target}/onnx-written`;
  return [
    // The site stage runs the program that prints the bindings.
    requireStep(command('the native tests build', `cargo nextest run --no-run --workspace ${FEATURES}\ncargo build --workspace ${FEATURES} --bin print-bindings`)),
    // Without an adapter hundreds of tests fail.
    requireStep(nextest('a WebGPU adapter', `--workspace ${FEATURES} -E 'test(=adapter::there_is_an_adapter)'`)),
    nextest('native tests', `--workspace ${FEATURES}`, `onnx_cases\nrm -rf "${written}"`, { LANTHORN_ONNX_WRITTEN: written }),
    runner('models of ONNX that the tests wrote, in ONNX Runtime', `onnx_round_trip "${written}"`),
    command('the reference pages and the printed TypeScript are current', PRINTED_FILES, { CARGO_TARGET_DIR: target }),
    runner('examples in the documentation', `cargo test --workspace ${FEATURES} --doc -q --no-fail-fast`),
  ];
};

/**
 * Tests of wasm-bindgen in Chromium. They share their dependencies with the package's modules.
 * `wasm-pack test --headless` runs the same tests.
 */
const wasm = () => [
  runner('every op and the WebGPU backend in Chromium', `wasm_env env RUSTFLAGS="$WASM_FLAGS" cargo test -p lanthorn-conformance -p lanthorn-wgpu \
    --test browser --profile wasm-test --target "$WASM"`, {
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: 'wasm-bindgen-test-runner',
    // In seconds, for all tests of a crate.
    WASM_BINDGEN_TEST_TIMEOUT: '2400',
    WASM_BINDGEN_TEST_ONLY_WEB: '1',
    CHROMEDRIVER: which('chromedriver'),
  }),
];

/** PyTorch's answers, a part of which every browser gets. */
const GOLDEN = 'tests/browser/golden.test.mjs';

/** Trains the first chapter of the built site. */
const train = (device) => command(`training on ${device} in headless Chromium`, `node pkg-scripts/lib/headless.mjs --device ${device}`);

/** The package in every bundler and runtime, and the steps of publishing. */
const publish = [
  nodeTests('the package in every row of the matrix', () => ['tests/packaging/matrix/run.mjs']),
  command('the npm package can be published', 'npm_publishes'),
  command('the crates can be published', 'crates_publish'),
  command("the README's example in Rust, as pasted", 'rust_example'),
];

const site = ({ root, target, all, stages, rotation }) => {
  const inFirefox = firefoxFiles(rotation);
  // The native stage has just built the program that prints the bindings.
  const env = stages.includes('native') ? { LANTHORN_PRINT_BINDINGS: `${target}/debug/print-bindings` } : {};
  return [
    requireStep(
      all
        ? command('the demo builds the published package and the site, and trains', './pkg-scripts/demo --headless --device cpu')
        : command('the package and the site build', 'npm_package --for-tests --check\nnpm --prefix www run build', env),
    ),
    requireStep(train('webgpu')),
    ...(all ? [] : [train('cpu')]),
    command('types of the site', 'npm --prefix www run check'),
    nodeTests('the page and the package', () => longestFirst(testFiles(root).filter((file) => !isOfSuite(file) && (all || !inFirefox.includes(file))))),
    nodeTests('the page in Firefox', () => [GOLDEN, ...inFirefox], { env: { LANTHORN_BROWSER: 'firefox' } }),
    nodeTests('the page in WebKit', () => [GOLDEN, ...webkitFiles(rotation)], { env: { LANTHORN_BROWSER: 'webkit' } }),
    ...(all ? publish : []),
  ];
};

export const STAGES = { style, native, wasm, site };
