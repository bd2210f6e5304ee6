/** A golden module in the page: a class of the package, with PyTorch's recorded state, called. */
import { build, camel } from './file.mjs';

/** Makes the arguments of a call. */
export function construct(lanthorn, name, call, loader) {
  const module = build(lanthorn, name.replace(/^nn\./, ''), call.ctor_args, Object.entries(call.ctor_kwargs), call.state, loader);
  return module.train(call.training ?? true);
}

/** A module with the results of its call. */
export class Called {
  constructor(lanthorn, name, call, loader) {
    this.module = construct(lanthorn, name, call, loader);
    const options = Object.entries(call.fwd_kwargs).filter(([, value]) => value !== null).map(([key, value]) => [camel(key), loader.value(value)]);
    const given = call.fwd_args.map((value) => loader.value(value));
    this.call = () => this.module.call(...given, ...(options.length > 0 ? [Object.fromEntries(options)] : []));
  }

  /** The tensors of its result, in order. */
  results() {
    return [this.call()].flat(2);
  }

  /** Parameters by their full names. */
  parameters(names) {
    const all = Object.fromEntries(this.module.namedParameters());
    return names.map((name) => {
      if (!all[name]) throw new Error(`there is no parameter ${name}`);
      return all[name];
    });
  }
}
