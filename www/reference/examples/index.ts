/** Examples of entries: written ones, and for operations and modules PyTorch's samples. */
import type { Declaration } from '../declarations';
import type { Entry } from '../entries';
import type { Golden } from './golden';
import { ModuleExamples } from './modules';
import { OperationExamples } from './operations';
import { OptimizerExamples } from './optimizers';
import type { RecordedCall } from './program';
import { WRITTEN } from './written';

export interface Example {
  source: string;
  /** Whether PyTorch's tests have the sample. */
  isRecorded: boolean;
}

export class Examples {
  private readonly operations: OperationExamples;
  private readonly modules: ModuleExamples;
  private readonly optimizers: OptimizerExamples;

  constructor(golden: Golden, declarations: ReadonlyMap<string, Declaration>) {
    this.operations = new OperationExamples(golden, declarations);
    this.modules = new ModuleExamples(golden, declarations);
    this.optimizers = new OptimizerExamples(golden);
  }

  /** The example of an entry; `undefined` if it has none. */
  of(entry: Entry): Example | undefined {
    const written = WRITTEN[entry.name];
    const source = written ?? this.derive(entry);
    return source === undefined ? undefined : { source, isRecorded: written === undefined && ['Operation', 'Module'].includes(entry.kind) };
  }

  /**
   * The sample of an operation's example, and its program with all digits, whose result is
   * PyTorch's answer.
   */
  exact(entry: Entry): (RecordedCall & { source: string }) | undefined {
    const recorded = entry.kind === 'Operation' ? this.operations.choose(entry) : undefined;
    return recorded && { ...recorded, source: this.operations.source(recorded, { isExact: true }) };
  }

  private derive(entry: Entry): string | undefined {
    const { kind, name } = entry;
    switch (kind) {
      case 'Operation': {
        const recorded = this.operations.choose(entry);
        return recorded && this.operations.source(recorded, { isExact: false });
      }
      case 'Module': return this.modules.source(name);
      case 'Optimizer': return this.optimizers.optimizer(name);
      case 'Schedule': return this.optimizers.schedule(name);
      default: return undefined;
    }
  }
}
