/**
 * Examples of modules: the construction of a module of PyTorch's tests, its call, and its
 * parameters.
 */
import type { Declaration } from '../declarations';
import { elementsOf, type Golden, type GoldenFile, isTensor, leavesOf, type Recorded, type RecordedObject, type Sample } from './golden';
import { Operand, type Recorder, recorderOf, SampleLoader } from './recorder';
import { camel, Code, isRandom, isWritten, optionsSource, tensorSource, valueSource } from './source';

interface ModuleDocument {
  samples: readonly (Sample & { state?: Readonly<Record<string, RecordedObject>> })[];
}

/** A result of more elements is shown by its shape. */
const MAX_SHOWN = 30;

export class ModuleExamples {
  private readonly recorder: Recorder;
  private readonly files: ReadonlyMap<string, GoldenFile<ModuleDocument>>;

  constructor(golden: Golden, declarations: ReadonlyMap<string, Declaration>) {
    this.recorder = recorderOf(declarations);
    this.files = new Map(golden.files<ModuleDocument>('modules').map((file) => [file.name, file]));
  }

  /** The program of `nn.Linear`; `undefined` if PyTorch recorded none. */
  source(name: string): string | undefined {
    const file = this.files.get(name.replace(/^nn\./, ''));
    const samples = file?.document.samples.filter((sample) => inputsOf(sample).every(({ shape }) => elementsOf(shape) > 0)) ?? [];
    const written = samples.flatMap((sample) => {
      try {
        return [{ source: this.write(name, file!, sample), cost: costOf(sample) }];
      } catch {
        // Samples that JavaScript cannot express are skipped.
        return [];
      }
    });
    return written.sort((a, b) => a.cost - b.cost)[0]?.source;
  }

  private write(name: string, file: GoldenFile<ModuleDocument>, sample: ModuleDocument['samples'][number]): string {
    const loader = new SampleLoader(this.recorder, { name: file.name, tensors: file.tensors() });
    const expression = (json: Recorded) => this.expression(loader.value(json), loader);
    const writeArguments = (args: readonly Recorded[], kwargs: Readonly<Record<string, Recorded>>, skipped: readonly string[]) => {
      const said = Object.entries(kwargs).filter(([option, value]) => value !== null && !skipped.includes(option));
      const options = Object.fromEntries(said.map(([option, value]) => [camel(option), new Code(expression(value))]));
      return [...args.map(expression), ...(said.length > 0 ? [optionsSource(options)] : [])].join(', ');
    };
    const hasParameters = Object.keys(sample.state ?? {}).length > 0;
    // PyTorch passes the input by name; here it is the first argument.
    const { input, ...others } = sample.fwd_kwargs;
    const given = writeArguments(input === undefined ? sample.fwd_args : [input, ...sample.fwd_args], others, []);
    const results = leavesOf(sample.out);
    const isList = results.length > 1;
    const isShown = !hasParameters && !isList && results.every((leaf) => isTensor(leaf) && elementsOf(leaf.shape) <= MAX_SHOWN);
    const lines = [
      `const layer = new ${name}(${writeArguments(sample.ctor_args, sample.ctor_kwargs, ['device', 'dtype'])});`,
      `const result = layer.call(${given});`,
      '',
      isShown ? 'console.log(result);' : isList ? 'console.log([result].flat(3).map(({ shape }) => shape));' : 'console.log(result.shape);',
      ...(hasParameters ? ['for (const [name, { shape }] of layer.namedParameters()) console.log(name, shape);'] : []),
    ];
    return `${hasParameters || lines.some(isRandom) ? 'manualSeed(0);\n' : ''}${lines.join('\n')}\n`;
  }

  private expression(value: unknown, loader: SampleLoader): string {
    if (value instanceof Operand) {
      const stored = loader.file.tensors[value.ref];
      if (!stored) {
        throw new Error(`there is no tensor ${value.ref}`);
      }
      return tensorSource(stored, { isExact: false });
    }
    return Array.isArray(value) ? `[${value.map((item) => this.expression(item, loader)).join(', ')}]` : valueSource(value);
  }
}

/** Few options, and inputs that are small but have more than one element. */
function costOf(sample: Sample): number {
  const { ctor_args: made, ctor_kwargs: options, fwd_kwargs: named } = sample;
  const inputs = inputsOf(sample);
  const size = inputs.reduce((sum, { shape }) => sum + elementsOf(shape), 0);
  const large = inputs.filter(({ shape }) => !isWritten(shape)).length;
  return made.length + 4 * Object.keys(options).length + 6 * Object.keys(named).length + 0.05 * size + 5 * large + (size < 2 ? 20 : 0);
}

function inputsOf({ fwd_args: given, fwd_kwargs: named }: Sample) {
  return leavesOf([...given, ...Object.values(named)]).filter(isTensor);
}
