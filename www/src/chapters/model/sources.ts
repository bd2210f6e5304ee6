/** The source text in the file of a script module, and the types that it declares. */
import type { Archive } from './archive';
import type { InputInfo, SourceInfo } from './protocol';

/** The signature of a method, which may be of several lines. */
const METHOD = /^ {2}def (\w+)\(self[^,)]*,?\s*([\s\S]*?)\)( -> [^\n]*)?:$/gm;

/** The source files of the archive, those of the model before PyTorch's own. */
export async function readSources(archive: Archive): Promise<SourceInfo[]> {
  const paths = archive.names.filter((name) => /\/code\/.*\.py$/.test(name));
  const files = await Promise.all(paths.map(async (path) => sourceOf(path.replace(/^.*?\/code\//, ''), await archive.text(path))));
  return files.sort((one, other) => Number(isLibrary(one)) - Number(isLibrary(other)));
}

function isLibrary({ path }: SourceInfo): boolean {
  return path.startsWith('__torch__/torch/');
}

function sourceOf(path: string, text: string): SourceInfo {
  const classes = text.split(/^class /m).slice(1).map((body) => ({
    name: /^\w+/.exec(body)?.[0] ?? '',
    methods: [...body.matchAll(METHOD)].map(([, name, parameters, result]) => `${name}(${parameters!.replace(/\s+/g, ' ')})${result ?? ''}`),
  }));
  return { path, text, classes };
}

/** The parameters of `forward` with their declared types. `kind` is the class, `__torch__.models.Net`. */
export function inputsOf(names: readonly string[], kind: string, sources: readonly SourceInfo[]): InputInfo[] {
  const [path, name] = [kind.split('.').slice(0, -1).join('/'), kind.split('.').at(-1)];
  const found = sources.find((source) => source.path === `${path}.py`)?.classes.find((each) => each.name === name);
  const forward = found?.methods.find((method) => method.startsWith('forward('));
  return names.map((input) => {
    const declared = forward && new RegExp(`[(,] ?${input}: ([^=]*?)(=|, \\w+:|\\) ->|\\)$)`).exec(forward)?.[1];
    return declared === undefined || declared === 'Tensor' ? { name: input } : { name: input, other: declared };
  });
}
