/** Modules as functions of their parameters. */
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { registerEntries } from '../core/stack.js';
import { stack } from '../generated/operations.js';
import { Module } from '../nn/module.js';
import { Tensor } from '../tensor/tensor.js';

/** Tensors by the names of a module's parameters and buffers. */
export type ModuleState = Readonly<Record<string, Tensor>>;

/**
 * The result of a module with other parameters and buffers, as `torch.func.functional_call`: those
 * that `state` names, in one record or in several. The module itself stays as it is.
 *
 * @example
 * const loss = (parameters, x, y) =>
 *   nn.functional.crossEntropy(func.functionalCall(model, parameters, [x]), y);
 * const gradients = func.grad(loss)(Object.fromEntries(model.namedParameters()), x, y);
 */
export function functionalCall<M extends Module>(
  module: M, state: ModuleState | readonly ModuleState[], args: Parameters<M['forward']> | Parameters<M['forward']>[0],
): ReturnType<M['forward']> {
  if (!(module instanceof Module)) throw new LanthornError('argument', 'functionalCall', `takes a module, not ${describe(module)}`);
  const given: Record<string, Tensor> = Object.assign({}, ...(Array.isArray(state) ? state : [state]));
  const restores: (() => void)[] = [];
  try {
    for (const [name, tensor] of Object.entries(given)) {
      if (!(tensor instanceof Tensor)) throw new LanthornError('argument', 'functionalCall', `the state holds tensors; ${name} is ${describe(tensor)}`);
      restores.push(module.substitute('functionalCall', name, tensor));
    }
    return module.call(...(Array.isArray(args) ? args : [args])) as ReturnType<M['forward']>;
  } finally {
    for (const restore of restores.reverse()) restore();
  }
}

/**
 * The parameters and the buffers of modules of one class, each stacked along a new first dimension,
 * as `torch.func.stack_module_state`: an ensemble is then `vmap` of {@link functionalCall}. The
 * parameters are new leaves.
 *
 * @example
 * const models = [new nn.Linear(2, 1), new nn.Linear(2, 1)];
 * const [parameters, buffers] = func.stackModuleState(models);
 * const predict = (p, b, x) => func.functionalCall(models[0], [p, b], [x]);
 * const all = func.vmap(predict, { inDims: [0, 0, null] });
 * const predictions = all(parameters, buffers, x); // [models, samples, classes]
 */
export function stackModuleState(modules: readonly Module[]): [parameters: Record<string, Tensor>, buffers: Record<string, Tensor>] {
  if (!Array.isArray(modules) || modules.length === 0 || modules.some((module) => !(module instanceof Module))) {
    throw new LanthornError('argument', 'stackModuleState', `takes a list of modules, not ${describe(modules)}`);
  }
  const [first] = modules as Module[];
  if (modules.some((module: Module) => module.constructor !== first!.constructor || module.training !== first!.training)) {
    throw new LanthornError('argument', 'stackModuleState', 'the modules are not of one class and in one mode');
  }
  const stackAll = (of: (module: Module) => Iterable<[string, Tensor]>, isLeaf: boolean): Record<string, Tensor> => {
    const all = (modules as Module[]).map((module) => new Map(of(module)));
    return Object.fromEntries(Array.from(all[0]!, ([name, tensor]) => {
      const parts = all.map((named) => {
        const part = named.get(name);
        if (part === undefined) throw new LanthornError('argument', 'stackModuleState', `a module has no ${name}`);
        return part.detach();
      });
      const whole = stack(parts, 0);
      return [name, isLeaf && tensor.requiresGrad ? whole.requiresGrad_() : whole];
    }));
  };
  return [stackAll((module) => module.namedParameters(), true), stackAll((module) => module.namedBuffers(), false)];
}

registerEntries([functionalCall, stackModuleState]);
