/** Everything that the page shows of a file. */
import { GraphProgram, type Program, ScriptModule } from 'lanthorn/program';
import { Archive } from './archive';
import { describeExported } from './exported';
import { guessInputs } from './guess';
import type { Description, StateInfo } from './protocol';
import { inputsOf, readSources } from './sources';
import { tuningOf } from './tuning';

export async function describe(program: Program, file: string, bytes: Uint8Array<ArrayBuffer>): Promise<Description> {
  const common = { file, bytes: bytes.length, state: stateOf(program) };
  if (program instanceof GraphProgram) {
    const { graph, inputs } = describeExported(program);
    const tuning = await tuningOf(program, inputs);
    return { ...common, format: program.toJSON().format, kind: '', inputs, graph, sources: [], missing: [], tuning };
  }
  const { methods } = program.toJSON();
  const kind = /^[\w.]*/.exec(String(program))?.[0] ?? '';
  const sources = await readSources(new Archive(bytes), kind);
  const declared = inputsOf(program.inputs, kind, sources);
  const tuning = await tuningOf(program, declared);
  const inputs = 'layers' in tuning ? declared : await guessInputs(program, declared);
  const missing = program instanceof ScriptModule ? program.missingOperators : [];
  return { ...common, format: 'torchscript', kind, inputs, methods, sources, missing, tuning };
}

function stateOf(program: Program): StateInfo[] {
  const describe = (kind: StateInfo['kind']) => ([name, { shape, dtype }]: [string, { shape: readonly number[]; dtype: string }]): StateInfo =>
    ({ name, kind, shape, dtype });
  return [...[...program.namedParameters()].map(describe('parameter')), ...[...program.namedBuffers()].map(describe('buffer'))];
}
