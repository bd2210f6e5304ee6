/** Examples of optimizers and schedules, with the options of PyTorch's recorded trajectories. */
import type { Golden, GoldenFile, Recorded, RecordedObject } from './golden';
import { camel, optionsSource } from './source';

interface Trajectory {
  kwargs: Readonly<Record<string, Recorded>>;
  groups: unknown;
}

interface OptimizerDocument {
  optimizer: string;
  trajectories: readonly Trajectory[];
}

interface Schedule {
  scheduler: string;
  kwargs: Readonly<Record<string, Recorded>>;
  base_lr: number;
  metrics?: readonly number[];
}

/** Optimizers that accept only matrices. */
const OF_MATRICES = ['Muon'];
/** Optimizers that evaluate the loss as often as they need. */
const OF_CLOSURES = ['LBFGS'];
const LOSS = 'const loss = w.square().sum();';

export class OptimizerExamples {
  private readonly optimizers: ReadonlyMap<string, GoldenFile<OptimizerDocument>>;
  private readonly schedules: readonly Schedule[];

  constructor(golden: Golden) {
    const files = golden.files<OptimizerDocument | readonly Schedule[]>('optim');
    this.optimizers = new Map(files.map((file) => [file.name, file as GoldenFile<OptimizerDocument>]));
    this.schedules = (this.optimizers.get('schedulers')?.document ?? []) as unknown as readonly Schedule[];
  }

  /** Three steps of `optim.Adam`. */
  optimizer(name: string): string {
    const [, base = ''] = name.split('.');
    const trajectories = this.optimizers.get(base)?.document.trajectories ?? [];
    // The first one with one option: its learning rate, for most.
    const options = trajectories.find(({ kwargs, groups }) => Object.keys(kwargs).length === 1 && !groups)?.kwargs ?? { lr: 0.1 };
    const start = OF_MATRICES.includes(base) ? '[[1, -2], [3, -4]]' : '[1, -2, 3]';
    const step = OF_CLOSURES.includes(base)
      ? ['  await optimizer.step(() => {', '    optimizer.zeroGrad();', `    ${LOSS}`, '    loss.backward();', '    return loss;', '  });']
      : [`  ${LOSS}`, '  optimizer.zeroGrad();', '  loss.backward();', '  optimizer.step();'];
    return `${[
      `const w = tensor(${start}, { requiresGrad: true });`,
      `const optimizer = new ${name}([w], ${writeOptions(options)});`,
      '',
      'for (let step = 0; step < 3; step++) {',
      ...step,
      '  console.log(step, w);',
      '}',
    ].join('\n')}\n`;
  }

  /** The learning rates of a schedule. */
  schedule(name: string): string | undefined {
    const [, base = ''] = name.split('.');
    const recorded = this.schedules.find(({ scheduler }) => scheduler === base);
    if (!recorded) {
      return undefined;
    }
    const loop = recorded.metrics
      ? ['const losses = [1, 0.9, 0.9, 0.9, 0.9, 0.9];', '', 'for (const loss of losses) {']
      : ['', 'for (let epoch = 0; epoch < 6; epoch++) {'];
    return `${[
      'const w = zeros([1]).requiresGrad_();',
      `const optimizer = new optim.SGD([w], { lr: ${recorded.base_lr}, momentum: 0.9 });`,
      `const scheduler = new optim.lrScheduler.${base}(optimizer, ${writeOptions(recorded.kwargs)});`,
      ...loop,
      '  optimizer.step();',
      `  scheduler.step(${recorded.metrics ? 'loss' : ''});`,
      '  console.log(optimizer.paramGroups[0].lr);',
      '}',
    ].join('\n')}\n`;
  }
}

function writeOptions(options: Readonly<Record<string, Recorded>>): string {
  return optionsSource(Object.fromEntries(Object.entries(options).map(([name, value]) => [camel(name), plain(value)])));
}

function plain(value: Recorded): unknown {
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  const { v } = (typeof value === 'object' && value !== null ? value : {}) as Partial<RecordedObject>;
  return v === undefined ? value : typeof v === 'object' ? plain(v) : v;
}
