/** The measurement of a training step: its graphs, its kernels, and their times. */
import { explain, type Explanation, scope, type Tensor } from 'lanthorn';
import { exportProgram } from 'lanthorn/program';
import { exportedGraph } from '../../parts/graph/exported';
import { typeInWords } from '../../parts/graph/words';
import { graphOf, type Listed, type Listing, originsOf, readListing } from './listing';
import type { Graphs, KernelInfo, Measurement, Phase, StepTimes } from './protocol';
import { Objective, type Subject } from './subject';
import { type Elapsed, type Launch, profileSteps, timeSteps } from './times';

const PHASES: readonly Phase[] = ['forward', 'backward', 'optimizer'];

export async function measure(subject: Subject, isGpu: boolean): Promise<Measurement> {
  const { x, labels, step, compiled } = subject;
  // The first step makes the optimizer's state.
  step(x, labels).dispose();
  const program = await exportProgram(new Objective(subject), [x, labels]);
  const traced = exportedGraph(program.toJSON());
  program.dispose();
  const { explanation, phaseOf } = await explainStep(subject);
  const recorded = readListing(explanation.recorded);
  const fused = readListing(explanation.rewritten);
  const eager = await timeSteps(() => step(x, labels));
  const replayed = await timeSteps(() => compiled(x, labels));
  // A replayed step runs the same kernels; calls are not replayed while they are profiled.
  const { launches, note } = await profileSteps(() => step(x, labels), eager.known);
  const device = launches.reduce((sum, { microseconds }) => sum + microseconds, 0) / 1000;
  const kernels = kernelsOf(explanation, fused, recorded, launches, phaseOf);
  return {
    graphs: { traced, ...drawGraphs(recorded, fused, kernels, phaseOf) },
    kernels,
    device,
    eager: timesOf(eager, device, isGpu),
    compiled: timesOf(replayed, device, isGpu),
    report: compiled.explain(),
    note,
  };
}

/** On the CPU, kernels run before a step returns: their time is subtracted. */
function timesOf({ returned, known }: Elapsed, device: number, isGpu: boolean): StepTimes {
  return { host: isGpu ? returned : Math.max(0, known - device), total: known };
}

/**
 * Explains a step. The explanations of its beginnings separate the phases of the recorded kernels.
 */
async function explainStep(subject: Subject): Promise<{ explanation: Explanation; phaseOf: (index: number) => Phase }> {
  const { x, labels, step, optimizer } = subject;
  const explainScoped = (run: () => Tensor) => scope(() => explain(run));
  const forward = await explainScoped(() => subject.loss(x, labels));
  const backward = await explainScoped(() => {
    optimizer.zeroGrad();
    const result = subject.loss(x, labels);
    result.backward();
    return result;
  });
  const explanation = await explainScoped(() => step(x, labels));
  const ends = [forward, backward].map(({ recorded }) => readListing(recorded).kernels.length);
  return { explanation, phaseOf: (index) => PHASES[ends.filter((end) => index >= end).length]! };
}

function kernelsOf(
  { kernels: explained }: Explanation,
  fused: Listing,
  recorded: Listing,
  launches: readonly Launch[],
  phaseOf: (index: number) => Phase,
): KernelInfo[] {
  const isTold = launches.length === fused.kernels.length && launches.every(({ kind }, index) => kind === fused.kernels[index]!.kind);
  return fused.kernels.map((kernel, index) => {
    const origins = originsOf(kernel, recorded);
    const phases = new Set(origins.map(phaseOf));
    return {
      kind: kernel.kind,
      operations: origins.map((origin) => recorded.kernels[origin]!.op),
      phases: PHASES.filter((phase) => phases.has(phase)),
      results: kernel.outputs.map((output) => typeInWords(fused, output)),
      text: kernel.text,
      sources: explained[index]?.sources ?? [],
      microseconds: isTold ? launches[index]!.microseconds : undefined,
    };
  });
}

/** The graphs of a listing: recorded kernels are grouped by their phase. */
function drawGraphs(recorded: Listing, fused: Listing, kernels: readonly KernelInfo[], phaseOf: (index: number) => Phase): Omit<Graphs, 'traced'> {
  const title = (listed: Listed, index: number) => {
    const { operations } = kernels[index]!;
    return operations.length > 1 ? `${listed.op} + ${operations.length - 1}` : listed.op;
  };
  return {
    recorded: graphOf(recorded, (index) => recorded.kernels[index]!.op, phaseOf),
    fused: graphOf(fused, (index) => title(fused.kernels[index]!, index), () => ''),
  };
}

