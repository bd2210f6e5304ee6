/**
 * The base of modules that are printed, and the function that makes them: `lanthorn-transpile`
 * prints uses of both.
 */
import { create, Module } from '../nn/module.js';
import type { Tensor } from '../tensor/tensor.js';

/** A module whose properties may differ from the names in state dicts. */
export abstract class PrintedModule extends Module {
  /**
   * @internal The names in state dicts by property, where they differ; an empty name for a property
   * whose members belong to the module itself.
   */
  static readonly stateNames: Readonly<Record<string, string>> = {};

  /** @internal */
  protected override stateName(property: string): string {
    return (this.constructor as typeof PrintedModule).stateNames[property] ?? property;
  }

  /** @internal */
  protected override propertyOf(name: string): string {
    const names = Object.entries((this.constructor as typeof PrintedModule).stateNames);
    return names.find(([, own]) => own === name)?.[0] ?? name;
  }

  /** @internal */
  override *ownMembers(): Generator<[string, Tensor | Module]> {
    for (const [name, member] of super.ownMembers()) {
      // An array's members are `.0`, and a sequence has its own names.
      if (name === '' && member instanceof Module) yield* member.ownMembers();
      else yield [name.startsWith('.') ? name.slice(1) : name, member];
    }
  }
}

/** A module of a class with these properties, without a call of the constructor. */
export function makeModule<M extends Module>(type: abstract new (...args: never[]) => M, fields: Partial<M>): M {
  return Object.assign(create(type), fields);
}
