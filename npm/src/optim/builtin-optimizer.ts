/** The base of the core's optimizers, whose classes are printed from its table. */
import { gather } from '../tensor/arguments.js';
import { checkFunction } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { marked } from '../inspect/inspect.js';
import { checkState, coreRules, Optimizer, optimizerHandle, type LossClosure } from './optimizer.js';
import { decodeStates, encodeOptions, encodeStates, ParameterStates, type OptimizerState, type ParameterState } from './optimizer-state.js';
import type { Params, Plain } from './param-groups.js';
import { enter, enterAsync } from '../core/runtime.js';
import { specOf } from '../tensor/spec.js';
import { locate, registerEntries } from '../core/stack.js';
import { handleOf, Tensor } from '../tensor/tensor.js';

/** The rule of a class, with the constructor's options. */
function ruleOf(text: string, args: readonly unknown[], above: Function): object {
  const spec = specOf(text);
  try {
    const rule = { name: spec.name, names: spec.params, options: gather(spec, args) };
    coreRules.add(rule);
    return rule;
  } catch (error) {
    if (error instanceof LanthornError) locate(error, above);
    throw error;
  }
}

/** An optimizer of the core. */
export abstract class BuiltinOptimizer<Options extends object> extends Optimizer<Options> {
  static {
    registerEntries([this]);
  }

  /** @internal */
  constructor(text: string, params: unknown, args: readonly unknown[]) {
    super(params as Params<Options>, ruleOf(text, args, new.target) as Options);
  }

  get #core(): number {
    return optimizerHandle('step', this);
  }

  /**
   * Updates the parameters with their gradients, and runs the recorded kernels without waiting for
   * them.
   */
  override step(): void;
  /**
   * A step with a function that clears the gradients, computes the loss, and calls its
   * `backward()`; resolves to the initial loss. {@link LBFGS} calls it several times.
   *
   * @example
   * await optimizer.step(() => {
   *   optimizer.zeroGrad();
   *   const loss = criterion.call(net.call(x), y);
   *   loss.backward();
   *   return loss;
   * });
   */
  override step(closure: LossClosure): Promise<Tensor>;
  override step(closure?: LossClosure): void | Promise<Tensor> {
    const name = `${this.constructor.name}.step`;
    const handle = this.#core;
    if (closure === undefined) return marked(name, () => enter((wasm) => wasm.optimizerStep(handle)));
    checkFunction(name, closure);
    const evaluate = async () => handleOf(name, 'the loss', await closure());
    return enterAsync((wasm) => wasm.optimizerStepWith(handle, evaluate)).then((loss) => Tensor.fromCore(loss as number));
  }

  /** The state of each parameter, as {@link Optimizer.stateDict} has it: a frozen copy. */
  override get state(): ParameterStates<Plain<ParameterState>> {
    const { parameters } = this;
    const { state } = this.stateDict();
    const states = Object.entries(state).map(([number, entries]) => [parameters[Number(number)]!, Object.freeze(entries)] as const);
    return new ParameterStates(states);
  }

  override stateDict(): OptimizerState {
    const [rows, groups] = enter((wasm) => wasm.optimizerStateDict(this.#core)) as [Parameters<typeof decodeStates>[0], OptimizerState['param_groups']];
    return { state: decodeStates(rows), param_groups: groups };
  }

  override async loadStateDict(given: OptimizerState): Promise<void> {
    checkState(given);
    const groups = given.param_groups.map(({ params, ...options }) => [...encodeOptions(options), [...params]]);
    const rows = encodeStates(given.state);
    const handle = this.#core;
    await enterAsync((wasm) => wasm.optimizerLoadStateDict(handle, rows, groups));
  }
}
