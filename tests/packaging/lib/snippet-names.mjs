/**
 * The types of the names that snippets leave out, in all files and in single ones.
 */

const core = (name) => `import('lanthorn').${name}`;
const [tensor, module] = [core('Tensor'), core('nn.Module')];
const onnx = "import('lanthorn/program').OnnxModel";
const script = "import('lanthorn/program').ScriptModule";

export const NAMES = {
  Net: `new () => ${core('nn.Sequential')}`,
  answer: '(rows: number[][]) => Promise<number[][]>',
  b: tensor,
  batches: `(...which: unknown[]) => AsyncIterable<[${tensor}, ${tensor}]>`,
  body: module,
  buffer: 'GPUBuffer',
  calibration: `${tensor}[]`,
  canvas: 'HTMLCanvasElement',
  context: 'CanvasRenderingContext2D',
  controller: 'AbortController',
  correct: tensor,
  criterion: core('nn.CrossEntropyLoss'),
  device: 'GPUDevice',
  evaluationNet: module,
  files: 'File[]',
  frame: 'VideoFrame',
  group: "import('lanthorn/workers').ProcessGroup",
  head: module,
  ids: 'number[]',
  image: tensor,
  images: 'Uint8Array',
  input: 'HTMLInputElement',
  labels: 'Int32Array',
  layer: core('nn.Linear'),
  layout: 'GPUBindGroupLayout',
  loader: `Iterable<[${tensor}, ${tensor}]>`,
  loss: tensor,
  losses: 'unknown[]',
  makeModel: `() => ${module}`,
  model: "import('lanthorn/models').CausalLM",
  net: core('nn.Sequential'),
  optimizer: core('optim.SGD'),
  output: 'HTMLElement',
  parts: 'unknown[]',
  pixels: 'Float32Array',
  prompt: 'string',
  response: "import('node:http').ServerResponse",
  scaler: core('amp.GradScaler'),
  schedule: core('optim.lrScheduler.StepLR'),
  show: '(loaded: number, total?: number) => void',
  sink: 'WritableStream<string>',
  squareplus: `(x: ${tensor}) => ${tensor}`,
  status: 'HTMLElement',
  steps: 'number',
  stopButton: 'HTMLButtonElement',
  tokenizer: "import('lanthorn/tokenizer').Tokenizer",
  tokens: 'ReadableStream<number>',
  train: `(model: ${module}) => Promise<void>`,
  trainEpoch: '() => Promise<void>',
  trainStep: `(...of: unknown[]) => ${tensor}`,
  video: 'HTMLVideoElement',
  w: tensor,
  weights: tensor,
  worker: 'Worker',
  x: tensor,
  y: tensor,
};

/** In single files of `npm/src`, where a name means something else. */
export const NAMES_OF = {
  'models/cache.ts': { ids: tensor },
  'workers/end.ts': { memory: core('SharedMemory') },
  'tensor/gpu-buffer.ts': { canvas: "{ getContext(kind: 'webgpu'): GPUCanvasContext }" },
  'program/classes.ts': { model: onnx, module: script, program: "import('lanthorn/program').ExportedProgram" },
  'program/signal.ts': { module: script },
  'data/serve.ts': { image: `(index: number) => Promise<${tensor}>`, label: '(index: number) => number' },
};
