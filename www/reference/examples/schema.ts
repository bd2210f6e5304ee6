/** A signature in PyTorch's notation: its parameters and the names of its results. */

export interface Parameter {
  name: string;
  type: string;
  isKeyword: boolean;
  /** As it is written; nothing if the parameter must be given. */
  preset: string | undefined;
}

export interface Schema {
  parameters: readonly Parameter[];
  results: readonly string[];
}

/** `max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)`. */
export function schemaOf(signature: string): Schema {
  const [line = ''] = signature.split('\n');
  const [, inside = '', result = ''] = /^[^(]*\((.*?)\)(?: -> (.*))?$/.exec(line) ?? [];
  const parameters: Parameter[] = [];
  let isKeyword = false;
  for (const part of divided(inside)) {
    if (part === '*') {
      isKeyword = true;
      continue;
    }
    const [declared = '', preset] = part.split('=');
    const at = declared.lastIndexOf(' ');
    parameters.push({ type: declared.slice(0, at), name: declared.slice(at + 1), isKeyword, preset });
  }
  const results = /^\((.*)\)$/.exec(result)?.[1]?.split(', ').map((each) => each.split(' ').at(-1)!) ?? [];
  return { parameters, results };
}

/** Without this flag a call is of the overload without indices, although the table gives it a default. */
const SELECTOR = 'return_indices';

/** Divides at commas outside of brackets and quotes. */
function divided(text: string): string[] {
  return text.match(/(?:\[[^\]]*\]|"[^"]*"|'[^']*'|[^,])+/g)?.map((part) => part.trim()) ?? [];
}

/** Whether a value is what the parameter is without it. */
export function isPreset({ preset }: Parameter, value: unknown): boolean {
  if (preset === undefined || typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return false;
  }
  const number = Number(preset.replace(/\.$/, ''));
  const items = Array.isArray(value) && value.length > 0 ? value : [value];
  return items.every((item) => (typeof item === 'number' ? item === number : PYTHON[String(item)] === preset || `"${String(item)}"` === preset));
}

const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** How the types of a call's values relate to the parameters. */
export interface Kinds {
  isTensor: (value: unknown) => boolean;
  camel: (name: string) => string;
}

/** Whether a call with these values, of which a last object is the options, is one of this signature. */
export function accepts(
  { parameters }: Schema, positional: readonly unknown[], options: Readonly<Record<string, unknown>>, { isTensor, camel }: Kinds,
): boolean {
  const named = new Map(parameters.map((parameter) => [camel(parameter.name), parameter]));
  const first = parameters.slice(0, positional.length);
  const fits = (value: unknown, type: string) => accepted(value, type, isTensor);
  return positional.length <= parameters.length
    && first.every(({ isKeyword, type }, index) => !isKeyword && fits(positional[index], type))
    && Object.entries(options).every(([name, value]) => named.has(name) && !first.includes(named.get(name)!) && fits(value, named.get(name)!.type))
    && parameters.slice(positional.length).every(({ name, preset }) => (preset !== undefined && name !== SELECTOR) || camel(name) in options);
}

function accepted(value: unknown, type: string, isTensor: (value: unknown) => boolean): boolean {
  const choices = /str\{([^}]*)\}/.exec(type)?.[1]?.split('|');
  const types = type.replace(/\{[^}]*\}/, '').replace(/\?$/, '').split('|');
  if (value === null || value === undefined) {
    return type.endsWith('?') || /\?\[\]$/.test(type);
  }
  if (isTensor(value)) {
    return types.includes('Tensor');
  }
  if (Array.isArray(value)) {
    const isList = types.some((each) => each.includes('['));
    return isList && (value.length === 0 || value.every(isTensor) === type.startsWith('Tensor'));
  }
  switch (typeof value) {
    case 'boolean': return types.some((each) => ['bool', 'Scalar', 'bool[]'].includes(each));
    case 'number': return types.some((each) => /^(?:int|float|Scalar)(?:\?)?(?:\[\d*\])?$/.test(each) && !(each === 'int' && !Number.isInteger(value)));
    case 'string': return types.some((each) => ['str', 'ScalarType'].includes(each)) && (choices?.includes(value) ?? true);
    default: return true;
  }
}
