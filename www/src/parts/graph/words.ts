/** Operators and types in words. */
import type { GraphInfo } from './info';

/**
 * An operator without its namespace and its overload: `conv2d` of `aten.conv2d.default`, `Conv` of
 * `onnx.Conv.1`.
 */
export function operatorName(op: string): string {
  const parts = op.split('.');
  return parts.length === 3 ? parts[1]! : op;
}

/** The declared type of a value: `float32 [N, 1, 8, 8]`. */
export function typeInWords({ types }: Pick<GraphInfo, 'types'>, value: string): string {
  const type = types.get(value);
  return type ? `${type.dtype} [${type.shape.map(({ size, symbol }) => symbol ?? size).join(', ')}]` : '';
}
