/** The source text in the file of a script module, and the types that it declares. */
import type { Archive } from './archive';
import type { InputInfo, SourceInfo } from './protocol';

/** More files, longer files and longer signatures are not shown. */
const MAX_FILES = 60;
const MAX_BYTES = 200_000;
const MAX_LINES = 60;

/**
 * The source files of the archive: first the file of the class `kind`, then the model's others,
 * then PyTorch's.
 */
export async function readSources(archive: Archive, kind: string): Promise<SourceInfo[]> {
  const paths = archive.names.filter((name) => /\/code\/.*\.py$/.test(name));
  const rank = (path: string) => (path.endsWith(`/code/${fileOf(kind)}`) ? 0 : path.includes('/code/__torch__/torch/') ? 2 : 1);
  const chosen = paths.sort((one, other) => rank(one) - rank(other)).slice(0, MAX_FILES);
  return Promise.all(chosen.map(async (path) => {
    const text = await archive.text(path, MAX_BYTES).catch((error: unknown) => `# ${error instanceof Error ? error.message : String(error)}`);
    return { path: path.replace(/^.*?\/code\//, ''), text, classes: outlineOf(text) };
  }));
}

/** The file of a class, `__torch__/models.py` of `__torch__.models.Net`. */
function fileOf(kind: string): string {
  return `${kind.split('.').slice(0, -1).join('/')}.py`;
}

function outlineOf(text: string): SourceInfo['classes'] {
  const classes: { name: string; methods: string[] }[] = [];
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    const name = /^class (\w+)/.exec(line)?.[1];
    if (name !== undefined) {
      classes.push({ name, methods: [] });
    } else if (line.startsWith('  def ')) {
      const rest = lines.slice(index, index + MAX_LINES);
      const end = rest.findIndex((part) => part.endsWith(':'));
      const signature = rest.slice(0, end + 1).map((part) => part.trim()).join(' ');
      classes.at(-1)?.methods.push(signature.replace(/^def (\w+)\(self[^,)]*(, )?/, '$1(').replace(/:$/, ''));
    }
  });
  return classes;
}

/**
 * The parameters of `forward` with their declared types. `kind` is the class,
 * `__torch__.models.Net`.
 */
export function inputsOf(names: readonly string[], kind: string, sources: readonly SourceInfo[]): InputInfo[] {
  const found = sources.find(({ path }) => path === fileOf(kind))?.classes.find(({ name }) => name === kind.split('.').at(-1));
  const forward = found?.methods.find((method) => method.startsWith('forward('));
  const declared = new Map(forward ? parametersOf(forward) : []);
  return names.map((input) => {
    const { type, value } = declared.get(input) ?? { type: 'Tensor', value: undefined };
    return type === 'Tensor' ? { name: input } : { name: input, other: type, ...(value === undefined ? {} : { value: jsonOf(value) }) };
  });
}

/** The parameters of a signature: `forward(x: Tensor, scale: Optional[float]=None) -> Tensor`. */
function parametersOf(signature: string): [string, { type: string; value: string | undefined }][] {
  const parts = [''];
  let depth = 0;
  for (const character of signature.slice(signature.indexOf('(') + 1)) {
    depth += Number('[('.includes(character)) - Number('])'.includes(character));
    if (depth < 0) {
      break;
    }
    if (character === ',' && depth === 0) {
      parts.push('');
    } else {
      parts[parts.length - 1] += character;
    }
  }
  return parts.map((part) => {
    const [, name = '', type = 'Tensor', value] = /^\s*(\w+)(?:: ([^=]*))?(?:=(.*))?$/.exec(part) ?? [];
    return [name, { type, value }];
  });
}

/** A default of TorchScript as JSON, as far as it has one. */
function jsonOf(value: string): string {
  const words: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };
  return words[value] ?? value.replace(/\.$/, '.0');
}
